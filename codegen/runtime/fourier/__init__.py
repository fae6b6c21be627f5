"""Discrete Fourier transforms: by NumPy (`sums.py`), and compiled: lines of arrays (`lines.py`), each in stages
(`stages.py`), alone in two steps (`two_steps.py`) or, of lengths with large prime factors, as a convolution
(`chirp.py`); roots of unity (`turns.py`)."""
