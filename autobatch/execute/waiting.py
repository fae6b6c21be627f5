"""Lanes that wait for products with matrices that they share, in rounds (kernel/cuda/waiting.py).

A launch takes each lane to its next product or to its end; then CuPy takes the product that most of them wait for, for
all of those at once: their vectors are a matrix, a column a lane. Where all wait for it, it is taken from where the
vectors lie to where the results go. Of all that is on the GPU the host sees, each round, how many lanes are at which
place.

This text is copied beside kernels that run by themselves.
"""

import importlib

import numpy as np


class WaitingLanes:
    """A kernel in rounds, launched as one without.

    end       where lanes have ended
    kept      dtype, and how many numbers of a lane, of each array that outlives a launch; the first has its vectors
    products  (place where lanes wait, where they go on, matrix, whether it is turned, vector, its size, result, its
              size): the matrix by its number among the arguments, counted from the last; the others by their first
              place in a lane's array, or below 0 like the matrix
    """

    def __init__(self, kernel, end, kept, products):
        self.kernel, self.end, self.kept, self.products = kernel, end, kept, products
        self.bytes_of_lane = 8 + sum(size * np.dtype(dtype).itemsize for dtype, size in kept)

    def __getitem__(self, shape):
        return lambda lanes, *given: self.run(self.kernel[shape], lanes, given)

    def run(self, kernel, lanes, given):
        try:
            library = importlib.import_module("cupy")
        except ImportError:
            raise RuntimeError("products that lanes share need CuPy: pip install cupy-cuda13x") from None
        places = library.full(lanes, -1, np.int64)
        # Zeros, since lanes that have ended are multiplied too.
        kept = [library.zeros((size, lanes), dtype) for dtype, size in self.kept]
        stops = library.asarray(np.array([self.end, *(p[0] for p in self.products)]))[:, None]
        while True:
            kernel(lanes, places, *kept, *given)
            ended, *waiting = library.asnumpy((places == stops).sum(axis=1))
            most = int(np.argmax(waiting))
            if not waiting[most]:
                return
            self.take(library, self.products[most], waiting[most], ended, places, kept[0], given)

    def take(self, library, product, waiting, ended, places, vectors, given):
        """One product for all that wait for it. What those that have ended are given nobody reads."""
        waits, resumes, matrix, turned, vector, size, result, rows = product
        shared = library.asarray(given[matrix])
        shared = shared.T if turned else shared
        everyone = waiting + ended == len(places)
        some = slice(None) if waiting == len(places) else places == waits
        columns = slice(None) if everyone else library.flatnonzero(some)
        made = vectors[result : result + rows]
        if vector < 0:
            made[:, columns] = (shared @ library.asarray(given[vector]))[:, None]
        elif everyone:
            library.matmul(shared, vectors[vector : vector + size], out=made)
        else:
            made[:, columns] = shared @ vectors[vector : vector + size, columns]
        places[some] = resumes
