import numpy as np


def room(stack, top):
    lanes, frames = stack.shape
    if top >= frames:
        return np.concatenate((stack, np.empty((lanes, max(frames, top + 1 - frames)), np.int64),), axis=1)
    return stack


def fib(n):
    lanes = len(n)
    pc = np.ones(lanes, np.int64)
    depth = np.zeros(lanes, np.int64)
    j = np.empty(lanes, np.int64)
    address = np.full(lanes, 5, np.int64)
    n_stack = np.empty((lanes, 8), np.int64)
    r_stack = np.empty((lanes, 8), np.int64)
    address_stack = np.empty((lanes, 8), np.int64)
    n = n.copy()
    while np.any(pc < 5):
        block = np.min(pc)
        at = np.flatnonzero(pc == block)
        if block == 0:
            address2 = address[at]
            j[at] = 1
            pc[at] = address2
        if block == 1:
            n2 = n[at]
            pc[at] = np.where(n2 <= 1, 0, 2)
        if block == 2:
            n2 = n[at]
            top = depth[at]
            top_max = np.max(top)
            n_stack = room(n_stack, top_max)
            n_stack[at, top] = n2
            address_stack = room(address_stack, top_max)
            address2 = address[at]
            address_stack[at, top] = address2
            depth[at] = top + 1
            n[at] = n2 - 1
            address[at] = 3
            pc[at] = 1
        if block == 3:
            top = depth[at] - 1
            n2 = n_stack[at, top]
            r_stack = room(r_stack, np.max(top))
            j2 = j[at]
            r_stack[at, top] = j2
            n[at] = n2 - 2
            address[at] = 4
            pc[at] = 1
        if block == 4:
            top = depth[at] - 1
            r = r_stack[at, top]
            address2 = address_stack[at, top]
            depth[at] = top
            j2 = j[at]
            j[at] = r + j2
            pc[at] = address2
    return j
