@cuda.jit
def in_place_kernel(lanes, places, waiting, F, failed, q_lanes, X, out0, out1, out2):
    """A warp a lane, which waits for products with X."""
    thread = cuda.grid(1)
    lane, thread = thread // 32, thread % 32
    if lane >= lanes:
        return
    pc = places[lane]
    if pc == 1:
        return
    if pc == 2:
        pc = 3
    low = 0.0
    fault = 0
    if pc == -1:
        failed[lane] = -2
        k = thread
        while k < 104:
            F[Q + k, lane] = q_lanes[lane, k]
            k += 32
        pc = 0
    while pc != 1:
        cuda.syncwarp()
        if pc == 0:  # in_place
            pc = 2
            break
        elif pc == 3:  # in_place, the product taken
            i = thread
            while i < 104:
                F[T2 + i, lane] = F[Q + i, lane] + F[T + i, lane]
                i += 32
            i = 1
            while i < 104:
                cuda.syncwarp()
                if thread == i % 32:
                    F[T2 + i, lane] = 0.5 * F[T2 + i, lane] + 0.25 * F[T2 + i - 1, lane]
                i += 1
            i = 0
            while i < 103:
                cuda.syncwarp()
                if thread == i % 32:
                    F[T2 + i, lane] += 0.1 * F[T2 + i + 1, lane]
                i += 1
            cuda.syncwarp()
            low = F[T2 + 3, lane]
            t3 = low + F[T2 + 7, lane]
            cuda.syncwarp()
            if thread == 5:
                F[T2 + 5, lane] = t3
            cuda.syncwarp()
            if thread == 6:
                F[T2 + 6, lane] = F[T2 + 6, lane] * t3
            cuda.syncwarp()
            i = thread
            while i < 104:
                t3 = F[T2 + i, lane]
                F[T2 + i, lane] = t3 * t3
                i += 32
            pc = 1
    places[lane] = pc
    if thread == 0:
        cuda.atomic.add(waiting, pc // 2, 1)
    if pc == 1:
        cuda.syncwarp()
        k = thread
        while k < 104:
            out0[lane, k] = F[T2 + k, lane]
            k += 32
        k = thread
        while k < 160:
            out1[lane, k] = F[T + k, lane]
            k += 32
        out2[lane] = low
        failed[lane] = fault
