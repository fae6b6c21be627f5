"""Names that a transformation might use itself, in every role."""

import math

import numpy as np

from corpus.case import case

stack = 3.0
nb = 2


@case((1.0, 2.0), (3.0, 4.0), marks="differentiable")
def taken_parameters(pc, lanes):
    stack = pc * lanes
    np_ = stack + pc
    nb = np_ * 2.0
    return nb


@case((1.0, 2.0), (3.0, 4.0), marks="differentiable")
def tangents_and_cotangents(x, x_bar):
    x_dot = x * x_bar
    x_bar = x_dot + x
    x_bar_2 = x_bar * x_dot
    return x_bar_2


@case(np.array([1.0, 2.0]), np.array([3.0, 4.0]), marks="arrays differentiable")
def builtins_as_names(sum):
    range = len(sum)
    _ = sum[0] * 2.0
    max = np.max(sum)
    abs = _ + max
    return abs * range


@case((2, 1.0), (3, 2.0), marks="differentiable")
def state_and_out(state, out):
    result = out
    for i in range(state):
        out = out * result
        t = out + i
        result = math.sin(t)
    returned, broke = result, out
    return returned + broke


@case(2.0, 3.0, marks="differentiable")
def shadows_a_global(x):
    stack = x * 2.0
    return stack + reads_the_global(x)


def reads_the_global(y):
    return y * stack + nb


@case((2.0, 3), (3.0, 1), marks="differentiable")
def underscores(_, __):
    ___ = _ * __
    for _ in range(__):
        ___ = ___ + _
    return ___


@case((2.0, 3), (3.0, 1), marks="differentiable")
def names_of_generated_code(t, n):
    go, flag, index, counter = t, 0.0, n, n
    while counter > 0:
        counter -= 1
        go = go + index
        flag = go * t
    return flag


@case((2.0, 3.0), (5.0, 4.0), marks="differentiable")
def np_is_a_number(numpy, math_):
    np = numpy * math_
    x_1, x_2 = np, numpy
    x = x_1 + x_2
    return x


def f(f):
    return f + 1.0


@case(2.0, 3.0, marks="differentiable")
def main_and_f(main):
    return f(main) * 2.0


@case((1, 5.0), (2, 6.0))
def keywords_of_other_languages(let, lambda_):
    true, null, self, end = let, lambda_, let * 2, lambda_ * 2
    return true + null + self + end


@case((3, 4.0), (2, 1.0))
def array_scalar_name_reused(x, y):
    x = np.full(3, y)
    x = x.sum()
    x = (x, y)
    x = x[0] + x[1]
    return x


@case((2.0, 3), (3.0, 1))
def named_as_results(out, n):
    out0, out1 = out, 0.0
    while n > 0:
        n -= 1
        out0, out1 = out1 * out, out0 + out1
    return out1, out0
