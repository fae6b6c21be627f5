"""What lanes can do side by side, in vector registers: which blocks, and blocks changed so that they can."""
