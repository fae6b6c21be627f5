"""Loops of unknown length: one that counts and one that repeats it run once (single_pass.py, joined_blocks.py)."""
