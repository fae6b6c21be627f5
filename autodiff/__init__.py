"""Derivatives of programs: forward mode, reverse mode that re-executes instead of taping, and their compositions."""
