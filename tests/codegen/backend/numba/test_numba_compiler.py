"""Functions that only compiled code calls have no wrapper and no machine code; Python can call them all the same."""

from __future__ import annotations

import gc
import threading
import time
from typing import Any

import llvmlite.binding as llvm
import numpy as np
import pytest

from codegen.backend.load import load
from codegen.backend.numba import compiler, library, lookups

TEXT = """
import numpy as np
from numba import njit


@njit(error_model="numpy")
def root(x):
    if x < 0.0:
        raise ValueError("below 0")
    return np.sqrt(x)


@njit(error_model="numpy", cache=True)
def total(x):
    s = 0.0
    for each in x:
        s += root(each)
    return s


@njit(error_model="numpy", cache=True)
def made(x):
    return np.zeros(len(x)), root(x[0]), x[1:]


@njit(error_model="numpy")
def even(n):
    return True if n == 0 else odd(n - 1)


@njit(error_model="numpy")
def odd(n):
    return False if n == 0 else even(n - 1)


@njit(error_model="numpy")
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@njit(error_model="numpy")
def alternating(n, up):
    if n == 0:
        return 0
    return n + alternating(n - 1, False) if up else alternating(n - 1, True) - n
"""


def callable_ones(dispatcher: Any) -> list[bool]:
    return [not compiler.is_bare(result) for result in dispatcher.overloads.values()]


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch, tmp_path: Any, request: Any) -> Any:
    monkeypatch.setenv("AUTOBATCH_CACHE_DIR", str(tmp_path))
    return load(TEXT + f"# {request.node.name}\n", "called")


def test_a_function_has_what_its_callers_need(module: Any) -> None:
    x = np.array([1.0, 4.0, 9.0])
    assert module.total(x) == 6.0
    assert callable_ones(module.root) == [False] and callable_ones(module.total) == [True]
    assert module.root(16.0) == 4.0 and callable_ones(module.root) == [True]
    assert module.total(x) == 6.0 and module.total(x[:2].astype("f4")) == 3.0
    with pytest.raises(ValueError, match="below 0"):
        module.total(-x)
    with pytest.raises(ValueError, match="below 0"):
        module.root(-1.0)


def test_arrays_come_back(module: Any) -> None:
    new, number, view = module.made(np.array([1.0, 4.0]))
    assert (new.tolist(), number, view.tolist()) == ([0.0, 0.0], 1.0, [4.0])


def test_recursions_that_call_by_address(module: Any) -> None:
    assert [module.even(n) for n in (0, 7, 10)] == [True, False, True]
    assert [module.odd(n) for n in (0, 7, 10)] == [False, True, False]
    assert module.ackermann(2, 3) == 9 and module.alternating(5, True) == 3


def test_threads_that_call_and_compile_at_once(module: Any) -> None:
    found: list[float] = []
    calls = [lambda: module.total(np.array([4.0])), lambda: module.root(4.0)] * 4
    threads = [threading.Thread(target=lambda call=call: found.append(call())) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [2.0] * 8


def test_other_versions_compile_as_they_do(module: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiler, "TRIED", ((0, 1), (0, 2)))
    plain = load(TEXT + "# plain\n", "called")
    assert plain.total(np.array([4.0])) == 2.0
    assert callable_ones(plain.root) == [True]


def test_numbas_own_way_is_back_afterwards(module: Any) -> None:
    import numba

    module.total(np.array([4.0]))
    mine = numba.njit(lambda x: x + 1.0)
    other = numba.njit(lambda x: mine(x))
    assert other(1.0) == 2.0 and mine(1.0) == 2.0
    assert not isinstance(mine, compiler.Lean) and callable_ones(mine) == [True]
    assert all(vars(owner)[name] is not quick for owner, name, quick in lookups.STAND_INS)


def test_who_listens_is_told(module: Any) -> None:
    from numba.core import event

    with (
        event.install_recorder("numba:compile") as compiled,
        event.install_recorder("numba:llvm_lock") as locked,
    ):
        module.total(np.array([4.0]))
    names = {each.data["dispatcher"].__name__ for _, each in compiled.buffer}
    assert {"root", "total"} <= names and len(locked.buffer) % 2 == 0 < len(locked.buffer)


def test_what_compiling_takes_is_given_back(module: Any) -> None:
    before = gc.get_threshold()
    assert module.total(np.array([1.0, 4.0])) == 3.0
    libraries = [result.library for f in (module.root, module.total) for result in f.overloads.values()]
    assert [library.module for library in libraries] == [None, None]
    (text,) = module.total.inspect_llvm().values()
    assert "define" in text and [library.module for library in libraries] == [None, None]
    assert gc.get_threshold() == before


POWERS = "".join(
    f"@njit({options})\ndef {name}_{k}(x):\n    y = x ** {power}\n    return y * 1.75 + y\n\n\n"
    for name, options in (("plain", 'error_model="numpy"'), ("fused", 'fastmath={"contract"}'))
    for k, power in enumerate((0, 1, 2, 3, 7, 64, 65, -1))
)


@pytest.mark.sampled(9)
@pytest.mark.parametrize("x", [1.1, -0.0, np.inf, np.nan, np.float32(1.3), np.int64(-3), np.int32(5), True])
def test_powers_are_numbas(x: Any) -> None:
    """By products where the power is known, with the types and the bits of Numba's loop."""
    numbas: dict[str, Any] = {}
    exec(f"from numba import njit\n{POWERS}", numbas)
    ours = vars(load(f"from numba import njit\n\n\n{POWERS}", "powers"))
    for name in (each for each in numbas if each.startswith(("plain", "fused"))):
        found = [type_and_bits(table[name], x) for table in (numbas, ours)]
        assert found[0] == found[1]


def type_and_bits(function: Any, x: Any) -> Any:
    try:
        made = function(x)
    except ZeroDivisionError as error:
        return str(error)
    return type(made), np.float64(made).tobytes()


def loop_of_doubled_values(count):
    """A loop of LLVM's, of which a choice hangs on `count` values, each of which reads the one before twice."""
    doubled = "".join(
        f"%a{k} = mul i64 %v{k}, {2 * k + 3}\n%v{k + 1} = xor i64 %a{k}, %v{k}\n" for k in range(count)
    )
    return f"""
define i64 @f(ptr noalias %x) {{
entry:
  br label %loop
loop:
  %i = phi i64 [0, %entry], [%next, %loop]
  %old = phi i64 [1, %entry], [%new, %loop]
  %at = getelementptr i64, ptr %x, i64 %i
  %v0 = load i64, ptr %at
  {doubled}
  %test = icmp slt i64 %v{count}, 0
  %half = lshr i64 %old, 1
  %new = select i1 %test, i64 %v{count}, i64 %half
  %next = add nuw nsw i64 %i, 1
  %done = icmp eq i64 %next, 16
  br i1 %done, label %exit, label %loop
exit:
  ret i64 %new
}}
"""


def test_llvm_goes_once_through_what_a_choice_is_made_of():
    """It took 2^28 steps, 20 seconds, to see that the loop is no checksum."""
    assert library.PASSES
    llvm.initialize_native_target()
    machine = llvm.Target.from_default_triple().create_target_machine()
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    start = time.perf_counter()
    builder.getModulePassManager().run(llvm.parse_assembly(loop_of_doubled_values(28)), builder)
    assert time.perf_counter() - start < 5.0
