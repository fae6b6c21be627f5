"""Numbers and arrays of every dtype: operators, elementwise functions, casts, slices."""

from __future__ import annotations

from hunt.case import Case
from hunt.writer import Writer

OPERATORS = (
    "{x} + {y}", "{x} - {y}", "{x} * {y}", "{y} - {x}", "{x} / {y}", "{x} // {y}", "{x} % {y}", "{y} / {x}",
    "{y} // {x}", "{y} % {x}", "-{x}", "abs({x})", "+{x}", "{x} ** 2", "{x} ** {k}", "{x} ** {y}", "{x} < {y}",
    "{x} <= {y}", "{x} == {y}", "{x} != {y}", "{x} > {y}", "{y} >= {x}", "{x} & {y}", "{x} | {y}", "{x} ^ {y}",
    "~{x}", "{x} << {shift}", "{x} >> {shift}", "({x} + {y}) * {y}", "({x} - {y}) // {c}", "{y} + -{x}",
    "-{x} / {y}", "({x} + {c}) + {c}", "({x} * {c}) > {y}", "{x} - -{y}", "({x} + {y}) / {c}",
    "{c} * {x} - {c} * {y}", "-(-{x})", "{x} - {x}", "{x} * 0", "{x} / {x}", "0 - {x}", "-({x} - {y})",
    "({x} * {y}) // {y}", "({x} + {y}) - {y}", "{x} * {c} / {c}", "({x} + {x}) // 2 == {x}", "{x} * 1", "{x} + 0",
    "{x} ** -1", "{x} ** 0.5", "1 / {x}", "({x} >= {c}) & ({x} < {y})", "({x} > {y}) + ({x} < {y})",
    "({x} > {y}) * {x}",
)  # fmt: skip
UNARY = (
    "sqrt", "exp", "log", "sin", "cos", "tan", "tanh", "arctan", "abs", "sign", "floor", "ceil", "trunc", "rint",
    "square", "exp2", "expm1", "log1p", "log2", "log10", "arcsin", "arccos", "sinh", "cosh", "arcsinh", "arccosh",
    "arctanh", "cbrt", "isfinite", "isnan", "isinf", "logical_not", "negative", "reciprocal", "invert", "signbit",
    "fabs", "positive", "conj", "deg2rad", "rad2deg", "radians", "degrees", "absolute",
)  # fmt: skip
BINARY = (
    "maximum", "minimum", "hypot", "logaddexp", "copysign", "arctan2", "add", "subtract", "multiply", "divide",
    "power", "floor_divide", "remainder", "mod", "logical_and", "logical_or", "logical_xor", "equal", "less",
    "greater_equal", "fmax", "fmin", "bitwise_and", "bitwise_or", "bitwise_xor", "float_power", "fmod",
    "not_equal", "greater", "less_equal", "true_divide", "logaddexp2", "ldexp", "heaviside", "nextafter", "gcd",
    "lcm", "left_shift",
)  # fmt: skip
ELEMENTWISE = (
    *(f"np.{name}({{x}})" for name in UNARY[:34]),
    *(f"np.{name}({{x}}, {{y}})" for name in BINARY[:20]),
    "np.where({x} > {y}, {x}, {y})", "np.where({x} < {y}, {c}, {y})", "np.clip({x}, {c}, {y})",
    "np.clip({x}, a_min={c}, a_max={c})", "np.clip({x}, {c}, None)", "np.where({x}, {y}, {c})",
    "np.clip({x}, min={c})",
)  # fmt: skip
RARE = (*(f"np.{name}({{x}})" for name in UNARY[34:]), *(f"np.{name}({{x}}, {{y}})" for name in BINARY[20:]))
CASTS = (
    "np.int8({n})", "np.float32({n})", "np.float64({n})", "np.int64({n})", "np.uint8({n})", "np.int32({n})",
    "np.bool_({n})", "float({n})", "int({n})", "bool({n})", "np.uint64({i})", "np.uint16({i})", "np.int16({i})",
)  # fmt: skip
NUMBERS = (
    "max({n}, {y})", "min({n}, {y})", "divmod({n}, {y})", "round({n})", "{n} if {n} > {y} else {y}", "{n} and {y}",
    "{n} or {y}", "not {n}", "pow({n}, {k})", "max({n}, {y}, {c})", "abs({n}) < {c}", "{c} < {n} < {y}",
    "sum([{n}, {y}])", "{n} == {n}", "min([{n}, {y}])", "round({f}, 1)", "(lambda u: u * {y})({n})",
    "isinstance({n}, float)", "bool({n}) + 1", "any([{n} > {c}, {n} < {y}])", "all([{n} > {c}, {n} < {y}])",
    "divmod({n}, {c})", "{n} is True", "type({n}) is float", "pow(int({i}), {k}, 7)", "pow(int({i}), 3, 1000)",
    "int({i}).bit_length()", "round({n} / 8, 2)", "round({n}, {k})", "1 << {shift}",
)  # fmt: skip
MATH = tuple(
    f"math.{name}({{n}})"
    for name in (
        "sqrt", "exp", "log", "sin", "cos", "tan", "floor", "ceil", "trunc", "fabs", "isnan", "isinf", "isfinite",
        "log1p", "expm1", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "log2",
        "log10", "erf", "erfc", "gamma", "lgamma", "degrees", "radians",
    )
) + ("math.pow({n}, {y})", "math.atan2({n}, {y})", "math.hypot({n}, {y})", "math.copysign({n}, {y})",
     "math.log({n}, {y})", "math.fmod({n}, {y})", "math.pi * {n}", "math.ldexp({f}, {k})")  # fmt: skip
SPECIAL = tuple(f"sp.{name}({{x}})" for name in ("erf", "erfc", "ndtr", "expit", "log_expit", "gammaln", "psi")) + (
    "sp.xlogy({x}, {y})", "sp.polygamma({k}, {x})", "sp.logsumexp({a})", "sp.softmax({fa})",
    "sp.logsumexp({a}, axis={axis})", "sp.softmax({fa}, axis={axis1})", "sp.xlog1py({x}, {y})", "sp.logit({x})",
    "sp.gamma({x})",
)  # fmt: skip
SHAPES = (
    "{a}[{slice}]", "{a}[{idx}]", "{m}[:, {slice}]", "{m}[{slice}, {slice}]", "{a}.T", "{a}[None]",
    "{a}[..., None]", "{m}[:, None]", "{a}.astype({dt})", "{a}.copy()", "{a}.ravel()", "{m}[:, {k}]",
    "{a}[..., {k}]", "{m}[{k}, ::-1]",
)  # fmt: skip

# Text for Numba means what it says in plain Python only for numbers that Python has.
LANES = (
    "batch-numpy", "static-numpy", "frozen-numpy", "around-numpy", "batch-text", "groups-text", "jit-text",
    "threads-text", "jit-cuda",
)  # fmt: skip


def forms(w: Writer, share: float = 0.5) -> tuple[str, ...]:
    """Which forms run a program: jit always, lanes for some; session.py compiles a few more."""
    chosen = ["jit-numpy"]
    if w.pick.random() < share:
        chosen.append(w.pick.choice(LANES if not w.narrow else LANES[:2]))
    return tuple(chosen)


def numbers(seed: int) -> Case:
    w = Writer("numbers", seed)
    for _ in range(w.pick.randint(1, 3)):
        w.number()
    for _ in range(w.pick.randint(1, 4)):
        w.assign(w.pick.choice((OPERATORS, OPERATORS, OPERATORS, NUMBERS, CASTS, ELEMENTWISE, MATH)))
    return Case("numbers", seed, w.text(), forms(w))


def arrays(seed: int) -> Case:
    w = Writer("arrays", seed)
    for _ in range(w.pick.randint(1, 3)):
        w.array()
    if w.pick.random() < 0.5:
        w.number()
    for _ in range(w.pick.randint(1, 4)):
        w.assign(w.pick.choice((OPERATORS, OPERATORS, OPERATORS, ELEMENTWISE, SHAPES)))
    return Case("arrays", seed, w.text(), forms(w))


def elementwise(seed: int) -> Case:
    """Every elementwise function, of numbers and of arrays, also math's and SciPy's."""
    w = Writer("elementwise", seed)
    (w.number if w.pick.random() < 0.5 else w.array)()
    if w.pick.random() < 0.5:
        w.number()
    for _ in range(w.pick.randint(1, 2)):
        w.assign(
            w.pick.choice(
                (ELEMENTWISE, ELEMENTWISE, MATH, SPECIAL, RARE)
                if w.pick.random() < 0.3
                else (ELEMENTWISE, MATH, SPECIAL)
            )
        )
    return Case("elementwise", seed, w.text(), forms(w))
