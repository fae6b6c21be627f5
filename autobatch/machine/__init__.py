"""Spellings of a block program: the same blocks and rows as text that is fast on a target."""
