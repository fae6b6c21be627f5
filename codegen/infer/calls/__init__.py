"""Calls while a program is inferred: of the user's functions, of rows, of Python's own, of transformed ones."""
