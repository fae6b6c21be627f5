"""A function of a module, written: its text, and the arrays and other names that it is given."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Routine:
    given: tuple[str, ...]
    text: str
