"""Lanes that wait for products with matrices that they share, in rounds (kernel/cuda/waiting.py).

A launch takes each lane to its next product, or long loop, or to its end; then, place by place, what lanes wait for is
done for all that wait. A product is CuPy's: their vectors are a matrix, a column a lane. Where all wait for it, or
have ended, it is taken from where the vectors lie to where the results go. A loop is a kernel, a thread for each of its
parts. Where lanes go on from one such place to a later one, that follows at once. Of all that is on the GPU the host
sees, each round, how many lanes are at which place.

This text is copied beside kernels that run by themselves.
"""

import importlib

import numpy as np
from numba import cuda

FEW = 4  # a product is taken for all lanes if at least one of so many waits for it and the others have ended


class WaitingLanes:
    """A kernel in rounds, launched as one without.

    end       where lanes have ended
    kept      dtype, and how many numbers of a lane, of each array that outlives a launch; the first has its vectors
    products  (place where lanes wait, where they go on, matrix, whether it is turned, vector, its size, result, its
              size): the matrix by its number among the arguments, counted from the last; the others by their first
              place in a lane's array, or below 0 like the matrix
    loops     (place where lanes wait, where they go on, kernel, which of the arrays and arguments it takes, parts)
    """

    def __init__(self, kernel, end, kept, products, loops=()):
        self.kernel, self.end, self.kept = kernel, end, kept
        self.stops = sorted([*products, *loops], key=lambda stop: stop[0])
        self.place = {stop[0]: k for k, stop in enumerate(self.stops)}
        self.through = {self.place[loop[0]] for loop in loops}
        self.bytes_of_lane = 8 + sum(size * np.dtype(dtype).itemsize for dtype, size in kept)

    def __getitem__(self, shape):
        return lambda lanes, *given: self.run(shape, lanes, given)

    def run(self, shape, lanes, given):
        try:
            library = importlib.import_module("cupy")
        except ImportError:
            raise RuntimeError("products that lanes share need CuPy: pip install cupy-cuda13x") from None
        with library.cuda.Stream.null:  # on which kernels are launched
            places = library.full(lanes, -1, np.int64)
            # Zeros, since lanes that have ended are multiplied too.
            kept = [library.zeros((size, lanes), dtype) for dtype, size in self.kept]
            # Known to numba-cuda once: at each launch it would ask CuPy's arrays what they are.
            seen, *arrays = map(cuda.as_cuda_array, (places, *kept))
            at_stops = library.asarray(np.array([self.end, *(stop[0] for stop in self.stops)]))[:, None]
            while True:
                self.kernel[shape](lanes, seen, *arrays, *given)
                ended, *waiting = map(int, library.asnumpy((places == at_stops).sum(axis=1)))
                if not any(waiting):
                    return
                for at, (waits, resumes, *_) in enumerate(self.stops):
                    if not waiting[at]:
                        continue
                    if at in self.through:
                        self.go_through(self.stops[at], shape[1], lanes, seen, (*arrays, *given))
                    else:
                        everyone = waiting[at] + ended == lanes <= FEW * waiting[at]
                        self.take(library, self.stops[at], everyone, places, kept[0], given)
                    places[slice(None) if waiting[at] == lanes else places == waits] = resumes
                    if resumes in self.place:  # which comes later
                        waiting[self.place[resumes]] += waiting[at]

    def go_through(self, loop, threads, lanes, places, given):
        """A loop of all that wait at it, with a thread for each of its parts."""
        _, _, kernel, taken, parts = loop
        kernel[-(-lanes * parts // threads), threads](lanes, places, *(given[k] for k in taken))

    def take(self, library, product, everyone, places, vectors, given):
        """One product for all that wait for it. What those that have ended are given nobody reads."""
        waits, _, matrix, turned, vector, size, result, rows = product
        shared = library.asarray(given[matrix])
        shared = shared.T if turned else shared
        columns = slice(None) if everyone else library.flatnonzero(places == waits)
        made = vectors[result : result + rows]
        if vector < 0:
            made[:, columns] = (shared @ library.asarray(given[vector]))[:, None]
        elif everyone:
            library.matmul(shared, vectors[vector : vector + size], out=made)
        else:
            made[:, columns] = shared @ vectors[vector : vector + size, columns]
