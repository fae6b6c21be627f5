"""What the forward sweep saves and what the return sweep runs again: the decision that `unzip` leaves open.

save="none"            loop-carried values at the entry of each iteration; everything else is run again
save="all"             every value that the return sweep reads; nothing is run again
save="sqrt"            entry values of about sqrt(n) strips of a loop (strip_mining.py)
save=("name", ...)     besides the entry values, the variables of these names
"""

from __future__ import annotations

from dataclasses import dataclass

from codegen.ir import Equation

Save = str | tuple[str, ...]


@dataclass(frozen=True)
class Policy:
    """`names` None: save all.

    `known_sizes`: arrays must have known sizes, as over lanes, so a loop of unknown length has no history. It
    becomes a recursive function instead, whose calls hold on to the values of each iteration. `ragged`: arrays whose
    size changes from one iteration to the next are kept one after the other, and so is what inner loops keep, whose
    number of iterations does.
    """

    names: frozenset[str] | None = frozenset()
    known_sizes: bool = False
    ragged: bool = False

    def saves(self, equation: Equation) -> bool:
        """Are the values of a known equation saved where the linear part reads them?"""
        return self.names is None or any(out.name in self.names for out in equation.outs)


NONE = Policy()


def policy(save: Save, *, known_sizes: bool = False, ragged: bool = False) -> Policy:
    """The Policy for a `save` argument: "none", "all", "sqrt", or names of variables.

    >>> policy("none").names
    frozenset()
    """
    ragged = ragged and not known_sizes
    if save == "all":
        return Policy(None, known_sizes, ragged)
    if save in ("none", "sqrt"):
        return Policy(frozenset(), known_sizes, ragged)
    if isinstance(save, str) or not all(isinstance(name, str) for name in save):
        raise ValueError(f'save is "none", "all", "sqrt" or a tuple of names of variables, not {save!r}')
    return Policy(frozenset(save), known_sizes, ragged)
