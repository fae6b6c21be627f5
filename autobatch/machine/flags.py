"""What emitted modules tell the compiler that Numba has no words for: text to be copied."""

DISTINCT = '''
class Distinct(Compiler):
    """For functions that are given arrays and make none: the arrays do not overlap, and nobody counts references."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = True
        self.state.targetctx.enable_nrt = False
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
'''

PACKED = '''
class Packed(Compiler):
    """Has LLVM make vectors of what is written out side by side, too: Numba leaves that out unless it is told to."""

    def compile_extra(self, func):
        told = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return super().compile_extra(func)
        finally:
            config.SLP_VECTORIZE = told
'''

WIDE = '''
@intrinsic
def use_wide_registers(typing):
    """Lets LLVM use 512-bit registers in the function that calls this, where the processor has them.

    They are put aside on the stack, whose part for this function begins where a cache line does.
    """

    def generate(context, builder, signature, args):
        attributes = builder.function.attributes
        set.add(attributes, '"prefer-vector-width"="512"')
        attributes.alignstack = 64
        return context.get_dummy_value()

    return types.void(), generate
'''

MULADD = '''
@intrinsic
def muladd(typing, x, y, z):
    """x * y + z, rounded once where the processor multiplies and adds in one step."""

    def generate(context, builder, signature, args):
        kind = args[0].type
        whole = type(builder.function.ftype)(kind, (kind, kind, kind))
        return builder.call(builder.module.declare_intrinsic("llvm.fmuladd", (kind,), whole), args)

    return types.float64(types.float64, types.float64, types.float64), generate
'''

SELECT = '''
@njit(error_model="numpy", forceinline=True)
def select(test, x, y):
    """x where the test holds, else y. Both are loaded either way: LLVM would choose between their addresses."""
    return x if test else y
'''

READABLE = '''
@intrinsic
def read_anywhere(typing):
    """Lets LLVM load from memory of the function that calls this whether or not a lane takes part: without masks."""

    def generate(context, builder, signature, args):
        for name, (size, number) in MEMORY.items():
            for argument in builder.function.args:
                if argument.name == f"arg.{name}.4":  # the pointer to the array's numbers
                    argument.attributes.dereferenceable = size
                    argument.attributes.align = number
        return context.get_dummy_value()

    return types.void(), generate
'''

PAIRED = '''
@intrinsic
def two_vectors_at_once(typing):
    """Lets LLVM compute two vectors in each step of the loops of the function that calls this: one need not wait."""

    def generate(context, builder, signature, args):
        module, plain = builder.module, builder.branch
        count = module.add_metadata(["llvm.loop.interleave.count", context.get_constant(types.int32, 2)])
        loop = module.add_metadata([count])
        loop.operands = (loop, count)  # what describes a loop begins with itself

        def branch(block):
            jump = plain(block)
            if block.instructions:  # back to where a loop begins
                jump.set_metadata("llvm.loop", loop)
            return jump

        builder.branch = branch
        return context.get_dummy_value()

    return types.void(), generate
'''

WRITTEN_OUT = '''
@intrinsic
def loops_written_out(typing):
    """Has LLVM write out the loops of the function that calls this, though they be longer than it thinks wise."""

    def generate(context, builder, signature, args):
        module, plain = builder.module, builder.branch
        full = module.add_metadata(["llvm.loop.unroll.full"])
        loop = module.add_metadata([full])
        loop.operands = (loop, full)  # what describes a loop begins with itself

        def branch(block):
            jump = plain(block)
            if block.instructions:  # back to where a loop begins
                jump.set_metadata("llvm.loop", loop)
            return jump

        builder.branch = branch
        return context.get_dummy_value()

    return types.void(), generate
'''

ALIGNED = '''
@njit(error_model="numpy")
def aligned(size, dtype):
    """An array of zeros that begins where a cache line does, so that no vector lies in two."""
    array = np.zeros(size + 64, dtype)
    first = -array.ctypes.data % 64 // array.itemsize
    return array[first : first + size]
'''

NEXT_LANES = '''
@intrinsic
def add_at_once(typing, number, more):
    """number[0] += more, of which no other thread sees half; what the number was."""

    def generate(context, builder, signature, args):
        place = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", place, args[1], "acq_rel")

    return types.int64(number, types.int64), generate


@njit(error_model="numpy")
def next_lanes(coming, last):
    """The first of the lanes that come next, and the one after them: few, and at the end one at a time."""
    some = max((last - coming[0]) >> 6, 1)
    first = add_at_once(coming, some)
    return first, min(first + some, last)
'''

RARE = '''
@intrinsic
def rarely_called(typing):
    """Tells LLVM that the function that calls this is seldom called: it is written out nowhere, and out of the way."""

    def generate(context, builder, signature, args):
        attributes = builder.function.attributes
        attributes.discard("alwaysinline")
        attributes.add("noinline")
        attributes.add("cold")
        return context.get_dummy_value()

    return types.void(), generate
'''
