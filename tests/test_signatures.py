"""Calls of NumPy's functions and methods with each of their arguments: NumPy's answer, or a refusal by name."""

import re
import warnings
from typing import Any

import numpy as np
import pytest
from user_programs import loaded

from codegen import SourceError, jit

A = np.arange(12.0).reshape(3, 4) ** 1.5
VALUES = {
    "x": np.array([1.5, -2.0, 3.0]),
    "A": A,
    "B": np.arange(24.0).reshape(2, 3, 4),
    "i": np.array([3, -1, 2]),
    "f4": np.array([1.5, -2.0, 3.0], np.float32),
    "bl": np.array([True, False, True]),
}  # fmt: skip

# Each line is an expression. What NumPy raises is refused or raised too; nothing else is.
CALLS = {
    "elementwise": """
    np.clip(x, a_min=0.0, a_max=1.0)
    np.clip(x, 0.0, max=1.0)
    np.clip(x, min=0.0)
    np.clip(x, None, 1.0)
    np.clip(x, 0.0, 1.0, out=x)
    np.expand_dims(x, 0)
    np.expand_dims(x, -1)
    np.expand_dims(x, (0, 2))
    np.expand_dims(x, axis=(0, -1))
    np.expand_dims(x, 3)
    np.expand_dims(2.0, 0)
    np.where(x > 0, x, 0)
    np.where(i, 1, 2)
    np.where(x > 0)
    np.where(x > 0, f4, 1)
    np.where(bl, i, 0.5)
    np.where(bl, True, 2)
    np.where(bl, bl, False)
    np.where(True, x, A[:, :3])
    np.where([True, False, True], x, 0)
    np.where(bl, [1, 2, 3], i)
    np.add(x, 1, out=x)
    np.add(x, i, dtype=np.float32)
    np.add(i, i, dtype=float)
    np.add(x, x, dtype=int)
    np.sqrt(np.abs(i), dtype=np.float32)
    np.exp(x, np.zeros(3))
    np.exp(x, np.zeros(2))
    np.exp(x, np.zeros((2, 3)))
    np.exp(x, out=np.zeros(3, np.float32))
    np.exp(x, out=np.zeros(3, int))
    np.exp(x, where=x > 0, out=np.ones(3))
    np.divide(x, i, out=np.zeros_like(x), where=i > 0)
    np.exp(x, where=x > 0)
    np.exp(x, casting="unsafe")
    np.exp(x, order="F")
    np.exp(x=x)
    np.exp(x, 1)
    np.exp(x, foo=1)
    np.exp()
    np.add(1)
    np.greater(x, 0, out=np.zeros(3, bool))
    """,
    "reductions": """
    np.sum(A, axis=(0, 1))
    np.sum(A, (1,))
    np.sum(B, axis=(0, 2), keepdims=True)
    np.sum(B, axis=(-1, -1))
    np.sum(x, initial=3.0)
    np.sum(i, initial=3)
    np.sum(x, where=x > 0)
    np.sum(A, axis=0, where=x[:, None] > 0)
    np.sum(A, 0, None, None, True)
    np.sum(x, axis=1)
    np.sum(x, axis=())
    np.sum(bl, axis=())
    np.sum(True)
    np.sum(2.5, axis=0)
    np.sum(2.5, axis=-1, keepdims=True)
    np.sum(x, out=np.zeros(()))
    np.prod(x, where=x > 0)
    np.prod(x, initial=2.0)
    np.prod(i, dtype=np.float32)
    np.max(x, initial=10.0)
    np.max(x, initial=-10.0)
    np.max(x[:0], initial=-10.0)
    np.max(A, axis=0, initial=7.0)
    np.max(A, axis=1, initial=7.0, keepdims=True)
    np.max(A, initial=7.0, keepdims=True)
    np.max(x, where=x < 3, initial=-5.0)
    np.max(x, where=x < 3)
    np.min(A, (0, 1))
    np.amax(A, axis=-1)
    np.amin(x, keepdims=True)
    np.any(x, where=bl)
    np.all(A, axis=1)
    np.all(A, axis=(0, 1), keepdims=True)
    np.any(2.0)
    np.all(0)
    np.argmax(A, axis=1)
    np.argmax(A)
    np.argmin(A, axis=0, keepdims=True)
    np.argmin(A, keepdims=True)
    np.argmax(3.0)
    np.argmax(A, axis=-3)
    np.cumsum(A)
    np.cumsum(A, axis=1)
    np.cumsum(i, dtype=np.float64)
    np.cumsum(3.0)
    np.cumsum(bl)
    np.mean(A, axis=(0, 1))
    np.mean(i)
    np.mean(i, dtype=np.float32)
    np.mean(f4)
    np.mean(f4, dtype=np.float64)
    np.mean(A, where=A > 2)
    np.mean(bl, keepdims=True)
    np.mean(3)
    np.var(A, ddof=1)
    np.var(x, ddof=4)
    np.var(x, ddof=3)
    np.var(x, correction=1)
    np.var(A, axis=0, mean=np.mean(A, axis=0, keepdims=True))
    np.std(A, axis=1, ddof=1, keepdims=True)
    np.std(f4, correction=1)
    np.std(i, dtype=np.float32)
    np.var(bl)
    np.var(x[:0])
    np.mean(x[:0])
    np.linalg.norm(A)
    np.linalg.norm(A, axis=1)
    np.linalg.norm(A, "fro")
    np.linalg.norm(A, axis=(0, 1), keepdims=True)
    np.linalg.norm(B)
    np.linalg.norm(x, 2)
    np.linalg.norm(x, 1)
    np.linalg.norm(x, ord=np.inf)
    np.linalg.norm(A, 2, axis=1)
    np.linalg.norm(A, 2)
    np.linalg.norm(i)
    np.linalg.norm(f4)
    np.linalg.norm(np.array(3.0))
    np.sum(A, axis=0, out=np.zeros(4))
    np.sum(A, axis=0, out=np.zeros((2, 4)))
    np.mean(A, 1, out=np.zeros(3))
    np.cumsum(x, out=np.zeros(3))
    np.add.reduce(A)
    np.add.reduce(A, axis=None)
    np.add.reduce(A, 1)
    np.multiply.reduce(A, keepdims=True)
    """,
    "products": """
    np.trace(A, offset=1)
    np.trace(A, offset=-1)
    np.trace(A, 2, 1, 0)
    np.trace(B)
    np.trace(B, axis1=2, axis2=0)
    np.trace(i.reshape(1,3), dtype=np.float32)
    np.cross(A[:, :3], x)
    np.cross(A[:, :3], x, axisa=0)
    np.cross(x, A[:, :3], axis=1)
    np.cross(A, A[:, ::-1], axis=0)
    np.cross(A, A[:, ::-1], axisa=0, axisb=0, axisc=0)
    np.cross(B, B[:, ::-1], axis=1)
    np.cross(i, x)
    np.inner(1.5, A)
    np.inner(A, 2.0)
    np.inner(A, A)
    np.inner(x, A.T)
    np.inner(A.T, x)
    np.inner(2.0, 3.0)
    np.dot(2.0, A)
    np.dot(2, 3)
    np.dot(A.T, x)
    np.vdot(A, A)
    np.vdot(2.0, 3.0)
    np.vdot(x, x)
    np.vdot(x, 3.0)
    np.outer(2.0, x)
    np.outer(x, A)
    np.outer(2.0, 3.0)
    np.outer(x, x, out=np.zeros((3, 3)))
    np.matmul(A, A.T, out=np.zeros((3, 3)))
    np.dot(x, x, out=np.zeros(()))
    np.matmul(x, 2.0)
    np.matmul(A, A)
    A @ np.ones(4)
    """,
    "making": """
    np.diag(x, k=1)
    np.diag(x, -2)
    np.diag(A, k=1)
    np.diag(A, -1)
    np.diag(A, 7)
    np.diag(bl)
    np.diag(i)
    np.diag(f4)
    np.zeros((2, 3), np.int32)
    np.zeros(3, dtype=bool)
    np.zeros(shape=(2, 2))
    np.zeros(3, order="F")
    np.ones(2, float)
    np.full((2, 2), x[:2])
    np.full(3, 2)
    np.full(3, 2.5, dtype=np.int32)
    np.full(3, x[0], dtype=int)
    np.full(fill_value=1.0, shape=(2,))
    np.full((), 3.0)
    np.zeros(())
    np.zeros_like(A, dtype=np.float32)
    np.zeros_like(2.0)
    np.ones_like(A, shape=(2, 2))
    np.ones_like(i)
    np.full_like(i, 2.7)
    np.full_like(A, fill_value=2)
    np.zeros_like([1, 2])
    np.arange(3)
    np.arange(1, 10, 3)
    np.arange(10, 1, -3)
    np.arange(3.5)
    np.arange(0.0, 1.0, 0.3)
    np.arange(1, 4, dtype=np.float32)
    np.arange(np.float32(3))
    np.arange(np.int32(3))
    np.arange(stop=3)
    np.arange(start=1, stop=3)
    np.arange(0, 5, 0)
    np.arange(5, 0)
    np.arange(2.0, 3, 0.25, dtype=int)
    np.linspace(0, 1, 5)
    np.linspace(x[0], x[1], 3)
    np.linspace(f4[0], f4[1], 3)
    np.linspace(0, 1, num=4, endpoint=False)
    np.linspace(0, 1, 1)
    np.linspace(0, 1, 0)
    np.linspace(x, 1.0, 4)
    np.linspace(x, 1.0, 4, axis=1)
    np.linspace(x, x + 1, 3, axis=-1)
    np.linspace(0, 10, 4, dtype=int)
    np.linspace(0, 1, 5, retstep=True)
    np.linspace(-1, 1, 7)[-1] == 1.0
    np.linspace(1, 2, -1)
    np.eye(3)
    np.eye(2, 3)
    np.eye(3, k=1)
    np.eye(N=2, M=4, k=-1, dtype=int)
    np.eye(-1)
    np.identity(2)
    np.identity(n=2, dtype=np.float32)
    np.array([1, 2.5])
    np.array([True, 2])
    np.array([x, x * 2])
    np.array([[1, 2], [3, 4]], dtype=np.float32)
    np.array([])
    np.array(x, ndmin=2)
    np.array(x, copy=False)
    np.array(2.5) * f4
    np.array([f4[0], 1.0])
    np.array([[1, 2], [3]])
    np.asarray(x)
    np.asarray([1, 2])
    np.asarray(x, dtype=np.float32)
    np.asarray(x, np.int64)
    """,
    "shapes": """
    np.swapaxes(B, axis1=0, axis2=1)
    np.swapaxes(B, -1, 0)
    np.swapaxes(B, 3, 0)
    np.transpose(A, axes=(1, 0))
    np.transpose(B, (0, -1, 1))
    np.transpose(B, (0, 0, 1))
    np.transpose(A, (1,))
    np.stack([x, x])
    np.stack((x, i), axis=1)
    np.stack((x, i), axis=-1)
    np.stack(A)
    np.stack(A, axis=1)
    np.stack(B, axis=-1)
    np.stack([x, A[0]])
    np.stack((x, x), axis=3)
    np.stack((x, x), dtype=np.float32)
    np.stack([1.0, 2.0])
    np.concatenate(A)
    np.concatenate(B)
    np.concatenate(B, axis=1)
    np.concatenate(B, axis=-1)
    np.concatenate(B, axis=None)
    np.concatenate(x)
    np.concatenate((A, A), axis=1)
    np.concatenate((A, A), -1)
    np.concatenate((A, A), 2)
    np.concatenate((A, x), axis=None)
    np.concatenate((x, i), dtype=np.float32)
    np.concatenate((x, [1, 2]))
    np.concatenate(([1], [2.0]))
    np.concatenate((A, x))
    np.concatenate((x, bl))
    np.concatenate([])
    np.concatenate((x,))
    np.hstack(A)
    np.hstack(B)
    np.hstack(x)
    np.hstack((x, 2.0))
    np.hstack((1, 2))
    np.hstack((A, A))
    np.hstack((x, i), dtype=np.float32)
    np.append(x, 2)
    np.append(x, [1, 2])
    np.append(x, A)
    np.append(A, A, axis=0)
    np.append(A, A, axis=1)
    np.append(2.0, 3)
    np.append(i, 1.5)
    np.reshape(A, (4, 3))
    np.reshape(A, shape=(2, -1))
    np.reshape(A, -1)
    np.reshape(A, (4, 3), "F")
    np.reshape(A, (4, 3), order="C")
    np.reshape(A, (5, -1))
    np.reshape(A, (-2, 3))
    np.reshape(A, (-1, -1))
    np.reshape(x[:0], (0, 3))
    np.reshape(x[:0], (-1, 3))
    np.reshape([1, 2], (2, 1))
    np.reshape(2.0, (1,))
    np.ravel(A)
    np.ravel(A, "F")
    np.ravel(2.0)
    np.ravel([1, 2])
    np.squeeze(A[:1], axis=0)
    np.squeeze(A, axis=0)
    np.squeeze(A[None])
    np.squeeze(np.zeros((1, 2, 1)))
    np.squeeze(np.zeros((1, 2, 1)), axis=(0, 2))
    np.moveaxis(B, 0, -1)
    np.moveaxis(B, (0, 1), (-1, 0))
    np.moveaxis(B, source=2, destination=0)
    np.moveaxis(B, 3, 0)
    np.broadcast_to(x, (2, 3))
    np.broadcast_to(x, shape=(2, 3))
    np.broadcast_to(2.0, 3)
    np.broadcast_to(x, (3, 2))
    np.broadcast_to(x, (2, -3))
    np.flip(x)
    np.flip(A)
    np.flip(A, axis=1)
    np.flip(B, axis=(0, -1))
    np.flip(A, 2)
    np.roll(x, 1)
    np.roll(x, -4)
    np.roll(A, 5)
    np.roll(A, shift=1, axis=0)
    np.roll(A, (1, 2), axis=(0, 1))
    np.roll(A, 1, axis=(0, 1))
    np.roll(A, (1, 2), axis=0)
    np.roll(x, (1, 1))
    np.roll(x[:0], 1)
    np.roll(x[:0], 3)
    np.roll(A[:0], 1, axis=0)
    np.roll(A[:0], 1, axis=1)
    np.roll(A, 1, axis=2)
    np.roll(3.0, 1)
    np.tile(x, 2)
    np.tile(x, 0)
    np.tile(x, (2,))
    np.tile(x, (2, 2))
    np.tile(A, 2)
    np.tile(A, (2, 1))
    np.tile(A, (2, 3, 1))
    np.tile(2.0, 3)
    np.tile(x, -1)
    np.diff(x)
    np.diff(A)
    np.diff(A, axis=0)
    np.diff(A, 2)
    np.diff(x, n=0)
    np.diff(x, 5)
    np.diff(bl)
    np.diff(x, prepend=0)
    np.diff(A, prepend=0.0, append=1.0)
    np.diff(A, axis=0, append=A[:1])
    np.diff(x, n=-1)
    np.diff(3.0)
    np.diff(x[:0])
    np.take(x, 1)
    np.take(A, 5)
    np.take(A, [0, 1])
    np.take(A, np.array([0, 2]), axis=1)
    np.take(A, indices=1, axis=0)
    np.take(A, 9, axis=0)
    np.take(x, 5, mode="wrap")
    np.take(A, 0, axis=2)
    """,
    "methods": """
    A.sum(axis=1)
    A.sum(1, keepdims=True)
    A.sum((0, 1))
    A.sum(initial=2.0)
    A.prod(0)
    A.max(0)
    A.max(axis=1, initial=3.0)
    A.min(initial=-3.0)
    A.mean(0)
    A.mean(axis=0, keepdims=True)
    A.std(0, ddof=1)
    A.var(ddof=1)
    A.any()
    A.all(axis=0)
    A.argmax(1)
    A.argmin(axis=0, keepdims=True)
    A.cumsum()
    A.cumsum(axis=1)
    A.dot(A.T)
    A.trace(1)
    A.trace(offset=1)
    A.clip(1.0, 2.0)
    A.clip(min=1.0)
    A.clip(max=1.0)
    A.clip(a_min=1.0)
    A.ravel()
    A.flatten()
    A.ravel("F")
    A.ravel(order="C")
    A.reshape(4, 3)
    A.reshape((4, 3))
    A.reshape(-1)
    A.reshape(2, -1, order="C")
    A.reshape(2, -1, order="F")
    A.transpose()
    A.transpose(1, 0)
    A.transpose((1, 0))
    A.T
    A.astype(np.float32)
    A.astype(int)
    A.astype("f4")
    A.astype(np.int64, casting="safe")
    A.astype(dtype=np.float32, copy=False)
    A.copy()
    A.copy(order="F")
    A.item(3)
    A.item(1, 2)
    A.item()
    x[:1].item()
    A.size, A.ndim, A.shape
    A.sum(foo=1)
    f4.item(1) + x[:1]
    f4.sum(), f4.mean(), f4.std(), f4.max(), f4.cumsum()
    i.sum(), i.mean(), i.prod(), i.max(), i.var()
    bl.sum(), bl.mean(), bl.prod(), bl.max(), bl.any(), bl.argmax()
    """,
}

# What NumPy has and we have not: refused, by these words.
REFUSED = {
    'np.where(x > 0)': 'where of a condition alone gives a number of places that is not known: use a loop',
    'np.exp(x, where=x > 0)': 'exp: what where= leaves out has no value: give out=, or use np.where',
    'np.exp(x, casting="unsafe")': 'numpy.exp: the argument casting= is not supported',
    'np.exp(x, order="F")': 'numpy.exp: the argument order= is not supported',
    'np.sum(x, out=np.zeros(()))': 'return arrays must be of ArrayType',
    'np.linalg.norm(x, 1)': 'norm: only the Euclidean norm is supported (ord=None)',
    'np.linalg.norm(x, ord=np.inf)': 'norm: only the Euclidean norm is supported (ord=None)',
    'np.linalg.norm(A, 2)': 'norm: only the Euclidean norm is supported (ord=None)',
    'np.dot(x, x, out=np.zeros(()))': 'return arrays must be of ArrayType',
    'np.zeros(3, order="F")': 'numpy.zeros: the argument order= is not supported',
    'np.arange(2.0, 3, 0.25, dtype=int)': 'arange of floats in dtype i8 is not supported: make floats and cast them',
    'np.linspace(0, 1, 5, retstep=True)': 'numpy.linspace: the argument retstep= is not supported',
    'np.array(x, ndmin=2)': 'numpy.array: the argument ndmin= is not supported',
    'np.array(x, copy=False)': 'numpy.array: the argument copy= is not supported',
    'np.reshape(A, (4, 3), "F")': 'numpy.reshape: the argument order= is not supported',
    'np.reshape(A, (-2, 3))': 'negative dimensions are not allowed',
    'np.ravel(A, "F")': 'numpy.ravel: the argument order= is not supported',
    'np.take(x, 5, mode="wrap")': 'numpy.take: the argument mode= is not supported',
    'A.ravel("F")': "order='F' is not supported: arrays are in C order",
    'A.reshape(2, -1, order="F")': "order='F' is not supported: arrays are in C order",
    'A.copy(order="F")': "order='F' is not supported: arrays are in C order",
}  # fmt: skip


def lines(name: str) -> list[str]:
    return [line.strip() for line in CALLS[name].strip().splitlines()]


def named(text: str) -> list[str]:
    """The values that an expression reads."""
    return [name for name in VALUES if re.search(rf"(?<![\w.]){name}\b(?!=[^=])", text)]


def outcome(function: Any, names: list[str]) -> Any:
    """What a call gives, or the exception that it raises."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return function(*(VALUES[name].copy() for name in names))
    except Exception as error:
        return error


def difference(got: Any, want: Any) -> str | None:
    """In what two results differ."""
    if isinstance(want, tuple):
        if not isinstance(got, tuple) or len(got) != len(want):
            return f"{got!r} for {want!r}"
        return next((d for g, w in zip(got, want) if (d := difference(g, w))), None)
    g, w = np.asarray(got), np.asarray(want)
    if (g.dtype, g.shape) != (w.dtype, w.shape):
        return f"{g.dtype}{g.shape} for {w.dtype}{w.shape}"
    tolerance = 1e-5 if w.dtype == np.float32 else 1e-12
    same = (
        np.allclose(g, w, tolerance, tolerance, equal_nan=True)
        if w.dtype.kind == "f"
        else np.array_equal(g, w)
    )
    return None if same else f"{got!r} for {want!r}"


def complaint(text: str, target: str = "numpy") -> str | None:
    """What is wrong with a compiled expression."""
    names = named(text)
    plain = loaded(f"def f({', '.join(names)}):\n    return {text}\n")
    want, got = outcome(plain, names), outcome(jit(plain, target=target), names)
    if text in REFUSED:
        assert isinstance(got, SourceError)
        return None if got.msg == REFUSED[text] else got.msg
    if isinstance(want, Exception) or isinstance(got, Exception):
        fits = isinstance(got, SourceError) or isinstance(want, type(got))
        return None if isinstance(want, Exception) and fits else f"{got!r} for {want!r}"
    return difference(got, want)


@pytest.mark.parametrize("family", CALLS)
def test_calls_are_numpys_or_refused(family: str) -> None:
    found = {text: wrong for text in lines(family) if (wrong := complaint(text)) is not None}
    assert found == {}
