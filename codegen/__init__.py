"""Python functions to typed programs, and typed programs to Python text and compiled code."""

import codegen.primitives  # noqa: F401  (the rows first: everything above them looks rows up)
from codegen.api import jit
from codegen.source import SourceError

__all__ = ["SourceError", "jit"]
