"""Batching: one function for one example, over many lanes in lockstep."""
