"""Objects whose fields are assigned to: simulations, statistics, generators of numbers, stacks."""

from dataclasses import dataclass, replace

import numpy as np

from corpus.case import case


class Body:
    def __init__(self, x, v):
        self.x = x
        self.v = v

    def step(self, dt):
        a = -self.x
        self.v += dt * a
        self.x += dt * self.v


@case((1.0, 10), (0.5, 3), (-2.0, 0), marks="differentiable")
def oscillator(x, n):
    body = Body(x, 0.5)
    for _ in range(n):
        body.step(0.1)
    return body.x * body.v


@case((1.0, 10), (0.5, 30), (-2.0, 2), marks="differentiable")
def oscillator_left_early(x, n):
    body = Body(x, 0.5)
    for k in range(n):
        if body.v < -0.8:
            body.x += 1.0
            return body.x * k
        body.step(0.1)
    body.v *= 2.0
    return body.v


class Welford:
    """Running mean and variance."""

    def __init__(self):
        self.n = 0
        self.mean = 0.0
        self.m2 = 0.0

    def add(self, x):
        self.n += 1
        d = x - self.mean
        self.mean += d / self.n
        self.m2 += d * (x - self.mean)

    @property
    def variance(self):
        return self.m2 / (self.n - 1) if self.n > 1 else 0.0


@case(np.array([0.5, 1.5, -0.3]), np.array([2.0, 0.1, 1.0]), marks="differentiable arrays")
def running_statistics(xs):
    w = Welford()
    while w.n < len(xs):
        w.add(xs[w.n])
    return w.mean + w.variance


class Lcg:
    def __init__(self, seed):
        self.state = seed

    def next(self):
        self.state = (1103515245 * self.state + 12345) % 2147483648
        return self.state / 2147483648


@case(42, 7, 8)
def numbers_in_tests_and_comprehensions(seed):
    numbers = Lcg(seed)
    k = 0
    while numbers.next() < 0.8:
        k += 1
    three = [numbers.next() for _ in range(3)]
    return k + sum(three) * numbers.next(), numbers.state


class Pid:
    def __init__(self, kp, ki, kd):
        self.kp, self.ki, self.kd = kp, ki, kd
        self.reset()

    def reset(self):
        self.integral = 0.0
        self.last = None

    def control(self, error, dt):
        self.integral += error * dt
        slope = 0.0 if self.last is None else (error - self.last) / dt
        self.last = error
        return self.kp * error + self.ki * self.integral + self.kd * slope


@case((0.3, 5), (1.5, 2), (0.0, 0), marks="differentiable")
def controlled(x, n):
    pid = Pid(2.0, 0.5, 0.1)
    for _ in range(n):
        x += 0.1 * pid.control(1.0 - x, 0.1)
    return x


class Kalman:
    def __init__(self, q, r):
        self.x, self.P = np.zeros(2), np.eye(2)
        self.q, self.r = q, r

    def predict(self, dt):
        F = np.array([[1.0, dt], [0.0, 1.0]])
        self.x = F @ self.x
        self.P = F @ self.P @ F.T
        self.P[0, 0] += self.q
        self.P[1, 1] += self.q

    def update(self, z):
        gain = self.P[:, 0] / (self.P[0, 0] + self.r)
        self.x = self.x + gain * (z - self.x[0])
        self.P = self.P - np.outer(gain, self.P[0])


@case(np.array([0.5, 1.5, -0.3]), np.array([2.0, 0.1, 1.0]), marks="differentiable arrays")
def filtered(zs):
    state = Kalman(0.01, 0.1)
    total = 0.0
    for z in zs:
        state.predict(0.1)
        state.update(z)
        total += state.x[0]
    return total + state.P[0, 1]


@dataclass
class Point:
    x: float
    y: float = 0.0
    count: int = 0


@dataclass
class Pair:
    left: Point
    right: Point


def moved(p, dx):
    p.x += dx
    p.count += 1
    return p


@case(1.5, 0.5, -2.0, marks="differentiable")
def fields_under_two_names(x):
    p = Point(x)
    q = moved(p, 1.0)
    q.y = 2.0 * p.x
    moved(q, x)
    return p.x * p.y + p.count


@case(1.5, 0.5, -2.0, marks="differentiable")
def fields_in_branches(x):
    p = Point(x, x)
    if x > 1.0:
        p.x = 1.0
        p.count += 1
    elif x < 0.0:
        p.y -= 2.0
    q = Point(p.y) if x > 0.0 else Point(2.0, 1.0)
    q.x *= p.x
    return p.x * p.y + p.count + q.x * q.y + q.x


@case(1.5, 0.5, -2.0, marks="differentiable")
def objects_in_objects(x):
    pair = Pair(Point(x), Point(2.0 * x))
    pair.left.x += 1.0
    left = pair.left
    left.y = 5.0
    pair.right = left
    pair.right.x *= 3.0
    return pair.left.x + pair.left.y * pair.right.x


@case(0.7, 1.2, -0.4, marks="differentiable")
def objects_in_lists(x):
    bodies = [Body(x * k, 0.1) for k in range(3)]
    for _ in range(4):
        for each in bodies:
            each.step(0.1)
        for k in range(2):
            bodies[k].v += 0.1 * (bodies[k + 1].x - bodies[k].x)
    return sum(each.x * each.v for each in bodies)


@case((0.7, 3), (1.2, 4), (-0.4, 2), marks="differentiable")
def objects_made_anew(x, n):
    p, best = Point(x), Point(-5.0)
    for k in range(n):
        p = Point(0.5 * p.x + k, p.y)
        p.y += p.x
        if p.x > best.x:
            best = replace(p, count=k)
            best.y += 1.0
    return p.x * p.y + best.x + best.y * best.count


@case((1.0, 3), (1.5, 0), (0.5, 4), gives=((1.5, 3), (1.5, 0), (2.0, 4)), marks="widens")
def kinds_of_fields(x, n):
    p = Point(0)
    for _ in range(n):
        p.x += 0.5
        p.count += 1
    return p.x if n else x, p.count


@case((0.7, 3), (1.2, 5), (-0.4, 4), marks="recursive differentiable")
def fields_in_recursion(x, n):
    p = Point(x)

    def visit(k):
        if k > 0:
            p.x += 0.5 * k
            visit(k - 1)
            p.y += p.x

    visit(n)
    return p.x * p.y


@case(1.5, 0.5, -2.0)
def returned_objects(x):
    p = Point(x)
    if x > 1.0:
        p.y = 1.0
        return p
    moved(p, 2.0)
    return p


@case((0.5, 7), (1.5, 3), (2.5, 0), marks="grows")
def stack_of_numbers(x, n):
    stack = Stack()
    for k in range(n):
        stack.push(x * k)
        if k % 3 == 2:
            stack.push(stack.pop() + stack.pop())
    total = 0.0
    while len(stack) > 0:
        total = total * 0.5 + stack.pop()
    return total + stack.pushed


class Stack:
    def __init__(self):
        self.items = []
        self.pushed = 0

    def push(self, x):
        self.items.append(x)
        self.pushed += 1

    def pop(self):
        return self.items.pop()

    def __len__(self):
        return len(self.items)
