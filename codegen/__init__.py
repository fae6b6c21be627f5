"""Python functions to typed programs and back to Python text."""

import codegen.primitives  # noqa: F401  (the rows first: everything above them looks rows up)
