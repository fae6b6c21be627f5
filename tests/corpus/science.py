"""Programs as people of several fields write them, each shortened to what was once wrong or refused."""

import math
from dataclasses import dataclass

import numpy as np

from corpus.case import case

S = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, -0.2], [0.5, -0.2, 2.0]])
DATA = np.array([-1.2, -0.7, -1.9, 2.2, 1.4, 3.0])


def rotation(a, b):
    if b == 0:
        return 1.0, 0.0
    h = math.hypot(a, b)
    return a / h, b / h


@case((S,), (S + np.diag([0.0, 1.0, 2.0]),), (2.0 * S,), marks="arrays differentiable")
def triangle_by_rotations(a):
    """QR iteration: each sweep keeps a list of its rotations."""
    a = a.copy()
    n = len(a)
    for _ in range(6):
        rotations = []
        for k in range(n - 1):
            c, s = rotation(a[k, k], a[k + 1, k])
            a[k : k + 2] = np.array([[c, s], [-s, c]]) @ a[k : k + 2]
            rotations.append((k, c, s))
        for k, c, s in rotations:
            a[:, k : k + 2] = a[:, k : k + 2] @ np.array([[c, -s], [s, c]])
    return np.diag(a)


@case((DATA, np.array([-0.5, 1.0])), (DATA[::-1] + 0.1, np.array([0.0, 2.0])), marks="arrays differentiable")
def mixture_by_em(x, mu):
    """The parameters are a dict, whose values each round replaces."""
    p = dict(w=np.full(len(mu), 0.5), mu=mu, sd=np.ones(len(mu)))
    last = -np.inf
    for _ in range(8):
        dens = p["w"] * np.exp(-0.5 * ((x[:, None] - p["mu"]) / p["sd"]) ** 2) / p["sd"]
        total = dens.sum(axis=1, keepdims=True)
        ll = np.log(total).sum()
        resp = dens / total
        nk = resp.sum(axis=0)
        m = resp.T @ x / nk
        p.update(w=nk / nk.sum(), mu=m, sd=np.sqrt((resp * (x[:, None] - m) ** 2).sum(axis=0) / nk))
        if abs(ll - last) < 1e-3:
            break
        last = ll
    return p["mu"], p["sd"], ll


@case(1.0, 0.7, 2.0)
def halved_until_it_repeats(x):
    """What is read of the list's end is there from the third round on."""
    seen = []
    for k in range(40):
        x = max(0.5 * x, 0.01)
        seen.append(x)
        if k > 1:
            if x > 5.0:
                break
            if seen[-1] == seen[-2] == seen[-3]:
                break
    return x, k


@case(1.0, 0.7, 2.0, marks="arrays grows")
def decay_until_it_is_slow(x):
    seen = [x]
    k = 0
    while x > 1e-3:
        x *= 0.8
        seen.append(x)
        k += 1
        if k > 3 and seen[-4] - x < 0.05:
            seen[-4] = 0.0
            break
    return np.array(seen)


@dataclass
class Quaternion:
    w: float
    x: float
    y: float
    z: float

    def __mul__(self, o):
        if not isinstance(o, Quaternion):
            return Quaternion(self.w * o, self.x * o, self.y * o, self.z * o)
        return Quaternion(
            self.w * o.w - self.x * o.x - self.y * o.y - self.z * o.z,
            self.w * o.x + self.x * o.w + self.y * o.z - self.z * o.y,
            self.w * o.y - self.x * o.z + self.y * o.w + self.z * o.x,
            self.w * o.z + self.x * o.y - self.y * o.x + self.z * o.w,
        )

    __rmul__ = __mul__

    def __add__(self, o):
        return Quaternion(self.w + o.w, self.x + o.x, self.y + o.y, self.z + o.z)

    @property
    def norm(self):
        return math.sqrt(self.w**2 + self.x**2 + self.y**2 + self.z**2)

    @classmethod
    def from_axis(cls, axis, angle):
        return cls(math.cos(angle / 2), *(math.sin(angle / 2) * a for a in axis))


@case((np.array([0.3, 0.2, 1.0]), 0.05), (np.array([1.0, 0.5, -0.2]), 0.1), marks="arrays differentiable")
def turning_body(w, dt):
    """A rigid body without torque: its loop calls methods, and fails where a quaternion is nothing."""
    inertia = np.array([1.0, 2.0, 3.5])
    w = w.copy()
    q = Quaternion.from_axis((0.0, 0.0, 1.0), 0.3)
    for _ in range(10):
        w += dt * np.cross(inertia * w, w) / inertia
        x, y, z = w
        q = q + 0.5 * dt * (q * Quaternion(0.0, x, y, z))
        if q.norm == 0.0:
            raise ArithmeticError("no direction")
        q = q * (1.0 / q.norm)
    return q.w, q.x + q.z, w


@case((100.0, 0.2), (104.0, 0.25), (96.0, 0.3), marks="arrays grows")
def american_put(spot, sigma):
    """A binomial tree, whose row of values gets shorter."""
    n, dt, rate = 12, 0.05, 0.03
    u = math.exp(sigma * math.sqrt(dt))
    p = (math.exp(rate * dt) - 1.0 / u) / (u - 1.0 / u)
    if not 0.0 < p < 1.0:
        raise ValueError("no such tree")
    value = np.maximum(101.0 - spot * u ** np.arange(n, -n - 1, -2), 0.0)
    for i in range(n - 1, -1, -1):
        value = math.exp(-rate * dt) * (p * value[:-1] + (1.0 - p) * value[1:])
        value = np.maximum(value, 101.0 - spot * u ** np.arange(i, -i - 1, -2))
    return value[0]


@case((0.4, 3.0), (0.7, 1.0), (0.1, 5.0), marks="arrays differentiable")
def implicit_euler(k, h):
    """Newton's steps are added to a copy, which could be a list's to a reader of the text."""
    y = np.array([1.0, 0.5])
    for _ in range(4):
        z = y.copy()
        for _ in range(20):
            f = z - y - h * np.array([-k * z[0] + z[1] ** 2, k * z[0] - z[1] ** 2])
            d = h * 2.0 * z[1]
            jacobian = np.array([[1.0 + h * k, -d], [-h * k, 1.0 + d]])
            dz = np.linalg.solve(jacobian, -f)
            z += dz
            if np.max(np.abs(dz)) < 1e-12:
                break
        else:
            raise ArithmeticError("no convergence")
        y = z
    return y


@case(
    (np.array([0.0, 0.8, 1.2]), np.array([0.5, 0.7]), np.array([10.0, 5.0, 3.0])),
    (np.array([0.1, 0.9, 1.0]), np.array([0.6, 0.4]), np.array([1.0, 2.0, 3.0])),
    marks="arrays differentiable",
)
def leslie_growth(fecundity, survival, n):
    """An age-structured population, whose matrix is filled below its diagonal."""
    a = np.zeros((len(fecundity),) * 2)
    a[0] = fecundity
    a[range(1, len(fecundity)), range(len(survival))] = survival
    for _ in range(6):
        new = a @ n
        growth = new.sum() / n.sum()
        n = new / new.sum()
    return growth, n


@case((1.5, 2.0), (0.5, -1.0), (2.0, 0.0))
def traces_of_two_chains(x, step):
    """Two lists that a display has, one of which is changed afterwards."""
    us, ws = [x, x + step], [x, x - step]
    best = [v for v in (us, ws)]
    for v in (us, ws):
        last = v
    us[0] = -9.0
    ws[1] = 5.0
    return best[0][0] + last[1], us[0] * 2.0 + ws[0]


@case((1.0, 0.3), (2.0, 0.1), (-1.0, 0.25), marks="differentiable arrays")
def descent_with_history(x, rate):
    """A history of losses and steps, in a dict."""
    history = {"loss": [], "x": [x], "best": 1e9}
    for _ in range(6):
        x = x - rate * (2.0 * x + np.cos(x))
        history["x"].append(x)
        history["loss"].append(x * x + np.sin(x))
        if history["loss"][-1] < history["best"]:
            history["best"] = history["loss"][-1]
    return np.array(history["loss"]), history["best"] + history["x"][2]


def grown(rates, n):
    for _ in range(4):
        n = rates * n
    return n


@case(
    (np.array([0.5, 1.1, 0.9]), np.array([1.0, 2.0, 3.0])),
    (np.array([1.5, 0.1, 0.3]), np.array([-1.0, 0.5, 2.0])),
    marks="arrays differentiable",
)
def total_of_what_a_loop_leaves(rates, n):
    """The helper's loop leaves its array's size as it was."""
    return grown(rates, n).sum()
