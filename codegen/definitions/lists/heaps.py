"""Lists as heaps, whose items are where heapq has them: none is less than the one at (its place - 1) // 2."""

# mypy: disable-error-code="no-untyped-def"

from codegen.definitions.table import stands_for, within_lists


@within_lists
def risen(heap, top, place, item):
    """An item goes up from a free place, as long as those above it are greater."""
    while place > top:
        above = (place - 1) // 2
        if not item < heap[above]:
            break
        heap[place] = heap[above]
        place = above
    heap[place] = item


@within_lists
def sunk(heap, top, item):
    """Into the free place at the top: the lesser items below go up to the end of the list, then the item from there."""
    place, end = top, len(heap)
    while 2 * place + 1 < end:
        below = 2 * place + 1
        if below + 1 < end and not heap[below] < heap[below + 1]:
            below += 1
        heap[place] = heap[below]
        place = below
    risen(heap, top, place, item)


@stands_for("heapq.heappush")
def heappush(heap, item):
    heap.append(item)
    risen(heap, 0, len(heap) - 1, item)


@stands_for("heapq.heappop")
@within_lists
def heappop(heap):
    if not heap:
        raise IndexError("index out of range")
    last = heap.pop()
    if not heap:
        return last
    least = heap[0]
    sunk(heap, 0, last)
    return least


@stands_for("heapq.heapreplace")
@within_lists
def heapreplace(heap, item):
    if not heap:
        raise IndexError("index out of range")
    least = heap[0]
    sunk(heap, 0, item)
    return least


@stands_for("heapq.heappushpop")
@within_lists
def heappushpop(heap, item):
    if heap and heap[0] < item:
        least = heap[0]
        sunk(heap, 0, item)
        return least
    return item


@stands_for("heapq.heapify")
@within_lists
def heapify(heap):
    for k in range(len(heap) // 2):
        top = len(heap) // 2 - 1 - k
        sunk(heap, top, heap[top])


@stands_for("heapq.nlargest")
def nlargest(n, iterable, key=None):
    return sorted(iterable, key=key, reverse=True)[: max(n, 0)]


@stands_for("heapq.nsmallest")
def nsmallest(n, iterable, key=None):
    return sorted(iterable, key=key)[: max(n, 0)]
