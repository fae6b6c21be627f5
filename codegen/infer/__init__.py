"""Python functions to typed programs: names and objects while a function is run on types instead of values."""

from codegen.infer.main import Signature, Traced
from codegen.infer.trace import trace
from codegen.infer.values import Nest, Static

__all__ = ["Nest", "Signature", "Static", "Traced", "trace"]
