"""Modules, command lines, and what must hold of the modules that come out: for test_cli.py."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Program:
    """A module, functions and options of the command line, and what must hold of the output module m."""

    functions: str
    options: str
    text: str
    check: str


PROGRAMS = {
    "complex": Program(
        "f",
        '--types "z: c16[:], w: complex, x: f8"',
        """
        def f(z, w, x):
            z[0] = w * x
            return z * w, abs(w), w + x
        """,
        """
        for make in (lambda: np.arange(3.0) * 1j, lambda: np.arange(6.0)[::2] + 1j):
            z, y = make(), make()
            got, want = m.f_jit(z, 1 + 2j, 2.0), m.f(y, 1 + 2j, 2.0)
            assert np.array_equal(got[0], want[0]) and got[1:] == want[1:] and np.array_equal(z, y)
            assert type(got[2]) is complex
        try:
            m.f_jit(np.zeros((2, 2), complex), 1j, 1.0)
        except TypeError:
            pass
        else:
            raise AssertionError("taken")
        """,
    ),
    "none_and_lists": Program(
        "first_above found_above",
        '--types "x: f8[:], least: float"',
        """
        from typing import NamedTuple

        class Found(NamedTuple):
            place: int
            value: float

        def first_above(x, least):
            for v in x:
                if v > least:
                    return v

        def found_above(x, least):
            found = []
            for i in range(len(x)):
                if x[i] > least:
                    found.append(Found(i, x[i]))
            return found, least
        """,
        """
        x = np.array([1.0, 3.0, 2.0, 5.0])
        for least in (0.0, 2.5, 9.0):
            assert m.first_above_jit(x, least) == m.first_above(x, least)
            assert m.found_above_jit(x, least) == m.found_above(x, least)
            assert all(type(each) is m.Found for each in m.found_above_jit(x, least)[0])
        """,
    ),
    "writing": Program(
        "f",
        '--types "x: f8[:], out: f8[:], k: f8"',
        """
        def f(x, out, k):
            for i in range(len(out)):
                out[i] = x[i] * k
            x[0] = 1.0
            return x
        """,
        """
        for make in (lambda: np.arange(3.0), lambda: np.arange(6.0)[::2], lambda: np.arange(3.0).astype(">f8")):
            x, out = make(), np.zeros(6)[::-2]
            y, there = make(), np.zeros(3)
            m.f_jit(x, out, 3.0)
            m.f(y, there, 3.0)
            assert np.array_equal(x, y) and np.array_equal(out, there)
        for wrong, exception in ((x, ValueError), ([1.0, 2.0, 3.0], TypeError), (np.broadcast_to(1.0, 3), ValueError)):
            try:
                m.f_jit(x, wrong, 1.0)
            except exception:
                pass
            else:
                raise AssertionError("taken")
        """,
    ),
    "compiled": Program(
        "f",
        '--types "x: f8[:], n: i8"',
        """
        def f(x, n):
            s = 0.0
            for i in range(n):
                s += x[i] * x[i]
            return s
        """,
        """
        x = np.arange(6.0)
        assert m.f_jit(x, 4) == m.f(x, 4)
        assert m.f_jit(x[::2], np.int32(3)) == m.f(x[::2], 3)
        assert m.f_jit([1, 2, 3], 3) == 14.0
        for wrong in (x.reshape(2, 3), 1.0, x + 0j):
            try:
                m.f_jit(wrong, 1)
            except TypeError as error:
                assert str(error).startswith("x is to be f8[:], not "), error
            else:
                raise AssertionError("taken")
        """,
    ),
    "gradient": Program(
        "logp",
        '--transform grad --types "beta: f8[:], X: f8[:,:], y: f8[:]"',
        """
        import numpy as np

        def logp(beta, X, y):
            eta = X @ beta
            return np.sum(y * eta - np.log1p(np.exp(eta)))
        """,
        """
        rng = np.random.default_rng(1)
        beta, X, y = rng.normal(size=3), rng.normal(size=(7, 3)), (rng.random(7) > 0.5) * 1.0
        expected = X.T @ (y - 1 / (1 + np.exp(-X @ beta)))
        np.testing.assert_allclose(m.logp_grad(beta, X, y), expected, rtol=1e-13)
        np.testing.assert_allclose(m.logp_grad(list(beta), X[:, ::-1][:, ::-1], y > 0), expected, rtol=1e-13)
        """,
    ),
    "structures": Program(
        "step",
        "--types 'state: State(q=f8[:], p=f8), settings: {\"size\": f8}, scales: ((f8, f8), f8)'",
        """
        from typing import NamedTuple
        import numpy as np

        class State(NamedTuple):
            q: np.ndarray
            p: float = 1.0

        def step(state, settings, scales):
            (a, b), c = scales
            q = state.q * settings["size"] + a
            return State(q, state.p * b), {"energy": np.sum(q) * c, "none": None, "name": "x"}, [1, (a,)]
        """,
        """
        given = m.State(np.array([1.0, 2.0]), 3.0), {"size": 2.0}, ((0.5, 0.25), 4.0)
        new, energy, rest = m.step_jit(*given)
        expected, e, _ = m.step(*given)
        assert type(new) is m.State and (new.q == expected.q).all() and new.p == expected.p
        assert energy == e and list(energy) == list(e) and rest == [1, (0.5,)]
        """,
    ),
    "streams": Program(
        "walk",
        '--types "rng: rng, x: f8"',
        """
        def walk(rng, x):
            k = 0
            while x > 0.0:
                x = x + rng.normal(-0.1, 1.0) * rng.random()
                k += 1
            return x, k, rng.standard_normal(3)
        """,
        """
        one, two = philox(3, 4), philox(3, 4)
        for x in (1.0, 4.0, -1.0):
            a, b = m.walk_jit(one, x), m.walk(two, x)
            np.testing.assert_allclose(a[0], b[0], rtol=1e-14)
            assert a[1] == b[1] and (a[2] == b[2]).all()
        assert one.random() == two.random()
        """,
    ),
    "globals": Program(
        "f",
        '--types "x: f8"',
        """
        import math
        import numpy as np
        from collections import namedtuple
        from math import sqrt as root

        TWO = 2
        SCALES = (1.0, -TWO * root(4.0))
        LOG2 = math.log(TWO) / np.pi
        TABLE = np.array([1.0, 2.0, 4.0])[:TWO + 1] if TWO else None
        WEIGHTS = np.array([1.0, 2.0, 4.0])
        Pair = namedtuple("Pair", "a b", defaults=(3.0,))
        ORIGIN = Pair(1.0)

        def g(x, scale=SCALES[1]):
            return x * scale + ORIGIN.b

        def f(x):
            return Pair(g(x) * LOG2, g(x, 1.0) + WEIGHTS[TWO]), ORIGIN
        """,
        """
        a, b = m.f_jit(1.5), m.f(1.5)
        assert type(a[0]) is m.Pair and type(a[1]) is m.Pair
        np.testing.assert_allclose(a, b, rtol=1e-15)
        """,
    ),
    "parameters": Program(
        "f",
        "--types 'a: f8, x: f8, k: i8' --static 'n=3'",
        """
        def f(a, /, x, n=2, *, k=3, scale: float = 2.0, mode="sum"):
            if mode == "sum":
                return a + x * scale ** n + k
            return 0.0
        """,
        """
        import inspect
        assert str(inspect.signature(m.f_jit)) == "(a, /, x, *, k=3, scale=2.0)"
        assert m.f_jit(1.0, 2.0) == m.f(1.0, 2.0, 3)
        assert m.f_jit(1.0, x=2.0, scale=3.0, k=1) == m.f(1.0, 2.0, 3, k=1, scale=3.0)
        """,
    ),
    "value_and_gradient": Program(
        "energy",
        '--transform value_and_grad --argnums 0,1 --types "w: f8[2]"',
        """
        def energy(s: "(f8, f8)", w):
            q, p = s
            return q * q * w[0] + p * w[1]
        """,
        """
        value, (ds, dw) = m.energy_value_and_grad((2.0, 3.0), [4.0, 5.0])
        assert value == 31.0 and ds == (16.0, 5.0) and list(dw) == [4.0, 3.0]
        """,
    ),
    "composed": Program(
        "f",
        "--transform grad --transform jvp",
        """
        def f(x: float, y: float):
            return x * x * y
        """,
        """
        assert m.f_grad_jvp((3.0, 5.0), (1.0, 0.0)) == (30.0, 10.0)
        """,
    ),
    "tangents_beside_constants": Program(
        "f",
        "--transform jvp --static 'm=3'",
        """
        def f(m, x: float, y: float, n=2):
            return x ** n * y ** m
        """,
        """
        import inspect
        assert str(inspect.signature(m.f_jvp)) == "(primals, tangents)"
        assert m.f_jvp((3.0, 2.0), (1.0, 0.0)) == (72.0, 48.0)
        assert m.f_jvp([3.0, 2.0], [0.0, 1.0]) == (72.0, 108.0)
        """,
    ),
    "second_tangents_beside_constants": Program(
        "f",
        "--transform grad --transform jvp --transform batch",
        """
        def f(x: float, n=3):
            return x ** n
        """,
        """
        value, change = m.f_grad_jvp_batch(([1.0, 2.0],), ([1.0, 0.5],))
        assert value.tolist() == [3.0, 12.0] and change.tolist() == [6.0, 6.0]
        """,
    ),
    "second": Program(
        "f",
        '--transform hessian --types "x: f8[:]"',
        """
        import numpy as np

        def f(x):
            return x[0] * x[1] + np.sum(x ** 3)
        """,
        """
        assert (m.f_hessian([1.0, 2.0]) == [[6.0, 1.0], [1.0, 12.0]]).all()
        """,
    ),
    "tangents_over_lanes": Program(
        "f",
        "--transform jvp --transform batch --in-axes 'y: None'",
        """
        def f(x: float, y: float):
            return x * x * y
        """,
        """
        x, dx = np.array([1.0, 2.0, 3.0]), np.array([1.0, 0.0, 2.0])
        value, change = m.f_jvp_batch((x, 5.0), (dx, 1.0))
        assert (value == 5.0 * x * x).all() and (change == 10.0 * x * dx + x * x).all()
        """,
    ),
    "defaults": Program(
        "f",
        "",
        """
        import os

        def f(x: float = 1.0, y: float = os.getpid(), *, z: float = os.getpid(), n=os.getpid()):
            return x + y + z
        """,
        """
        import inspect
        assert str(inspect.signature(m.f_jit)) == "(x, y, *, z)"
        assert m.f_jit(1.0, 2.0, z=3.0) == 6.0
        """,
    ),
    "recursion": Program(
        "fib",
        "--transform batch",
        """
        def fib(n: int):
            if n < 2:
                return 1
            return fib(n - 1) + fib(n - 2)
        """,
        """
        n = np.array([0, 5, 11, 3])
        assert m.fib_batch(n).tolist() == [m.fib(int(k)) for k in n]
        """,
    ),
    "lanes": Program(
        "walk",
        '--transform batch --types "rng: rng, state: State(f8, f8), A: f8[2, 2], n: i8" --in-axes "A: None"',
        """
        from typing import NamedTuple

        class State(NamedTuple):
            q: float
            p: float

        def walk(rng, state, A, n):
            q = state.q
            if q > 100.0:
                raise ValueError("too far")
            for i in range(n):
                q = q + rng.normal(A[i % 2, 0], 1.0)
            return State(q, state.p), A * q, 7
        """,
        """
        A, n = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([3, 0, 5])
        q, p = np.array([1.0, 2.0, 3.0]), np.zeros(3)
        one, two = [philox(1, k) for k in range(3)], [philox(1, k) for k in range(3)]
        for _ in range(2):
            state, scaled, seven = m.walk_batch(one, m.State(q, p), A, n)
            expected = [m.walk(two[k], m.State(q[k], p[k]), A, n[k]) for k in range(3)]
            np.testing.assert_allclose(state.q, [e[0].q for e in expected], rtol=1e-14)
            np.testing.assert_allclose(scaled, [e[1] for e in expected], rtol=1e-14)
            assert seven.tolist() == [7, 7, 7] and type(state) is m.State

        class Streams:
            state = np.array([m.state_of(philox(1, k)) for k in range(3)])
            def __len__(self):
                return 3
            def __iter__(self):
                for words in self.state:
                    generator = philox(0, 0)
                    generator.bit_generator.state = {
                        "bit_generator": "Philox",
                        "state": {"counter": words[:4].copy(), "key": words[4:6].copy()},
                        "buffer": words[6:10].copy(),
                        "buffer_pos": int(words[10]),
                        "has_uint32": int(words[11]),
                        "uinteger": int(words[12]),
                    }
                    yield generator

        rows = Streams()
        first = m.walk_batch(rows, m.State(q, p), A, n)[0].q
        second = m.walk_batch(rows, m.State(q, p), A, n)[0].q
        assert (second == state.q).all() and first[0] != second[0]
        try:
            m.walk_batch(one, m.State(np.array([1.0, 200.0, 300.0]), p), A, n)
        except RuntimeError as error:
            assert str(error).splitlines()[:2] == [
                "2 of 3 lanes failed",
                '  lane 1: ValueError: too far (lanes.py:11: raise ValueError("too far"))',
            ], error
            assert error.lanes.tolist() == [1, 2] and error.results[2][0] == 7
        else:
            raise AssertionError("no lane failed")
        try:
            m.walk_batch(one, m.State(q[:2], p[:2]), A, n)
        except ValueError as error:
            assert "the arguments differ in their number of lanes: [3, 2, 2, 3]" == str(error)
        """,
    ),
    "lanes_that_recurse": Program(
        "build",
        '--transform batch --types "rng: rng, q: f8[:], depth: i8"',
        """
        import numpy as np

        def build(rng, q, depth):
            if depth == 0:
                return q + rng.normal(0.0, 1.0), 1.0
            a, n = build(rng, q, depth - 1)
            b, k = build(rng, a, depth - 1)
            if rng.random() < k / (n + k):
                a = b
            return a, n + k
        """,
        """
        q, depth = np.arange(12.0).reshape(4, 3), np.array([0, 3, 1, 4])
        one, two = [philox(1, k) for k in range(4)], [philox(1, k) for k in range(4)]
        x, n = m.build_batch(one, q, depth)
        expected = [m.build(two[k], q[k], int(depth[k])) for k in range(4)]
        np.testing.assert_allclose(x, [e[0] for e in expected], rtol=1e-14)
        assert n.tolist() == [e[1] for e in expected]
        assert [rng.random() for rng in one] == [rng.random() for rng in two]
        """,
    ),
    "lanes_of_any_size": Program(
        "logp",
        '--transform grad --transform batch --types "beta: f8[:], X: f8[:,:], y: f8[:]" '
        '--in-axes "X: None, y: None"',
        """
        import numpy as np

        def logp(beta, X, y):
            eta = X @ beta
            return np.sum(y * eta - np.log1p(np.exp(eta)))
        """,
        """
        rng = np.random.default_rng(1)
        beta, X, y = rng.normal(size=(4, 3)), rng.normal(size=(7, 3)), (rng.random(7) > 0.5) * 1.0
        expected = [X.T @ (y - 1 / (1 + np.exp(-X @ b))) for b in beta]
        np.testing.assert_allclose(m.logp_grad_batch(beta, X, y), expected, rtol=1e-12)
        """,
    ),
    "hygiene": Program(
        "f",
        '--types "rng: rng, x: f8[:], State: f8, pc: f8, f_jit: f8"',
        """
        import numpy
        import numba as np
        from numpy import abs as range
        math, njit, len, list, copy, type, isinstance = 1, 2, 3, 4, 5, 6, 7
        state_of = _given = _generator = draw_random = _f = _f_jit = PHILOX_M0 = "user's"
        ValueError = None

        def zip(*_):
            raise SystemExit

        def f(rng, x, State, pc, f_jit):
            _given = rng.random() + rng.normal()
            for np in (1, 2, 3):
                _given = _given * x[np] + State + pc * f_jit
            return (_given, numpy.log1p(x[0]))
        """,
        """
        a = m.f_jit(philox(1, 2), np.arange(4.0), 1.0, 2.0, 3.0)
        u, z = (lambda rng: (rng.random(), rng.normal()))(philox(1, 2))
        expected = u + z
        for k in (1, 2, 3):
            expected = expected * k + 1.0 + 2.0 * 3.0
        np.testing.assert_allclose(a, [expected, 0.0], rtol=1e-14)
        assert m.state_of == m._given == m._generator == m.draw_random == "user's"
        """,
    ),
    "hidden": Program(
        "f",
        '--types "TABLE: f8, State: f8"',
        """
        import numpy as np
        from collections import namedtuple

        State = namedtuple("State", "x")
        TABLE = np.array([1.0, 2.0])

        class Wrong(ValueError):
            \"\"\"Not a number to be had.\"\"\"

        def g(x):
            if x < 0.0:
                raise Wrong("negative", 2)
            if x > 9.0:
                raise ValueError(f"{x} is large")
            return State(x * TABLE[1])

        def f(TABLE, State):
            return g(TABLE), State
        """,
        """
        assert m.f_jit(3.0, 4.0) == m.f(3.0, 4.0) == ((6.0,), 4.0)
        assert type(m.f_jit(3.0, 4.0)[0]) is m.State
        try:
            m.f_jit(-1.0, 0.0)
        except m.Wrong as error:
            assert error.args == ("negative", 2)
        """,
    ),
    "widths": Program(
        "f g h k",
        '--types "n: i4, u: u8, b: i1[:], w: f4, v: f4[:]"',
        """
        def f(n, m: int):
            return n, m

        def g(u):
            return u

        def h(b):
            return b[0]

        def k(w, v):
            return w, v[0]
        """,
        """
        from functools import partial

        one, inf, nan = np.float32(1.0), float("inf"), float("nan")
        assert m.f_jit(2**31 - 1, 2**62) == (2**31 - 1, 2**62) and m.f_jit(np.int16(-3), True) == (-3, 1)
        assert m.g_jit(2**64 - 1) == 2**64 - 1 and m.g_jit(3) == 3
        assert m.h_jit([-128]) == -128 and m.h_jit([True]) == 1
        assert m.k_jit(0.1, [inf, 1.0]) == (np.float32(0.1), inf) and m.k_jit(2, [0])[0] == 2.0
        assert m.k_jit(np.int64(2), np.arange(1, 3)) == (2.0, 1.0)
        assert np.isnan(m.k_jit(nan, np.ones(1, np.float16))[0])
        wrong = (
            (partial(m.f_jit, m=1), "n is to be i4[], not int64 of shape ()", 2**31),
            (partial(m.f_jit, m=1), "n is to be i4[], not int64 of shape ()", -(2**40)),
            (partial(m.f_jit, m=1), "n is to be i4[], not uint64 of shape ()", 2**63),
            (partial(m.f_jit, 1), "m is to be i8[], not uint64 of shape ()", 2**63),
            (partial(m.f_jit, 1), "m is to be i8[], not uint64 of shape ()", 2**64 - 1),
            (m.g_jit, "u is to be u8[], not int64 of shape ()", -1),
            (m.h_jit, "b is to be i1[:], not int64 of shape (1,)", [128]),
            (m.h_jit, "b is to be i1[:], not int64 of shape (2,)", [1, -129]),
            (partial(m.k_jit, v=[1.0]), "w is to be f4[], not float64 of shape ()", 1e300),
            (partial(m.k_jit, v=[1.0]), "w is to be f4[], not float64 of shape ()", -1e39),
            (partial(m.k_jit, one), "v is to be f4[:], not float64 of shape (2,)", [inf, 1e39]),
            (partial(m.f_jit, m=1), "n is to be i4[], not int64 of shape ()", np.int64(1)),
            (partial(m.f_jit, m=1), "n is to be i4[], not int64 of shape ()", np.array(2**32 + 5)),
            (partial(m.f_jit, m=1), "n is to be i4[], not float64 of shape ()", 1.0),
            (partial(m.f_jit, 1), "m is to be i8[], not uint64 of shape ()", np.uint64(1)),
            (partial(m.f_jit, 1), "m is to be i8[], not object of shape ()", 2**64),
            (m.g_jit, "u is to be u8[], not int64 of shape ()", np.int64(1)),
            (partial(m.k_jit, v=[1.0]), "w is to be f4[], not float64 of shape ()", np.float64(1.0)),
            (partial(m.k_jit, one), "v is to be f4[:], not float64 of shape (1,)", np.ones(1)),
            (partial(m.k_jit, one), "v is to be f4[:], not float64 of shape ()", 1e300),
        )
        for call, message, value in wrong:
            try:
                made = call(value)
            except TypeError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(made)
        """,
    ),
    "other_structures": Program(
        "f g",
        "--transform grad --argnums 0 "
        "--types 'x: f8, state: State(f8, f8), pair: (f8, [f8]), settings: {\"size\": f8}, rng: rng, none: ()'",
        """
        from collections import namedtuple

        State = namedtuple("State", "q p")

        def f(x, state, pair, settings):
            return x * state.q * pair[0] * pair[1][0] * settings["size"]

        def g(x, rng, none):
            return x * rng.random()
        """,
        """
        given = 1.0, m.State(2.0, 3.0), (4.0, [5.0]), {"size": 6.0, "more": None}
        assert m.f_grad(*given) == 240.0 and m.f_grad(given[0], m.State(2.0, 3.0), [4, (5,)], given[3]) == 240.0
        assert m.g_grad(1.0, philox(1, 2), ()) == philox(1, 2).random()
        wrong = (
            ("state is to be a named tuple with the fields q, p, not tuple", {"state": (2.0, 3.0)}),
            ("pair is to be a tuple or list of 2 items, not 1", {"pair": (4.0,)}),
            ("pair is to be a tuple or list of 2 items, not float", {"pair": 4.0}),
            ("pair[1] is to be a tuple or list of 1 items, not ndarray", {"pair": (4.0, np.ones(1))}),
            ("settings is to be a dict with the keys size, not more", {"settings": {"more": 6.0}}),
            ("settings is to be a dict with the keys size, not list", {"settings": ["size"]}),
        )
        for message, changed in wrong:
            try:
                m.f_grad(**{**dict(zip(("x", "state", "pair", "settings"), given)), **changed})
            except TypeError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(message)
        for message, *given in (
            ("rng is to be a numpy.random.Generator, not int", 1, ()),
            ("none is to be a tuple or list of 0 items, not NoneType", philox(1, 2), None),
        ):
            try:
                m.g_grad(1.0, *given)
            except TypeError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(message)
        """,
    ),
    "other_structures_over_lanes": Program(
        "f",
        "--transform jvp --transform batch",
        """
        def f(x: float, y: float):
            return x * y
        """,
        """
        x = np.ones(2)
        for message, primals, tangents in (
            ("primals is to be a tuple or list of 2 items, not 1", (x,), (x, x)),
            ("tangents is to be a tuple or list of 2 items, not ndarray", (x, x), x),
        ):
            try:
                m.f_jvp_batch(primals, tangents)
            except TypeError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(message)
        """,
    ),
    "one_generator_for_lanes": Program(
        "f",
        "--transform batch --types 'rng: rng'",
        """
        def f(rng, x: float):
            return x + rng.random()
        """,
        """
        assert (m.f_batch([philox(1, 2)], [1.0]) == 1.0 + philox(1, 2).random()).all()
        for message, rng in (
            ("rng is to be a list of random generators, one a lane, not Generator", philox(1, 2)),
            ("rng[1] is to be a numpy.random.Generator, not float", [philox(1, 2), 2.0]),
        ):
            try:
                m.f_batch(rng, [1.0, 2.0])
            except TypeError as error:
                assert str(error) == message, error
            else:
                raise AssertionError(message)
        """,
    ),
    "several": Program(
        "f h",
        '--transform grad --types "x: f8[:]"',
        """
        import numpy as np

        def g(x):
            return np.sum(x * x)

        def f(x):
            return g(x) * 2.0

        h = lambda x: g(x) + f(x)
        """,
        """
        x = np.array([1.0, 2.0])
        assert (m.f_grad(x) == 4.0 * x).all() and (m.h_grad(x) == 6.0 * x).all()
        """,
    ),
}
