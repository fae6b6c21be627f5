"""What a case of the corpus is, and the lists that `case` enters them into."""

import copy
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

CASES: list["Case"] = []
GROWING: list["Case"] = []  # whose lanes would have arrays of different sizes

MARKS = {
    "differentiable": "smooth at its lanes' arguments, of which the float ones may be differentiated",
    "recursive": "a function that calls itself, directly or through others",
    "draws": "draws from a generator among its arguments",
    "arrays": "has arrays among its arguments or inside",
    "raises": "ends in an exception, `case.raises`, on every lane",
    "widens": "a name is an int on one way and a float on another, so that Python's result may be an int",
    "f4": "computes in float32",
    "grows": "has lists or results whose length is known when it has run: not for lanes, and so in GROWING",
}


@dataclass(frozen=True)
class Seed:
    """Stands for a generator, which must be new in each run."""

    number: int

    def generator(self) -> np.random.Generator:
        return np.random.Generator(np.random.Philox(key=[self.number, 0]))


@dataclass(frozen=True)
class Case:
    """One program: `function`, and for each lane its arguments.

    gives    what the lanes return, where it is known beforehand
    shared   places of arguments that are the same in all lanes
    raises   the exception that ends every lane
    """

    name: str
    function: Callable[..., Any]
    examples: tuple[tuple[Any, ...], ...]
    marks: frozenset[str]
    gives: tuple[Any, ...] | None = None
    shared: tuple[int, ...] = ()
    raises: type[Exception] | None = None

    def lanes(self) -> list[tuple[Any, ...]]:
        """Fresh arguments, lane by lane."""
        return [tuple(fresh(argument) for argument in example) for example in self.examples]


def fresh(argument: Any) -> Any:
    return argument.generator() if isinstance(argument, Seed) else copy.deepcopy(argument)


def case(
    *examples: Any,
    marks: str = "",
    gives: tuple[Any, ...] | None = None,
    shared: tuple[int, ...] = (),
    raises: type[Exception] | None = None,
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Enter a function as a case; an example that is no plain tuple is the only argument."""

    def enter(function: Callable[..., Any]) -> Callable[..., Any]:
        given = tuple(e if type(e) is tuple else (e,) for e in examples)
        named = frozenset(marks.split()) | ({"raises"} if raises else set())
        if unknown := named - MARKS.keys():
            raise ValueError(f"{function.__name__}: no mark {sorted(unknown)}")
        if any(function.__name__ == other.name for other in (*CASES, *GROWING)):
            raise ValueError(f"{function.__name__} is entered twice")
        entered = GROWING if "grows" in named else CASES
        entered.append(Case(function.__name__, function, given, named, gives, shared, raises))
        return function

    return enter
