"""Lanes in groups, side by side in vector registers; the whole is described in module.py."""
