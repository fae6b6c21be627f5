"""Python functions to typed programs: names and objects while a function is run on types instead of values."""

from codegen.infer.trace import Signature, Traced, trace
from codegen.infer.values import Nest, Static

__all__ = ["Nest", "Signature", "Static", "Traced", "trace"]
