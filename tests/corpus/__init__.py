"""Small programs in plain Python, with the arguments of several lanes each: what every transformation
and target must get right.

    for case in CASES:
        for arguments in case.lanes():
            case.function(*arguments)

A case's lanes have arguments of the same types and shapes, so that they can run as one batch. `Seed(k)`
among the arguments stands for a fresh generator, `Generator(Philox(key=[k, 0]))`.
"""

from corpus import (  # noqa: F401  (importing a theme enters its cases)
    aliasing,
    arithmetic,
    arrays,
    branches,
    calls,
    complex_numbers,
    derivatives,
    draws,
    errors,
    functions,
    growing_lists,
    hygiene,
    loops,
    nests,
    objects,
    queues_and_stacks,
    returned_arguments,
    science,
    sequences,
    writes,
)
from corpus.case import CASES, GROWING, MARKS, Case, Seed

__all__ = ["CASES", "GROWING", "MARKS", "Case", "Seed"]
