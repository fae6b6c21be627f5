"""What emitted modules tell the compiler of functions that are to become vector instructions: text to be copied."""

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
