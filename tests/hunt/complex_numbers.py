"""Complex numbers and arrays: operators, functions, writes into arrays and their parts, loops, branches, calls."""

from __future__ import annotations

import random

from hunt.case import CALLS, Case

NUMBERS = (
    "z", "w", "x", "1j", "2.0", "-0.5j", "complex(x, n)", "Z[0]", "Z[n % 3]", "Y[-1]", "X[n % 3]", "n", "(1 - 2j)",
    "complex(x)", "Z[1].real", "Y[0].imag", "np.complex64(z)", "float(n)", "np.complex128(x)",
)  # fmt: skip
OF_NUMBERS = (
    "{a} + {b}", "{a} - {b}", "{a} * {b}", "{a} / (2.5 + abs({b}))", "-{a}", "{a} ** 2", "({a}).conjugate()",
    "abs({a})", "({a}).real", "({a}).imag", "turned({a}, {b})", "({a}) * 1j", "np.exp(1j * abs({a}))",
    "cmath.exp(-abs({a}) * 1j)", "cmath.sqrt({a})", "np.sqrt({a} + 0j)", "np.conj({a})",
    "({a} if abs({b}) > 1 else {b})", "np.angle({a})", "cmath.phase({a})", "sum([{a}, {b}])", "np.sum(Z * {a})",
    "np.vdot(Z, Y)", "Z @ Y", "np.mean(Y)", "({a}) ** 3", "np.log(1.5 + abs({a}))", "({a} == {b})",
    "halved({a}, n % 3)", "np.prod(Z * 0.5)", "Z.sum() * {a}", "np.power({a}, 0.5 * n)", "(1.5 + abs({a})) ** {b}",
)  # fmt: skip
OF_ARRAYS = (
    "{A} + {B}", "{A} - {B}", "{A} * {B}", "{A} * {a}", "{a} - {A}", "{A} / (2.5 + np.abs({B}))", "-{A}",
    "{A}.conj()", "np.where(X > 0, {A}, {B})", "np.where(X > 0, {A}, {a})", "np.abs({A}) * 1j",
    "{A}.real + 1j * {B}.imag", "{A}[::-1]", "np.flip({A})", "np.roll({A}, 1)", "np.cumsum({A})", "{A}.copy()",
    "np.sqrt({A})", "np.exp(1j * X)", "X + 0j", "np.concatenate(({A}[1:], {B}[:1]))", "np.array([{a}, {b}, 1j])",
    "np.zeros(3, complex) + {a}", "{A} ** 2", "np.full(3, {a}) * {A}", "np.outer({A}, {B})[0]",
    "np.stack(({A}, {B}))[1]", "np.zeros_like({A})", "{A}.astype(complex)", "np.diag(np.outer({A}, {B}))",
    "np.fft.fft({A})", "np.fft.ifft({A})", "np.fft.fft({A}, norm='ortho')", "np.square({A})",
    "np.convolve({A}, {B})[:3]", "np.einsum('i,i->i', {A}, {B})", "{A} @ np.outer({B}, X)",
    "np.reciprocal(2.5 + np.abs({A}) + 0j)", "np.array([{a} * k for k in range(3)]) + 0j",
    "np.ones(3, complex) * {a}", "np.linspace(0, {a} + 1j, 3)",
)  # fmt: skip
TESTS = (
    "abs({a}) > 1.0",
    "({a}).real > 0.25",
    "{a} == {b}",
    "{a} != 0",
    "n % 2 == 0",
    "{a}",
    "np.all(np.isfinite(Z))",
)
HELPERS = """import cmath


def turned(a, b):
    return a * 1j + b


def halved(a, k):
    return a if k == 0 else halved(a * 0.5j, k - 1)
"""


class Program:
    def __init__(self, seed: int):
        self.pick = random.Random(f"complex:{seed}")
        self.lines: list[str] = []
        self.left = 40  # of expressions

    def number(self, depth: int = 2) -> str:
        self.left -= 1
        if depth == 0 or self.left < 0 or self.pick.random() < 0.3:
            return self.pick.choice(NUMBERS)
        return self.filled(self.pick.choice(OF_NUMBERS), depth - 1)

    def array(self, depth: int = 2) -> str:
        self.left -= 1
        if depth == 0 or self.left < 0 or self.pick.random() < 0.3:
            return self.pick.choice(("Z", "Y", "Z", "Y", "X"))
        return self.filled(self.pick.choice(OF_ARRAYS), depth - 1)

    def filled(self, text: str, depth: int) -> str:
        for key, make in (
            ("{a}", self.number),
            ("{b}", self.number),
            ("{A}", self.array),
            ("{B}", self.array),
        ):
            while key in text:
                text = text.replace(key, f"({make(depth)})" if depth else make(0), 1)
        return text

    def statement(self, indent: str, depth: int) -> None:
        kind, pick, name = self.pick.random(), self.pick, self.pick.choice("ZY")
        if kind < 0.25:
            self.lines.append(f"{indent}{pick.choice('zw')} = 0j + {self.number()}")
        elif kind < 0.37:
            self.lines.append(f"{indent}{name} = 0j + {self.array()}")
        elif kind < 0.4:
            other = pick.choice("ZY")
            self.lines.append(f"{indent}{name} = {pick.choice((other, f'0.5 * {name} + {other}'))}")
        elif kind < 0.55:
            sign = pick.choice(("=", "=", "+=", "-=", "*="))
            at = pick.choice(("0", "-1", "n % 3", ":2", "::2", "X > 0", "np.array([2, 0])"))
            self.lines.append(f"{indent}{name}[{at}] {sign} 0.5 * {self.number()}")
        elif kind < 0.62:
            part = pick.choice(("real", "imag"))
            value = f"abs({self.number()})"
            at = pick.choice(
                (f"{name}.{part}[n % 3] = {value}", f"{name}.{part} = X", f"{name}.{part}[1:] += {value}")
            )
            self.lines.append(f"{indent}{at}")
        elif kind < 0.68:
            self.lines.append(f"{indent}{name} {pick.choice(('+=', '*=', '-='))} 0.5 * {self.array(1)}")
        elif kind < 0.74:
            self.lines += [f"{indent}u = {name}[1:]", f"{indent}u[0] = {self.number()}"]
        elif kind < 0.8:
            self.lines.append(f"{indent}total += 0.25 * {self.number()}")
        elif depth and kind < 0.9:
            self.lines.append(f"{indent}if {self.filled(pick.choice(TESTS), 1)}:")
            self.block(indent + "    ", depth - 1)
            if pick.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self.block(indent + "    ", depth - 1)
        elif depth:
            self.lines.append(
                f"{indent}for {pick.choice(('k in range(n)', 'k in range(2)', 'each in Z.copy()'))}:"
            )
            self.block(indent + "    ", depth - 1)
        else:
            self.lines.append(f"{indent}total = total * 0.5j")

    def block(self, indent: str, depth: int) -> None:
        for _ in range(self.pick.randint(1, 2)):
            self.statement(indent, depth)


def complex_numbers(seed: int) -> Case:
    w = Program(seed)
    for _ in range(w.pick.randint(2, 5)):
        w.statement("    ", 2)
    results = [name for name in ("z", "w", "Z", "Y", "Z.real") if w.pick.random() < 0.6]
    w.lines.append(f"    return total, {', '.join([*results, w.array()])}")

    def part() -> str:
        return w.pick.choice((repr(round(w.pick.uniform(-1.5, 1.5), 2)), "0.0", "-0.0", "1.0", "-2.0"))

    def number() -> str:
        return f"complex({part()}, {part()})"

    def point() -> str:
        arrays = ", ".join(f"np.array([{', '.join(number() for _ in range(3))}])" for _ in range(2))
        reals = f"np.array([{', '.join(part() for _ in range(3))}])"
        return f"({number()}, {number()}, {float(part())}, {w.pick.randint(0, 3)}, {arrays}, {reals})"

    calls = "".join(f"        {point()},\n" for _ in range(CALLS))
    body = "\n".join(["    total = 0j", *w.lines])
    text = f"{HELPERS}\n\ndef f(z, w, x, n, Z, Y, X):\n{body}\n\n\ndef calls():\n    return [\n{calls}    ]\n"
    return Case("complex", seed, text, ("jit-numpy", "jit-text", "jit-numpy", "batch-text"))
