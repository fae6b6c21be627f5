"""Vectors of eight numbers, in what functions of registers tell LLVM."""

# mypy: disable-error-code="no-untyped-def"

TILE = 8  # numbers of a vector, and rows of a tile of as many


def constant(kind, *numbers):
    """A vector."""
    from llvmlite import ir

    return ir.Constant(ir.VectorType(kind, len(numbers)), list(numbers))


def chosen(builder, x, y, places):
    """Numbers of two vectors, those of the second counted from 8 on."""
    from llvmlite import ir

    return builder.shuffle_vector(x, y, constant(ir.IntType(32), *places))


def spread(builder, number):
    """A vector of one number."""
    from llvmlite import ir

    first = ir.Constant(ir.VectorType(number.type, TILE), ir.Undefined)
    first = builder.insert_element(first, number, ir.IntType(32)(0))
    return chosen(builder, first, first, [0] * TILE)


def of_vectors(builder, name, result, *args):
    """LLVM's operation of that name."""
    from llvmlite import ir
    from numba.core import cgutils

    kind = ir.FunctionType(result, [each.type for each in args])
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, name), args)


def vector_at(builder, start, place, kind):
    return builder.bitcast(builder.gep(start, [place]), kind.as_pointer())


def turned_round(builder, rows):
    """Rows as columns: halves change places, then quarters, then single numbers."""
    for half in (4, 2, 1):
        low = [j + (TILE - half if j & half else 0) for j in range(TILE)]
        places = [[j + half if k & half else j for j in low] for k in range(TILE)]
        rows = [chosen(builder, rows[k & ~half], rows[k | half], places[k]) for k in range(TILE)]
    return rows
