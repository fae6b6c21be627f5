"""Streams that a program makes for itself, of seeds and of other streams; what draws from them is `draws.py`."""
