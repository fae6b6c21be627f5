import os
from concurrent.futures import ThreadPoolExecutor
import numpy as np
from numba import njit
from numba import types
from numba.core.compiler import Compiler
from numba.extending import intrinsic

def collatz(n: int):
    steps = 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps


_G = 64
_FEW = 16
_LS = 72
_END = 4
_PC = 0
_NUMBER = 144
_N2 = 288
_STEPS = 360
_MEMORY = {"I": (3456, 8)}  # bytes in all, and of a number


class _Distinct(Compiler):
    """For functions that are given arrays and make none: the arrays do not overlap, and nobody counts references."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = True
        self.state.targetctx.enable_nrt = False
        self.state.flags.no_cpython_wrapper = True
        self.state.flags.no_cfunc_wrapper = True


class _Within(_Distinct):
    """Inside loops over lanes: their function says it of the arrays, and what notes it here is no place of a lane's."""

    def __init__(self, *given):
        super().__init__(*given)
        self.state.flags.noalias = False


@njit(error_model="numpy", forceinline=True, pipeline_class=_Distinct)
def _collatz(lane, I):
    """Block 0, collatz: where the lane goes on."""
    n2 = I[_N2 + lane]
    steps = 0
    if n2 != 1:
        I[_STEPS + lane] = steps
        return 2
    I[_STEPS + lane] = steps
    return _END


@njit(error_model="numpy", forceinline=True, pipeline_class=_Within)
def _collatz_body(lane, I):
    """Block 2, collatz body: where the lane goes on."""
    n2 = I[_N2 + lane]
    steps = I[_STEPS + lane]
    k = 2
    for _ in range(4):
        n2_before, steps_before, k_before = n2, steps, k
        n3 = n2 // 2  # n = n // 2 if n % 2 == 0 else 3 * n + 1
        n4 = 3 * n2 + 1
        n2 = n3 if n2 % 2 == 0 else n4
        steps += 1
        k = 2 if n2 != 1 else _END
        if k_before != 2:  # the lane had left
            n2, steps, k = n2_before, steps_before, k_before
    I[_N2 + lane] = n2
    I[_STEPS + lane] = steps
    return k


@njit(error_model="numpy", pipeline_class=_Distinct)
def _collatz_body_group(n, I):
    """Block 2 for the n lanes that wait at it, side by side."""
    _use_wide_registers()
    _read_anywhere()
    _lanes_apart()
    most, idle, turns = n, 0, 0
    # as long as few miss much by waiting for the rest; and not for long, as they may be to stop
    while n > 0 and idle < 256 and turns < 862:
        for lane in range(_G):
            if I[_PC + lane] == 2:
                I[_PC + lane] = _collatz_body(lane, I)
        n = 0
        for lane in range(_G):
            n += I[_PC + lane] == 2
        idle += most - n
        turns += 1


@njit(error_model="numpy", pipeline_class=_Distinct)
def _collatz_body_few(n, I):
    """Block 2 for the n lanes that wait at it, all before FEW."""
    _use_wide_registers()
    _read_anywhere()
    _lanes_apart()
    most, idle, turns = n, 0, 0
    # as long as few miss much by waiting for the rest; and not for long, as they may be to stop
    while n > 0 and idle < 256 and turns < 862:
        for lane in range(_FEW):
            if I[_PC + lane] == 2:
                I[_PC + lane] = _collatz_body(lane, I)
        n = 0
        for lane in range(_FEW):
            n += I[_PC + lane] == 2
        idle += most - n
        turns += 1


@njit(error_model="numpy", pipeline_class=_Distinct)
def _load(lane, number, I, n_lanes):
    """Lane `number` starts at place `lane`."""
    I[_NUMBER + lane] = number
    I[_N2 + lane] = n_lanes[number]
    I[_PC + lane] = 0


@njit(error_model="numpy", pipeline_class=_Distinct)
def _finish(lane, number, I, out0):
    """The results of lane `number`, which is at place `lane`."""
    out0[number] = I[_STEPS + lane]


@njit(error_model="numpy", forceinline=True, pipeline_class=_Distinct)
def _advance(lane, I):
    """Run a lane until it comes to a block where it waits for others, or to its end: which it is."""
    k = I[_PC + lane]
    while True:
        if k == 0:
            k = _collatz(lane, I)
        else:
            break
    I[_PC + lane] = k
    return k


@njit(error_model="numpy", forceinline=True, pipeline_class=_Distinct)
def _onwards(k, L, N, I, out0):
    """The lanes of block k, each to where it waits next."""
    _use_wide_registers()
    count = N[k]
    N[k] = 0
    for j in range(count):
        lane = L[k * _G + j]
        where = _END
        if I[_PC + lane] >= 0:
            where = _advance(lane, I)
            if where == _END:
                _finish(lane, I[_NUMBER + lane], I, out0)
                I[_PC + lane] = -1
        L[where * _G + N[where]] = lane
        N[where] += 1


@njit(error_model="numpy", pipeline_class=_Distinct)
def _closer(L, N, I):
    """Lanes at places from FEW on move to free ones before it."""
    free = 0
    for where in range(_END):
        for j in range(N[where]):
            lane = L[where * _G + j]
            if lane >= _FEW:
                while L[_END * _G + free] >= _FEW:
                    free += 1
                place = L[_END * _G + free]
                for k in range(0, len(I), _LS):
                    I[k + place] = I[k + lane]
                I[_PC + lane] = -1
                L[where * _G + j] = place
                L[_END * _G + free] = lane


@njit(cache=True, nogil=True, error_model="numpy")
def _collatz_lanes(coming, last, limit, failed, n_lanes, out0):
    """Lanes that nobody has taken, up to last, G of them at a time; returns last.

    coming is what threads share: the number of the lane that comes next, how many lanes a thread has at a time,
    at most, how many calls have begun, and how many have ended.
    What ends in _lanes has a row a lane, what ends in _shared is one for all; results go to out0, out1, ...
    failed[lane] is 0, or the number of what ended the lane; limit is the deepest recursion, -1 for none.
    """
    _use_wide_registers()
    _add_at_once(coming[2:3], 1)
    memory = _aligned(4800, np.uint8)
    I = memory[0:3456].view(np.int64)
    L = memory[3456:4736].view(np.uint32)  # the lanes that wait at each block
    N = memory[4736:4776].view(np.int64)  # how many they are
    N[_END] = _G
    for lane in range(_G):
        L[_END * _G + lane] = lane
        I[_PC + lane] = -1
    more = True  # lanes may be left to be taken
    number, until = 0, 0  # the taken ones that come next
    idle = _G - min(coming[1], _G)  # places that stay free: other threads have as many lanes
    few = False  # whether no more lanes come, and those that are left are before FEW
    while N[_END] < _G or more:
        if _stopped(failed):
            break
        if not (more or few) and _G - N[_END] <= _FEW:
            _closer(L, N, I)
            few = True
        if more and N[_END] > idle:
            k = _END
            for j in range(N[_END] - idle):
                if number >= until:
                    number, until = _next_lanes(coming, last)
                if number >= until:
                    break
                _load(L[_END * _G + j], number, I, n_lanes)
                number += 1
            more = number < until or coming[0] < last
        elif N[2] > 0:
            k = 2
            if few:
                _collatz_body_few(N[2], I)
            else:
                _collatz_body_group(N[2], I)
        else:
            break
        _onwards(k, L, N, I, out0)
    _add_at_once(coming[3:4], 1)
    _raise_waiting(failed)
    return last


# autobatch transform collatz.py:collatz --transform batch
def collatz_batch(n):
    """`collatz` over lanes (program_counter, group=64), made for n: i8[lanes]."""
    n = _given("n", n, "i8", None)
    lanes = _lanes(n)
    steps, _ = _run_groups(
        _collatz_lanes,
        lanes,
        limit=1000000,
        threads=0,
        arguments=(n,),
        results=(("i8",),),
    )
    return steps


# What the functions above call.


def _given(name, value, dtype, *shape):
    """An argument as a number or a C-contiguous array of this dtype; a size that is None may be any."""
    array = np.asarray(value, order="C")
    fits = array.ndim == len(shape) and all(n is None or n == m for n, m in zip(shape, array.shape))
    if not fits or not np.can_cast(array.dtype, dtype):
        wanted = ", ".join(":" if n is None else str(n) for n in shape)
        raise TypeError(f"{name} is to be {dtype}[{wanted}], not {array.dtype} of shape {array.shape}")
    return array.astype(dtype, copy=False)[()]


def _lanes(*arguments):
    """The number of lanes, which is the same in all arguments."""
    counts = [len(argument) for argument in arguments]
    if min(counts) != max(counts):
        raise ValueError(f"the arguments differ in their number of lanes: {counts}")
    return counts[0]


def _results(lanes, results):
    """Arrays for what the lanes give, and the same with a row for each lane."""
    made = [np.empty((lanes, *shape), dtype) for dtype, *shape in results]
    return made, [array.reshape(lanes, array[:1].size) if array.ndim > 2 else array for array in made]


def _in_threads(work, parts, threads, failed):
    """work(*part) for every part, on so many threads; the first by itself, which compiles it.

    Where one raises, or Ctrl-C is met, failed[-1] becomes 1, by which the others stop. This thread only waits: Ctrl-C
    is met between two steps of the interpreter.
    """
    first, *rest = parts
    work(*first)
    with ThreadPoolExecutor(threads) as pool:
        try:
            for done in [pool.submit(work, *part) for part in rest]:
                done.result()
        except BaseException:
            failed[-1] = 1
            raise


def _run_groups(run, lanes, limit, threads, arguments, results):
    """What the lanes give, and for each 0 or the number of its failure; threads take lanes off one queue.

    limit    the deepest recursion
    threads  how many, 0 for as many as there are processors
    results  dtype and shape of what one lane gives
    """
    failed = np.zeros(lanes + 1, np.int64)  # and whether to stop
    made, rows = _results(lanes, results)

    def over(coming):
        run(coming, lanes if coming is queue else 0, limit, failed, *arguments, *rows)

    threads = threads or os.cpu_count() or 1
    queue = np.array([0, -(-lanes // threads), 0, 0])  # the next lane, lanes of a thread, calls begun and ended
    _in_threads(over, [(np.zeros(4, np.int64),), *[(queue,)] * threads], threads, failed)
    return *made, failed[:lanes]


@intrinsic
def _add_at_once(typing, number, more):
    """number[0] += more, of which no other thread sees half; what the number was."""

    def generate(context, builder, signature, args):
        place = context.make_array(signature.args[0])(context, builder, args[0]).data
        return builder.atomic_rmw("add", place, args[1], "acq_rel")

    return types.int64(number, types.int64), generate


@njit(error_model="numpy")
def _next_lanes(coming, last):
    """The first of the lanes that come next, and the one after them: few, and at the end one at a time."""
    some = max((last - coming[0]) >> 6, 1)
    first = _add_at_once(coming, some)
    return first, min(first + some, last)


@njit(error_model="numpy")
def _aligned(size, dtype):
    """An array of zeros that begins where a cache line does, so that no vector lies in two."""
    array = np.zeros(size + 64, dtype)
    first = -array.ctypes.data % 64 // array.itemsize
    return array[first : first + size]


@intrinsic
def _use_wide_registers(typing):
    """Lets LLVM use 512-bit registers in the function that calls this, where the processor has them.

    They are spilled to the stack, whose part for this function begins where a cache line does.
    """

    def generate(context, builder, signature, args):
        attributes = builder.function.attributes
        set.add(attributes, '"prefer-vector-width"="512"')
        attributes.alignstack = 64
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _read_anywhere(typing):
    """Lets LLVM load from memory of the function that calls this whether or not a lane takes part: without masks."""

    def generate(context, builder, signature, args):
        for name, (size, number) in _MEMORY.items():
            for argument in builder.function.args:
                if argument.name == f"arg.{name}.4":  # the pointer to the array's numbers
                    argument.attributes.dereferenceable = size
                    argument.attributes.align = number
        return context.get_dummy_value()

    return types.void(), generate


@intrinsic
def _lanes_apart(typing):
    """Tells LLVM that in the innermost loops of the function that calls this none reads or writes another's places."""

    def generate(context, builder, signature, args):
        hints = []
        module, plain = builder.module, builder.branch
        nothing = type(builder.function.ftype)(module.declare_intrinsic("llvm.assume").ftype.return_type, ())
        places = module.add_metadata(("places of lanes",))
        places.operands, places.descr = (), lambda text: text.extend(("distinct !{}", "\n"))
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
        return context.get_dummy_value()

    return types.void(), generate


def _kept_apart(builder, name, result, word):
    """A function that costs nothing where it is not called, to be written, and whether it is new."""
    made, signature = type(builder.function), type(builder.function.ftype)
    if name in builder.module.globals:
        return builder.module.globals[name], False
    function = made(builder.module, signature(result, (word,)), name)
    function.linkage, function.calling_convention = "internal", "preserve_mostcc"
    set.update(function.attributes, ("noinline", "cold"))
    return function, True


def _attends(context, builder):
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


def _look(context, builder, word):
    """What is done where something is said."""
    function, new = _kept_apart(builder, "look", context.get_value_type(types.boolean), word.type)
    if new:
        builder, said, (word,) = type(builder)(function.append_basic_block()), word.type.pointee, function.args
        with builder.if_then(builder.icmp_signed("==", builder.load(word), said(1))):
            builder.ret(function.ftype.return_type(1))
        builder.store(said(0), word)
        raised = _attends(context, builder)
        with builder.if_then(raised):
            builder.store(said(1), word)
        builder.ret(raised)
    return function


def _said_at(context, builder, word):
    """Whether to stop, as a word says."""
    said = builder.load_atomic(word, "monotonic", 8)
    anything, before = builder.icmp_signed("!=", said, said.type(0)), builder.block
    with builder.if_then(anything, likely=False):
        stop, inside = builder.call(_look(context, builder, word), (word,), cconv="preserve_mostcc"), builder.block
    found = builder.phi(anything.type)
    found.add_incoming(anything.type(0), before)
    found.add_incoming(stop, inside)
    return found


def _last_of(context, builder, signature, args):
    """The place of an array's last element."""
    array = context.make_array(signature.args[0])(context, builder, args[0])
    return builder.gep(array.data, (builder.sub(array.nitems, array.nitems.type(1)),))


@intrinsic
def _stopped(typing, failed):
    """Whether lanes are to stop, as failed[-1] says: 1, stop; 2, Python is to attend to signals.

    If a handler of these raises (as that of Ctrl-C does), it becomes 1, else 0.
    """

    def generate(context, builder, signature, args):
        return _said_at(context, builder, _last_of(context, builder, signature, args))

    return types.boolean(failed), generate


@intrinsic
def _raise_waiting(typing, failed):
    """If told to stop: ends the function that calls this with the exception that waits in this thread, if one does."""

    def generate(context, builder, signature, args):
        python = context.get_python_api(builder)
        said = builder.load(_last_of(context, builder, signature, args))
        with builder.if_then(builder.icmp_signed("!=", said, said.type(0)), likely=False):
            gil = python.gil_ensure()
            waiting = python.err_occurred()
            python.gil_release(gil)
            with builder.if_then(builder.icmp_unsigned("!=", waiting, waiting.type(None))):
                context.call_conv.return_exc(builder)
        return context.get_dummy_value()

    return types.void(failed), generate
