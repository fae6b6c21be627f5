"""Products of what has been drawn are rounded by themselves in kernels: no compiler makes them a part of a sum."""

import numpy as np

from autobatch import batch, streams


def of_one(rng, x):
    return rng.normal(x, 2.0) + x * x


def of_array(rng, x):
    z = rng.uniform(x, 3.0, size=3)
    return z[0] + z[2] * x


def kernel(function) -> str:
    text = batch(function, target="cuda").source(streams(1, 2), np.ones(2))
    return text[text.index("def ") : text.index("# What the functions above call.")]


def test_what_is_added_to_is_a_rounded_product() -> None:
    assert "x + rounded(2.0, draw_standard_normal(rng, ziggurat))" in kernel(of_one)
    assert kernel(of_one).count("rounded(") == 1
    assert kernel(of_array).count("rounded(") >= 1
    assert (
        "rounded" not in batch(of_one).source(streams(1, 2), np.ones(2)).partition("# What the functions")[0]
    )
