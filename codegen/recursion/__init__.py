"""Recursive functions and long chains of calls, as compilers and stacks can take them."""
