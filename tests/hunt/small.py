"""Arrays of few elements: made of numbers, moved, multiplied, written, carried through loops, branches and calls."""

from __future__ import annotations

import random
import re

from hunt.case import CALLS, Case

Shape = tuple[int, ...]
VECTORS: tuple[Shape, ...] = ((2,), (3,), (4,))
MATRICES: tuple[Shape, ...] = ((2, 2), (3, 3), (2, 3), (3, 2), (1, 2))
# Each takes expressions of its own shape (A, B), numbers (s, t), a vector (u: of its last axis) and a matrix.
ANY = (
    "A + B", "A - B", "A * B", "0.5 * (A + B)", "A * s", "s - A", "A / (1.5 + np.abs(B))", "np.maximum(A, B)", "-A",
    "np.where(A > B, A, s)", "np.abs(A)", "np.sin(A)", "A.copy()", "np.clip(A, -1.0, s)", "np.zeros_like(A) + s",
    "A[::-1]", "np.flip(A)", "np.full_like(A, s)", "np.cumsum(A, axis=0)", "np.roll(A, 1, axis=0)", "A % 2.0",
    "same(A)", "np.where(s > t, A, B)", "A if s > t else B", "np.float32(0.5) * A", "np.sort(A, axis=0)",
)  # fmt: skip
OF_VECTORS = (
    "np.array([{numbers}])", "np.zeros(N)", "np.ones(N)", "np.arange(N) * s", "np.full(N, s)", "(M @ A)[:N]",
    "np.concatenate((A[1:], A[:1]))", "np.append(A[:-1], s)", "np.diag(np.outer(A, B))", "np.linspace(s, t, N)",
    "np.stack((A, B))[0]", "np.stack((A, B))[:, 0][:1] + A", "turned(A)", "np.array([{numbers}], np.float32) * 1.0",
    "np.array([k * s for k in range(N)])", "A.reshape(1, N)[0]", "np.broadcast_to(s, (N,)) * A",
)  # fmt: skip
OF_MATRICES = (
    "np.zeros((R, C))", "np.ones((R, C)) * s", "np.array([{rows}])", "B.T.reshape(R, C)", "np.outer(V, U)",
    "np.stack(({vectors}))", "A * U", "A @ np.eye(C)", "np.eye(R) @ A", "A + V[:, None]", "A[:, ::-1]",
    "np.concatenate((A[1:], A[:1]))", "(A @ B.T) @ A", "np.broadcast_to(U, (R, C)) * 1.0",
    "A.reshape(-1).reshape(R, C)",    "np.transpose(np.stack(({vectors})).T)",
)  # fmt: skip
SCALARS = (
    "x[K]", "x[n % 3]", "0.5", "-1.25", "{e}[0{z}]", "{e}[-1{z}]", "np.sum({e})", "np.max({e})", "{v} @ {v2}",
    "np.trace({m})", "float(n)", "np.dot({v}, {v2})", "{v}.mean()", "np.min({e})", "n * 0.25", "{m}[0, -1]",
    "np.prod({v})", "len({v}) * 0.5", "{v}[np.argmax({v})]", "np.sqrt(np.sum({v} * {v}))", "{m}.sum(axis=0)[0]",
)  # fmt: skip


class Small:
    """One program: `shapes` of the names that are arrays."""

    def __init__(self, seed: int):
        self.pick = random.Random(f"small:{seed}")
        self.shapes: dict[str, Shape] = {}
        self.lines: list[str] = []
        self.left = 60  # of expressions, so that programs stay short

    def name(self, shape: Shape | None = None, rank: int | None = None) -> str:
        found = [n for n, s in self.shapes.items() if s == shape or (shape is None and len(s) == rank)]
        return (
            self.pick.choice(found)
            if found
            else self.made(shape or self.pick.choice(VECTORS if rank == 1 else MATRICES))
        )

    def made(self, shape: Shape) -> str:
        if len(shape) == 1:
            return f"np.array([{', '.join(self.number() for _ in range(shape[0]))}])"
        return f"np.array([{', '.join(self.row(shape[1]) for _ in range(shape[0]))}])"

    def row(self, n: int) -> str:
        return f"[{', '.join(self.number() for _ in range(n))}]"

    def number(self) -> str:
        return self.pick.choice(("x[0]", "x[1]", "x[2]", "0.5", "1.0", "-2.0", "0.0", "n", "3"))

    def array(self, shape: Shape, depth: int = 2) -> str:
        self.left -= 1
        if depth == 0 or self.left < 0 or self.pick.random() < 0.35:
            return self.name(shape)
        inner = lambda s=shape: self.array(s, depth - 1)  # noqa: E731
        text = self.pick.choice(ANY + 2 * (OF_VECTORS if len(shape) == 1 else OF_MATRICES))
        places = {
            "A": inner,
            "B": inner,
            "s": lambda: self.scalar(depth - 1),
            "t": lambda: self.scalar(depth - 1),
        }
        if len(shape) == 1:
            n = shape[0]
            places |= {"N": lambda: str(n), "M": lambda: self.array((max(n, 2), n) if n < 4 else (4, 4), 0)}
            text = text.replace("{numbers}", ", ".join(self.scalar(depth - 1) for _ in range(n)))
        else:
            rows, columns = shape
            places |= {
                "R": lambda: str(rows),
                "C": lambda: str(columns),
                "U": lambda: inner((columns,)),
                "V": lambda: inner((rows,)),
            }
            text = text.replace("{rows}", ", ".join(self.row(columns) for _ in range(rows)))
            text = text.replace(
                "{vectors}", ", ".join(self.array((columns,), depth - 1) for _ in range(rows)) + ","
            )
        return self.filled(text, places)

    def filled(self, text: str, places: dict[str, object]) -> str:
        """A template whose single letters are replaced, each by a text of its own."""
        made, before = "", ""
        for k, letter in enumerate(text):
            after = text[k + 1] if k + 1 < len(text) else ""
            alone = not re.match(r"[\w.]", before) and not re.match(r"\w", after)
            if letter in places and alone:
                inner = places[letter]()  # type: ignore[operator]
                made += inner if re.fullmatch(r"\w+|np\.\w+\([^()]*\)", inner) else f"({inner})"
            else:
                made += letter
            before = letter
        return made

    def scalar(self, depth: int = 1) -> str:
        text = self.pick.choice(SCALARS if depth > 0 else SCALARS[:6])
        vector = self.name(rank=1)
        shape = self.shapes.get(vector, (len(vector.split(",")),))
        anything = self.name(rank=self.pick.choice((1, 2)))
        z = (
            ", 0"
            if len(self.shapes.get(anything, (0,) * (1 + anything.startswith("np.array([[")))) == 2
            else ""
        )
        other = self.name(shape) if vector in self.shapes else vector
        return (
            text.replace("{e}", anything).replace("{z}", z).replace("{v2}", other).replace("{v}", vector)
            .replace("{m}", self.name(rank=2)).replace("K", str(self.pick.randrange(3)))
        )  # fmt: skip

    # statements

    def statement(self, indent: str, depth: int) -> None:
        pick, kind = self.pick, self.pick.random()
        name = pick.choice(list(self.shapes))
        shape = self.shapes[name]
        place = ", ".join(str(pick.randrange(-n, n)) for n in shape)
        if kind < 0.3:
            self.lines.append(f"{indent}{name} = {self.array(shape)}")
        elif kind < 0.5:
            sign = pick.choice(("=", "=", "+=", "-=", "*="))
            at = (
                place
                if len(shape) == 1 or pick.random() < 0.6
                else pick.choice((f"{place[-1]}", ":, 0", ":"))
            )
            value = self.scalar()
            self.lines.append(f"{indent}{name}[{at}] {sign} 0.5 * {value}" if at != "-" else f"{indent}pass")
        elif kind < 0.58:
            alike = [other for other, s in self.shapes.items() if s == shape]
            other = pick.choice(alike)
            self.lines.append(f"{indent}{name}, {other} = {other}, {self.array(shape)}")
        elif kind < 0.66:
            self.lines.append(f"{indent}total += {self.scalar()}")
        elif depth and kind < 0.78:
            self.lines.append(f"{indent}if {self.scalar()} > {pick.choice(('0.5', '-0.25', '1.0'))}:")
            self.block(indent + "    ", depth - 1)
            if pick.random() < 0.5:
                self.lines.append(f"{indent}else:")
                self.block(indent + "    ", depth - 1)
        elif depth and kind < 0.9:
            self.lines.append(f"{indent}for k in range({pick.choice(('n', '2', '3', 'len(x) - 1'))}):")
            self.block(indent + "    ", depth - 1)
            if pick.random() < 0.4:
                self.lines.append(f"{indent}    {name}[{', '.join(f'k % {n}' for n in shape)}] += 0.25")
        elif kind < 0.95:
            index = "i" if len(shape) == 1 else f"i, {pick.randrange(shape[1])}"
            self.lines += [
                f"{indent}for i in range({shape[0]}):",
                f"{indent}    {name}[{index}] = 0.5 * {name}[{index}] + i",
            ]
        else:
            self.lines.append(
                f"{indent}{name} = {name} * 0.5 if {self.scalar()} > 0.25 else {self.array(shape, 1)}"
            )

    def block(self, indent: str, depth: int) -> None:
        for _ in range(self.pick.randint(1, 2)):
            self.statement(indent, depth)


HELPERS = """def same(a):
    return 0.5 * a + 1.0


def turned(a):
    out = np.zeros(len(a))
    for k in range(len(a)):
        out[k] = a[len(a) - 1 - k] * 0.5
    return out
"""


def small(seed: int) -> Case:
    w = Small(seed)
    for k in range(w.pick.randint(2, 4)):
        shape = w.pick.choice(VECTORS + MATRICES)
        made = w.array(shape, 0)
        w.shapes[f"{'v' if len(shape) == 1 else 'm'}{k}"] = shape
        w.lines.append(f"    {list(w.shapes)[-1]} = {made}" + w.pick.choice(("", "", " * 1.0")))
    w.lines.append("    total = 0.0")
    for _ in range(w.pick.randint(2, 4)):
        w.statement("    ", 2)
    results = [name for name in w.shapes if w.pick.random() < 0.6]
    w.lines.append(f"    return total, {', '.join([*results, w.scalar()])}")
    body = "\n".join(w.lines)
    point = lambda: f"np.array({[round(w.pick.uniform(-1.5, 1.5), 2) for _ in range(3)]})"  # noqa: E731
    calls = "".join(f"        ({point()}, {w.pick.randint(0, 4)}),\n" for _ in range(CALLS))
    text = f"{HELPERS}\n\ndef f(x, n):\n{body}\n\n\ndef calls():\n    return [\n{calls}    ]\n"
    return Case("small", seed, text, ("jit-numpy", "jit-text", "jit-cuda", "batch-text"))
