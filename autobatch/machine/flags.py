"""What emitted modules tell the compiler that Numba has no words for: text to be copied."""

FLAG_IMPORTS = "from numba.core.compiler import Compiler\nfrom numba.extending import intrinsic"

DISTINCT = '''
class Distinct(Compiler):
    """For functions that are given arrays and make none: the arrays do not overlap, and nobody counts references."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = True
        self.state.flags.nrt = False
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True
'''

WIDE = '''
@intrinsic
def use_wide_registers(typing):
    """Lets LLVM use 512-bit registers in the function that calls this, where the processor has them."""

    def generate(context, builder, signature, args):
        set.add(builder.function.attributes, '"prefer-vector-width"="512"')
        return context.get_dummy_value()

    return types.void(), generate
'''

NEXT_LANE = '''
@intrinsic
def next_lane(typing, coming):
    """The number of the lane that comes next. Threads that share `coming` are given each number once."""

    def generate(context, builder, signature, args):
        place = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", place, context.get_constant(types.int64, 1), "monotonic")

    return types.int64(coming), generate
'''
