"""Texts: those that are put together when the program runs, and values in the user's words."""
