"""Branches and loops while a program is inferred: what they carry, and where control meets."""
