"""Dicts with keys that are texts: asked, gone through and changed, as arguments and around the function."""

from __future__ import annotations

import numpy as np
import pytest

from autobatch import batch
from autodiff import check_grads, grad
from codegen import SourceError, jit

P = {"w": np.array([0.3, 0.5]), "b": np.array([0.1])}
AROUND = {"w": np.array([0.3, 0.5]), "b": np.array([0.1, 0.7, 0.2]), "rate": 0.5}


def by_items(p, x):
    t = 0.0
    for name, w in p.items():
        if name.startswith("w"):
            t += np.sum(w**2) * x
        elif name == "b":
            t -= np.sum(w)
    for i, (_, w) in enumerate(p.items()):
        t += i * np.sum(w)
    return t


def by_keys(p, x):
    t = sum(np.sum(v**2) for v in p.values())
    for k in p.keys():  # noqa: SIM118
        t += np.sum(p[k]) * x
    for k in sorted(p):
        t = t * 2.0 + np.sum(p[k])
    return t + len([k for k in p if k in ("w", "q")])


def asked(p, x):
    if "w" in p:
        x = x * np.sum(p["w"])
    if "q" not in p and "b" in p.keys():  # noqa: SIM118
        x = x + 1.0
    other = p.get("other")
    if other is None:
        x = x * p.get("scale", 2.0)
    return x + np.sum(p.get("b", 0.0))


def around(p, x):
    t = AROUND.get("missing", 1.0) * np.sum(p["w"]) * AROUND["rate"]
    for k, v in AROUND.items():
        t += np.sum(v * x) * len(k)
    for k in AROUND:
        t += np.sum(AROUND[k]) * ("w" in AROUND)
    return t


def made(p, x):
    q = {k: v * x for k, v in p.items() if k != "b"}
    r = {**p, "w": p["w"] * x} | {"c": x}
    return sum(np.sum(v) for v in q.values()) + sum(np.sum(v) for v in r.values()) + len(r)


def total(d, scale=1.0):
    return sum(np.sum(v) for v in d.values()) * scale + d.get("rate", 0.25)


def by_functions(p, x):
    def weighted(name):
        return np.sum(p[name]) * x if name in p else 0.0

    return total(p) + total(AROUND, scale=x) + weighted("w") + weighted("q")


def summed(p, x):
    held = {k: 0.0 for k in p}
    for i in range(300):
        for k, v in p.items():
            held[k] += np.sum(v) * x * 0.01 * i
    return sum(held.values())


def updated(p, x):
    q = {"a": x, "n": 0.0}
    q.update(p)
    q.update(b=x, c=2.0)
    q.update([("d", x * x), ("a", 3.0)])
    q.update({"e": x}, f=x)
    for i in range(3):
        q.update(a=q["a"] * x, n=q["n"] + i)
    if x > 0.5:
        q.update(a=2.0)
    return q["a"] + q["b"] * q["c"] + q["d"] + np.sum(q["w"]) + q["e"] * q["f"] + len(q) + q["n"]


def popped(p, x):
    q = dict(p)
    w = q.pop("w") * x
    z = q.pop("missing", 2.0)
    q.pop("b")
    return np.sum(w) * z + len(q)


PROGRAMS = [by_items, by_keys, asked, around, made, by_functions, summed, updated, popped]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values_and_derivatives(f):
    for x in (0.4, 0.7):
        assert jit(f, target="numpy")(P, x) == pytest.approx(f(P, x), rel=1e-14)
        check_grads(f, (P, x), order=2)
    xs = np.array([0.4, 0.7, -1.0])
    lanes = {key: np.stack([value, -value, 2.0 * value]) for key, value in P.items()}
    single = [({key: value[k] for key, value in lanes.items()}, x) for k, x in enumerate(xs)]
    np.testing.assert_allclose(batch(f, target="numpy")(lanes, xs), [f(*each) for each in single], rtol=1e-13)
    slopes = batch(grad(f), target="numpy")(lanes, xs)
    for k, each in enumerate(single):
        for key, slope in grad(f, target="numpy")(*each).items():
            np.testing.assert_allclose(slopes[key][k], slope, rtol=1e-12)


def test_a_key_that_is_not_there():
    with pytest.raises(SourceError, match="^the key 'q' is not in the dict: it has 'w', 'b'"):
        jit(lambda p: dict(p)["q"], target="numpy")(P)

    def f(p):
        q = dict(p)
        return q.pop("q")

    with pytest.raises(SourceError, match="^the key 'q' is not in the dict: it has 'w', 'b'"):
        jit(f, target="numpy")(P)
