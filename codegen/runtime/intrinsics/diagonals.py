"""The diagonal of an array's last two axes, where it is, in compiled code."""

# mypy: disable-error-code="no-untyped-def"

from numba import types
from numba.extending import intrinsic


@intrinsic
def diagonal_of(typing, x):
    """Every place of the last two axes that is one place in both, which have one size."""
    kind = types.Array(x.dtype, x.ndim - 1, "A", readonly=not x.mutable)

    def generate(context, builder, signature, args):
        from numba.core import cgutils
        from numba.core.imputils import impl_ret_borrowed

        given = context.make_array(x)(context, builder, args[0])
        made = context.make_array(kind)(context, builder)
        shape, strides = (cgutils.unpack_tuple(builder, each) for each in (given.shape, given.strides))
        strides[-2:] = [builder.add(*strides[-2:])]
        made.shape, made.strides = (cgutils.pack_array(builder, each) for each in (shape[:-1], strides))
        made.nitems = context.get_constant(types.intp, 1)
        for size in shape[:-1]:
            made.nitems = builder.mul(made.nitems, size)
        made.data, made.itemsize, made.meminfo = given.data, given.itemsize, given.meminfo
        made.parent = given.parent
        return impl_ret_borrowed(context, builder, kind, made._getvalue())

    return kind(x), generate
