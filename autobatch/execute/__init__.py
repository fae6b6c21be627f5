"""Compiled lanes: which code runs them, on which threads, and what is kept for later processes."""
