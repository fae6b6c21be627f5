"""Functions of Python's bisect and heapq, which look into lists and change them."""

from codegen.definitions.lists import heaps, searching  # noqa: F401  (importing a file enters its definitions)
