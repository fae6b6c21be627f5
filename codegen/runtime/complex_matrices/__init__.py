"""Decompositions of complex matrices, of which a program has the parts."""
