"""What emitted modules tell the compiler that Numba has no words for: text to be copied."""

from __future__ import annotations

import textwrap

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

WITHIN = '''
class Within(Distinct):
    """Inside loops over lanes: their function says it of the arrays, and what notes it here is no place of a lane's."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = False
'''

PACKED = '''
class Packed(Compiler):
    """Has LLVM make vectors of unrolled loops, too: Numba leaves that out unless it is told to."""

    def compile_extra(self, func):
        told = config.SLP_VECTORIZE
        config.SLP_VECTORIZE = 1
        try:
            return super().compile_extra(func)
        finally:
            config.SLP_VECTORIZE = told
'''


def of_caller(name: str, says: str, body: str) -> str:
    """An intrinsic that tells LLVM something of the function that calls it."""
    return f'''
@intrinsic
def {name}(typing):
    """{says}"""

    def generate(context, builder, signature, args):
{textwrap.indent(body.strip(), " " * 8)}
        return context.get_dummy_value()

    return types.void(), generate
'''


WIDE = of_caller(
    "use_wide_registers",
    """Lets LLVM use 512-bit registers in the function that calls this, where the processor has them.

    They are spilled to the stack, whose part for this function begins where a cache line does.
    """,
    """
attributes = builder.function.attributes
set.add(attributes, '"prefer-vector-width"="512"')
attributes.alignstack = 64
""",
)

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

READABLE = of_caller(
    "read_anywhere",
    "Lets LLVM load from memory of the function that calls this whether or not a lane takes part: without masks.",
    """
for name, (size, number) in MEMORY.items():
    for argument in builder.function.args:
        if argument.name == f"arg.{name}.4":  # the pointer to the array's numbers
            argument.attributes.dereferenceable = size
            argument.attributes.align = number
""",
)

OF_LOOPS = """
module, plain = builder.module, builder.branch
described = [module.add_metadata(hint) for hint in hints]
loop = module.add_metadata(described)
loop.operands = (loop, *described)  # what describes a loop begins with itself

def branch(block):
    jump = plain(block)
    if block.instructions:  # back to where a loop begins
        jump.set_metadata("llvm.loop", loop)
    return jump

builder.branch = branch
"""

OF_LANES = """
module, plain = builder.module, builder.branch
nothing = type(builder.function.ftype)(module.declare_intrinsic("llvm.assume").ftype.return_type, ())
places = module.add_metadata(("places of lanes",))
places.operands, places.descr = (), lambda text: text.extend(("distinct !{}", "\\n"))
own = module.add_metadata(("llvm.loop.parallel_accesses",))
own.operands = (*own.operands, places)
described = [module.add_metadata(hint) for hint in (("llvm.loop.unroll.disable",), *hints)]
around, innermost = (module.add_metadata((*described, name)) for name in ("loops around", "loops over lanes"))
around.operands, innermost.operands = (around, *described), (innermost, *described, own)
begun = [-1]  # where the loops that are written begin

def branch(block):
    begins = bool(block.instructions)  # back to where a loop does
    if begins:  # not from a place that LLVM thinks empty, and takes out together with what is said of the loop
        builder.call(module.declare_intrinsic("llvm.sideeffect", (), nothing), ())
    jump = plain(block)
    if begins:
        begin = builder.function.blocks.index(block)
        jump.set_metadata("llvm.loop", innermost if begin > max(begun) else around)
        begun.append(begin)
    return jump

branching = builder.cbranch

def cbranch(test, block, other):
    jump = branching(test, block, other)
    if block.instructions or other.instructions:  # back to where a `while` begins
        jump.set_metadata("llvm.loop", around)
    return jump

def marked(write):
    def instruction(*given, **named):
        made = write(*given, **named)
        made.set_metadata("llvm.access.group", places)
        return made

    return instruction

builder.branch, builder.cbranch = branch, cbranch
builder.load, builder.store, builder.call = map(marked, (builder.load, builder.store, builder.call))
"""

APART = of_caller(
    "lanes_apart",
    "Tells LLVM that in the innermost loops of the function that calls this none reads or writes another's places.",
    "hints = []" + OF_LANES,
)

PAIRED = of_caller(
    "two_vectors_at_once",
    "The same, and has LLVM compute two vectors in each step of these loops: one need not wait for the other.",
    """
hints = [("llvm.loop.interleave.count", context.get_constant(types.int32, 2))]
if "F" in MEMORY and "+avx512f" not in context.codegen().magic_tuple()[2]:
    # LLVM thinks a sine, which looks into a table, too expensive for vectors, unless it is told how wide they are.
    hints.append(("llvm.loop.vectorize.width", context.get_constant(types.int32, 4)))
"""
    + OF_LANES,
)

UNROLL = of_caller(
    "unroll_loops",
    "Has LLVM unroll the loops of the function that calls this, though they be longer than it thinks wise.",
    """
hints = [("llvm.loop.unroll.full",)]
"""
    + OF_LOOPS,
)

DRAWS = of_caller(
    "draws_kept_whole",
    "Has LLVM leave loops of the function that calls this as they are where they draw: draws are long, once inlined.",
    """
plain = builder.call

def call(function, *given, **named):
    if "alwaysinline" in getattr(function, "attributes", ()) and "draw_" in function.name:
        function.attributes.add("noduplicate")
    return plain(function, *given, **named)

builder.call = call
""",
)

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

RARE = of_caller(
    "rarely_called",
    "Tells LLVM that the function that calls this is seldom called: it is inlined nowhere, and out of the way.",
    """
attributes = builder.function.attributes
attributes.discard("alwaysinline")
attributes.add("noinline")
attributes.add("cold")
""",
)

ATTENDS = '''
def kept_apart(builder, name, result, word):
    """A function that costs nothing where it is not called, to be written, and whether it is new."""
    made, signature = type(builder.function), type(builder.function.ftype)
    if name in builder.module.globals:
        return builder.module.globals[name], False
    function = made(builder.module, signature(result, (word,)), name)
    function.linkage, function.calling_convention = "internal", "preserve_mostcc"
    set.update(function.attributes, ("noinline", "cold"))
    return function, True


def attends(context, builder):
    """Has Python attend to signals; whether a handler raised, or one had before."""
    i32, made, signature = context.get_value_type(types.int32), type(builder.function), type(builder.function.ftype)
    attend = made(builder.module, signature(i32, ()), "PyErr_CheckSignals")
    python = context.get_python_api(builder)
    gil = python.gil_ensure()
    waiting = python.err_occurred()
    before = builder.icmp_unsigned("!=", waiting, waiting.type(None))
    raised = builder.alloca(before.type)
    builder.store(before, raised)
    with builder.if_then(builder.not_(before)):
        builder.store(builder.icmp_signed("!=", builder.call(attend, ()), i32(0)), raised)
    python.gil_release(gil)
    return builder.load(raised)


def look(context, builder, word):
    """What is done where something is said."""
    function, new = kept_apart(builder, "look", context.get_value_type(types.boolean), word.type)
    if new:
        builder, said, (word,) = type(builder)(function.append_basic_block()), word.type.pointee, function.args
        with builder.if_then(builder.icmp_signed("==", builder.load(word), said(1))):
            builder.ret(function.ftype.return_type(1))
        builder.store(said(0), word)
        raised = attends(context, builder)
        with builder.if_then(raised):
            builder.store(said(1), word)
        builder.ret(raised)
    return function


def said_at(context, builder, word):
    """Whether to stop, as a word says."""
    said = builder.load_atomic(word, "monotonic", 8)
    anything, before = builder.icmp_signed("!=", said, said.type(0)), builder.block
    with builder.if_then(anything, likely=False):
        stop, inside = builder.call(look(context, builder, word), (word,), cconv="preserve_mostcc"), builder.block
    found = builder.phi(anything.type)
    found.add_incoming(anything.type(0), before)
    found.add_incoming(stop, inside)
    return found
'''

STOPS = '''
def last_of(context, builder, signature, args):
    """The place of an array's last element."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, (builder.sub(array.nitems, array.nitems.type(1)),))


@intrinsic
def stopped(typing, failed):
    """Whether lanes are to stop, as failed[-1] says: 1, stop; 2, Python is to attend to signals.

    If a handler of these raises (as that of Ctrl-C does), it becomes 1, else 0.
    """

    def generate(context, builder, signature, args):
        return said_at(context, builder, last_of(context, builder, signature, args))

    return types.boolean(failed), generate


@intrinsic
def raise_waiting(typing, failed):
    """If told to stop: ends the function that calls this with the exception that waits in this thread, if one does."""

    def generate(context, builder, signature, args):
        python = context.get_python_api(builder)
        said = builder.load(last_of(context, builder, signature, args))
        with builder.if_then(builder.icmp_signed("!=", said, said.type(0)), likely=False):
            gil = python.gil_ensure()
            waiting = python.err_occurred()
            python.gil_release(gil)
            with builder.if_then(builder.icmp_unsigned("!=", waiting, waiting.type(None))):
                context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.void(failed), generate
'''
