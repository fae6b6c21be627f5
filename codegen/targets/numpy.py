"""The reference target: plain NumPy, as a person would write it."""

from __future__ import annotations

from codegen.spell import Spelling
from codegen.targets.target import Target

NUMPY = Target("numpy", Spelling())
