"""Programs whose work is on rows of a matrix: what threads of a GPU share, and what they do not."""

import numpy as np


def normalised(X):
    mean = X.mean(axis=1)
    spread = X.std(axis=1)
    return (X - mean[:, None]) / spread[:, None]


def turned(X):
    """What a thread reads another one has written."""
    e = np.exp(X - X.max(axis=1)[:, None])
    return e[:, ::-1] / e.sum(axis=1)[:, None]


def of_all(X):
    """Numbers of all rows beside what is the rows' own."""
    top = X.max(axis=1)
    return top, np.sum(top), np.max(X.sum(axis=1) * top)


def of_ints(X):
    n = np.floor(X * 10.0).astype(np.int64)
    return n.max(axis=1), n.sum(axis=1) - n.min(axis=1), np.all(n > -9, axis=1)


def in_rows(X):
    """Loops, and a number of the row that is made anew in between."""
    out = np.zeros(X.shape)
    for i in range(len(X)):
        total = 0.0
        for j in range(X.shape[1]):
            total += X[i, j]
        total = total / X.shape[1]
        for j in range(X.shape[1]):
            out[i, j] = X[i, j] - total
    return out


def triangular(X):
    """Rows of lengths that are not known before."""
    out = np.zeros(len(X))
    for i in range(len(X)):
        for j in range(min(i, X.shape[1])):
            out[i] += X[i, j]
    return out


def running(X):
    """A row's work is a recurrence."""
    out = np.zeros(X.shape)
    for i in range(len(X)):
        s = 0.0
        for j in range(X.shape[1]):
            s = 0.5 * s + X[i, j]
            out[i, j] = s
    return out


def kept_back(X):
    """A row is written where it is read, by an element of it."""
    Y = X.copy()
    for i in range(len(Y)):
        first = Y[i, 0]
        for j in range(Y.shape[1]):
            Y[i, j] -= first
        Y[i, -1] = np.sum(Y[i])
        for j in range(Y.shape[1]):
            Y[i, j] *= Y[i, -1]
    return Y


def rows_and_all(X):
    """Numbers of all elements, beside those of rows."""
    return X.sum(axis=1), np.max(X), np.sum(X * X), 2.0 * np.min(X, axis=1)


def in_between(X):
    """A loop over another array between the one that writes and the one that reads what others wrote."""
    A, B, C = np.zeros(X.shape), np.zeros(X.shape), np.zeros(X.shape)
    for i in range(len(X)):
        for j in range(X.shape[1]):
            A[i, j] = 2.0 * X[i, j]
        for j in range(X.shape[1]):
            B[i, j] = 0.5 * B[i, j] + X[i, j]
        for j in range(X.shape[1]):
            C[i, j] = A[i, X.shape[1] - 1 - j]
    return A, B, C


PROGRAMS = (
    in_between,
    rows_and_all,
    normalised,
    turned,
    of_all,
    of_ints,
    in_rows,
    triangular,
    running,
    kept_back,
)
