"""Dicts of lists that are changed, as lists with names of their own: as in Python, refused where another may see it."""

import numpy as np
import pytest
from plain_python import complaint

from codegen import jit

RIGHT = (
    "    d = {'a': [], 'n': 0}\n    for k in range(n):\n        d['a'].append(k * x)\n        d['n'] += 1\n"
    "    return d['n'], np.array(d['a'])",
    "    d = {'a': [], 'b': []}\n    for k in range(n):\n        d['a'].append(k)\n        d['b'].append(k * x)\n"
    "    return {k: np.array(v) for k, v in d.items()}",
    "    d = {'a': [], 'b': []}\n    for k in range(n):\n        d['a'].append(k)\n        if k > 3:\n"
    "            d = {'a': [9], 'b': [k]}\n    return len(d['a']), len(d['b'])",
    "    d = {'a': [], 'b': []}\n    us = d['a']\n    d['a'].append(1.0)\n    us.append(2.0)\n"
    "    return len(d['a']), len(us)",
    "    d_a = 3.0\n    d = {'a': [], 'b': []}\n    while len(d['a']) < n:\n        d['a'].append(d_a)\n"
    "        d['b'] += [1.0, 2.0]\n        d['a'][-1] *= 2\n        d['b'][0] = x\n"
    "    return np.mean(d['a']), sum(d['b']), d_a",
    "    d = {'a': [], 'b': np.zeros(3)}\n    for k in range(n):\n        d['b'] = d['b'] + k\n"
    "        d['a'].append(np.sum(d['b']))\n        if d['a'][-1] > 10:\n            break\n"
    "    return d['a'][-1], d['b'], len(d), 'b' in d",
    "    d = {'a': [], 'b': 1}\n    d['a'].append(x)\n    us, d['b'] = d['a'], 5\n    d['a'].append(x)\n"
    "    return len(us), d['b']",
    "    d = {'a': [], 'b': 1}\n    e = {'a': d['a']}\n    d['a'].append(n)\n    return len(e['a'])",
)
SHARED = (
    "    d = {'a': [0.0], 'n': 0}\n    e = d\n    d['n'] = 3\n    d['a'].append(2.0)\n    return e['n'], len(e['a'])",
    "    d = {'a': []}\n    def add(k):\n        d['a'].append(k)\n    for k in range(n):\n        add(k)\n"
    "    return len(d['a'])",
    "    d = {'a': [], 'b': []}\n    for key in ('a', 'b'):\n        d[key].append(n)\n    return len(d['a'])",
    "    d = {'a': [], 'b': 0.0}\n    d['a'].append(1.0)\n    d['c'] = 4\n    return len(d['a']), d['c']",
    "    d = {'a': [], 'b': 1.0}\n    d['a'].append(1.0)\n    s = 0.0\n    for k, v in d.items():\n"
    "        if k == 'b':\n            s += v\n        d['b'] = 5.0\n    return s",
    "    d = {'a': [], 'b': 1}\n    def f(e):\n        e['a'].append(1.0)\n        return len(e['a'])\n"
    "    k = f(d)\n    d['a'].append(2.0)\n    return k, len(d['a'])",
    "    d = {'a': []}\n    d['a'].append(1.0)\n    return [d for d in range(n)]",
)


@pytest.mark.parametrize("text", RIGHT)
def test_lists_of_a_dict(text: str) -> None:
    assert complaint(text, {"n": 6, "x": 0.5}) is None


@pytest.mark.parametrize("text", SHARED)
def test_dicts_that_others_see(text: str) -> None:
    said = complaint(text, {"n": 6, "x": 0.5})
    assert said is None or said.startswith("SourceError"), said


def traced(n):
    trace = {"x": [1.0], "steps": 0}
    for _ in range(n):
        trace["x"].append(0.5 * trace["x"][-1])
        trace["steps"] += 1
    return np.array(trace["x"]), trace["steps"]


def test_their_names_say_what_they_are() -> None:
    text = jit(traced, target="numpy").source(3)
    assert "trace_x[i + 1] = 0.5 * trace_x[i]" in text
