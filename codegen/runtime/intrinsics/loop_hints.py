"""What compiled functions tell LLVM that Numba has no words for."""

# mypy: disable-error-code="no-untyped-def"

from numba import types
from numba.extending import intrinsic


@intrinsic
def compiled_apart(typing):
    """Keeps the function that calls this apart from its callers: it is long, and inlining it is worth nothing."""

    def generate(context, builder, signature, args):
        if "alwaysinline" not in builder.function.attributes:  # which it is where it is called in few places
            builder.function.attributes.add("noinline")
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def iterations_apart(typing):
    """Tells LLVM that in the innermost loops of the function that calls this none reads what another one writes.

    These become vectors without tests at run time whether their arrays overlap, of which LLVM makes eight at most.
    """

    def generate(context, builder, signature, args):
        module, plain = builder.module, builder.branch
        nothing = type(builder.function.ftype)(module.declare_intrinsic("llvm.assume").ftype.return_type, ())
        places = module.add_metadata(("places of iterations",))
        places.operands, places.descr = (), lambda text: text.extend(("distinct !{}", "\n"))
        own = module.add_metadata(("llvm.loop.parallel_accesses",))
        own.operands = (*own.operands, places)
        around, innermost = (module.add_metadata((name,)) for name in ("loops around", "innermost loops"))
        around.operands, innermost.operands = (
            (around,),
            (innermost, own),
        )  # what describes a loop begins with itself
        begun = [-1]  # where the loops that are written begin

        def branch(block):
            begins = bool(block.instructions)  # back to where a loop does
            if begins:  # not from a place that LLVM thinks empty, and takes out with what is said of the loop
                builder.call(module.declare_intrinsic("llvm.sideeffect", (), nothing), ())
            jump = plain(block)
            if begins:
                begin = builder.function.blocks.index(block)
                jump.set_metadata("llvm.loop", innermost if begin > max(begun) else around)
                begun.append(begin)
            return jump

        def marked(write):
            def instruction(*given, **named):
                made = write(*given, **named)
                made.set_metadata("llvm.access.group", places)
                return made

            return instruction

        builder.function.attributes.add("noinline")
        builder.branch = branch
        builder.load, builder.store, builder.call = map(marked, (builder.load, builder.store, builder.call))
        return context.get_dummy_value()

    return types.void(), generate
