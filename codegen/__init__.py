"""Python functions to typed programs, and typed programs to Python text and compiled code."""

import codegen.primitives  # noqa: F401  (the rows first: everything above them looks rows up)
from codegen.activity import log_compiles
from codegen.api import jit
from codegen.process_cache import clear_cache
from codegen.source import SourceError

__version__ = "0.1.0"
__all__ = ["SourceError", "__version__", "clear_cache", "jit", "log_compiles"]
