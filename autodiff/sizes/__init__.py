"""Sizes of arrays in derivatives: which are one, and which become results or parameters."""
