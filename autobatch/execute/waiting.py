"""Lanes that wait for products with matrices that they share, in rounds (kernel/cuda/waiting.py).

A launch takes each lane to its next product, or long loop, or to its end; then, place by place, what lanes wait for is
done for all that wait. A product is CuPy's: their vectors are a matrix, a column a lane. Where all wait for it, or
have ended, it is taken from where the vectors lie to where the results go. A loop is a kernel, a thread for each of its
parts. Where what lanes wait for is followed by something else, that is done at once. Of all that is on the GPU the host
sees, each round, how many lanes have stopped at which place, as they have counted it; where they go on they know.

Where there is one place at which lanes come to wait, each is there or has ended. Then nobody need be asked what comes
next, and after the first rounds each is begun before the host sees how the one before has ended:

    GPU      products 8 | lanes 8 | products 9 | lanes 9 | products 10 | ...
    host       begins products 9, lanes 9; sees how many ended in lanes 8; begins products 10, ...

This text is copied beside kernels that run by themselves.
"""

import importlib

import numpy as np
from numba import cuda

FEW = 4  # a product is taken for all lanes if at least one of so many waits for it and the others have ended
ASKED = 8  # rounds at first, before rounds are begun ahead: the last one is for nobody


class WaitingLanes:
    """A kernel in rounds, launched as one without.

    end       where lanes have ended; the places where they wait are one, three, five after
    width     threads of a lane
    kept      dtype, and how many numbers of a lane, of each array that outlives a launch; the first has its vectors
    products  (places of lanes that wait for it, its own the last, matrix, whether it is turned, vector, its size,
              result, its size): the matrix by its number among the arguments, counted from the last; the others by
              their first place in a lane's array, or below 0 like the matrix
    loops     (places of lanes that wait for it, kernel, which of the arrays and arguments it takes, parts)
    """

    def __init__(self, kernel, end, width, kept, products, loops=()):
        self.kernel, self.end, self.width, self.kept = kernel, end, width, kept
        self.stops = sorted([*products, *loops], key=lambda stop: stop[0][-1])
        self.through = {loop[0] for loop in loops}
        self.one_place = sum(len(places) == 1 for places, *_ in self.stops) == 1  # the others follow it
        self.bytes_of_lane = 8 + sum(size * np.dtype(dtype).itemsize for dtype, size in kept)

    def __getitem__(self, shape):
        return lambda lanes, *given: self.run(shape[1], lanes, given)

    def run(self, threads, lanes, given):
        try:
            library = importlib.import_module("cupy")
        except ImportError:
            raise RuntimeError("products that lanes share need CuPy: pip install cupy-cuda13x") from None
        with library.cuda.Stream.null:  # on which kernels are launched
            places = library.full(lanes, -1, np.int64)
            stopped = library.zeros(len(self.stops) + 1, np.int64)
            # Zeros, since lanes that have ended are multiplied too.
            kept = [library.zeros((size, lanes), dtype) for dtype, size in self.kept]
            # Known to numba-cuda once: at each launch it would ask CuPy's arrays what they are.
            seen, counts, *arrays = map(cuda.as_cuda_array, (places, stopped, *kept))

            def launch():
                blocks = -(-lanes * self.width // threads)
                self.kernel[blocks, threads](lanes, seen, counts, *arrays, *given)

            def serve(stop, everyone):
                if stop[0] in self.through:
                    self.go_through(stop, threads, lanes, seen, (*arrays, *given))
                else:
                    self.take(library, stop, everyone, places, kept[0], given)

            number, before = 0, np.zeros(len(self.stops) + 1, np.int64)
            while True:
                launch()
                number += 1
                if number > ASKED and self.one_place and FEW * (lanes - int(before[0])) >= lanes:
                    before = self.ahead(library, lanes, launch, serve, stopped)
                counted = library.asnumpy(stopped)  # since the first round
                waiting, before = counted - before, counted
                if not waiting[1:].any():
                    return
                for stop in self.stops:
                    count = sum(int(waiting[(place - self.end + 1) // 2]) for place in stop[0])
                    if count:
                        serve(stop, count + int(counted[0]) == lanes <= FEW * count)

    def ahead(self, library, lanes, launch, serve, stopped):
        """Rounds for all lanes, until few are left: what was counted before the last launch."""
        side = library.cuda.Stream(non_blocking=True)

        def told():
            return stopped.copy(), library.cuda.Stream.null.record()

        last = told()
        while True:
            for stop in self.stops:
                serve(stop, True)
            launch()
            (counts, counted), last = last, told()
            side.wait_event(counted)
            before = counts.get(stream=side)
            if FEW * (lanes - int(before[0])) < lanes:
                return before

    def go_through(self, loop, threads, lanes, places, given):
        """A loop of all that wait at it, with a thread for each of its parts."""
        _, kernel, taken, parts = loop
        kernel[-(-lanes * parts // threads), threads](lanes, places, *(given[k] for k in taken))

    def take(self, library, product, everyone, places, vectors, given):
        """One product for all that wait for it. What those that have ended are given nobody reads."""
        waits, matrix, turned, vector, size, result, rows = product
        shared = library.asarray(given[matrix])
        shared = shared.T if turned else shared
        columns = slice(None)
        if not everyone:
            at = places == waits[0]
            for place in waits[1:]:
                at |= places == place
            columns = library.flatnonzero(at)
        made = vectors[result : result + rows]
        if vector < 0:
            made[:, columns] = (shared @ library.asarray(given[vector]))[:, None]
        elif everyone:
            library.matmul(shared, vectors[vector : vector + size], out=made)
        else:
            made[:, columns] = shared @ vectors[vector : vector + size, columns]
