"""Lanes that recurse by the host's own calls."""
