"""A model's density as text: logp(**params, **data) -> density(u, data), one argument for all parameters.

    logp(mu, tau, theta, y, sigma)  with  {"mu": real(), "tau": positive(), "theta": real(8)}

becomes

    def density(u, data):
        y, sigma = data
        mu = u[0]
        tau, log_jac_tau = positive(u[1])
        theta = u[2:10]
        return logp(mu=mu, tau=tau, theta=theta, y=y, sigma=sigma) + log_jac_tau

which is the density of the unconstrained u: its log Jacobian is added. Beside it stands `constrained(u)`, all
parameters in one flat vector. Both are plain programs for one chain, written out so that they can be read,
stepped through and transformed like the user's own function.
"""

import inspect
import keyword
import linecache
import math
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from autobatch.mcmc import constrain as programs
from autobatch.mcmc.transforms import Transform


class Model(NamedTuple):
    """The generated programs of a model, their text, its parameters in the order of `u`, its data's names.

    `called(*params, *data)` is the user's function, whose name is `name`, with all arguments by place.
    """

    density: Callable[[np.ndarray, tuple[Any, ...]], float]
    constrained: Callable[[np.ndarray], np.ndarray]
    called: Callable[..., float]
    text: str
    params: dict[str, Transform]
    data: tuple[str, ...]
    name: str

    @property
    def size(self) -> int:
        """Unconstrained numbers in all."""
        return sum(transform.size for transform in self.params.values())

    @property
    def constrained_size(self) -> int:
        """Constrained numbers in all: the length of `constrained(u)`."""
        return sum(math.prod(transform.shape) for transform in self.params.values())

    def places(self) -> Iterator[tuple[str, Transform, slice]]:
        """Each parameter with its place in `u`."""
        return with_places(self.params, lambda transform: transform.size)

    def split(self, flat: np.ndarray) -> dict[str, np.ndarray]:
        """(..., constrained_size) -> each parameter as (..., *shape)."""
        listed = with_places(self.params, lambda transform: math.prod(transform.shape))
        return {name: flat[..., at].reshape(flat.shape[:-1] + t.shape) for name, t, at in listed}


def with_places(
    params: Mapping[str, Transform], size: Callable[[Transform], int]
) -> Iterator[tuple[str, Transform, slice]]:
    """Each parameter with its place in a vector of all, where it takes so many numbers."""
    start = 0
    for name, transform in params.items():
        yield name, transform, slice(start, start + size(transform))
        start += size(transform)


def build(logp: Callable[..., float], params: Mapping[str, Transform], data: Iterable[str]) -> Model:
    """The model of `logp(**params, **data)`, of the data only the names.

    TypeError or ValueError where the names do not fit together.
    """
    data = tuple(data)
    check_parameter_names(logp, params, data)
    taken = {*params, *data}
    words = ("u", "data", "x", "np", "logp", "density", "constrained", "called")
    names = {word: distinct_name(word, taken) for word in words}
    called = {transform.program.__name__: transform.program for transform in params.values()}
    aliases = {name: distinct_name(name, taken) for name in called}
    text = density_text(params, data, names, aliases, taken)
    text += "\n\n" + constrained_text(params, names, aliases, taken)
    scope: dict[str, Any] = {aliases[name]: program for name, program in called.items()}
    scope |= {names["np"]: np, names["logp"]: logp, "__name__": __name__}
    name = getattr(logp, "__name__", "logp")
    execute_text(text, scope, name)
    execute_text(called_text([*params, *data], names), scope, name)
    density, constrained, called = (scope[names[word]] for word in ("density", "constrained", "called"))
    return Model(density, constrained, called, text, dict(params), data, name)


def check_parameter_names(logp: Callable[..., float], params: Mapping[str, Any], data: Iterable[str]) -> None:
    if not params:
        raise ValueError("params is empty: name at least one parameter, as in {'mu': real()}")
    for name in [*params, *data]:
        if not isinstance(name, str) or not name.isidentifier() or keyword.iskeyword(name):
            raise ValueError(f"{name!r} cannot name a parameter or data: it is not a Python name")
        if name in params and name in data:
            raise ValueError(f"{name!r} is in params and in data: give one of them another name")
    for name, transform in params.items():
        if not isinstance(transform, Transform):
            raise TypeError(
                f"params[{name!r}] is {transform!r}: write real(), positive(), interval(low, high), "
                "ordered(n), positive_ordered(n) or simplex(n)"
            )
    try:
        inspect.signature(logp).bind(**dict.fromkeys([*params, *data]))
    except TypeError as error:
        given = ", ".join(f"{name}=" for name in [*params, *data])
        raise TypeError(f"params and data call logp({given}), but {error}") from None


def distinct_name(name: str, taken: set[str]) -> str:
    """`name`, with underscores if the user has one like it; taken from now on."""
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def density_text(
    params: Mapping[str, Transform],
    data: tuple[str, ...],
    names: dict[str, str],
    aliases: dict[str, str],
    taken: set[str],
) -> str:
    u = names["u"]
    size = sum(transform.size for transform in params.values())
    lines = [f"def {names['density']}({u}, {names['data']}):"]
    lines.append(f'    """Log density of the unconstrained {u} ({size},), Jacobians included."""')
    if data:
        pattern = ", ".join(data) if len(data) > 1 else f"({data[0]},)"
        lines.append(f"    {pattern} = {names['data']}")
    jacobians = []
    for name, transform, piece in parameter_pieces(params, u):
        value = constraint(transform, piece, aliases)
        if transform.program is programs.real:
            lines.append(f"    {name} = {value}")
        else:
            jacobians.append(distinct_name(f"log_jac_{name}", taken))
            lines.append(f"    {name}, {jacobians[-1]} = {value}")
    arguments = ", ".join(f"{name}={name}" for name in [*params, *data])
    lines.append("    return " + " + ".join([f"{names['logp']}({arguments})", *jacobians]))
    return "\n".join(lines) + "\n"


def constrained_text(
    params: Mapping[str, Transform], names: dict[str, str], aliases: dict[str, str], taken: set[str]
) -> str:
    u, x, unused = names["u"], names["x"], distinct_name("_", taken)
    size = sum(math.prod(transform.shape) for transform in params.values())
    lines = [f"def {names['constrained']}({u}):"]
    lines.append(f'    """All parameters, constrained, in one vector ({size},)."""')
    lines.append(f"    {x} = {names['np']}.empty({size})")
    places = with_places(params, lambda transform: math.prod(transform.shape))
    for (name, transform, piece), (_, _, at) in zip(parameter_pieces(params, u), places, strict=True):
        place = f"{x}[{at.start}:{at.stop}]" if transform.shape else f"{x}[{at.start}]"
        if transform.program is programs.real:
            lines.append(f"    {place} = {piece}")
        else:
            flat = f".reshape({at.stop - at.start})" if len(transform.shape) > 1 else ""
            lines.append(f"    {name}, {unused} = {constraint(transform, piece, aliases)}")
            lines.append(f"    {place} = {name}{flat}")
    lines.append(f"    return {x}")
    return "\n".join(lines) + "\n"


def called_text(arguments: list[str], names: dict[str, str]) -> str:
    by_name = ", ".join(f"{name}={name}" for name in arguments)
    return f"def {names['called']}({', '.join(arguments)}):\n    return {names['logp']}({by_name})\n"


def parameter_pieces(params: Mapping[str, Transform], u: str) -> Iterator[tuple[str, Transform, str]]:
    """Each parameter with its piece of `u`: a number for a scalar, else a flat slice."""
    for name, transform, at in with_places(params, lambda transform: transform.size):
        one = not transform.unconstrained_shape
        yield name, transform, f"{u}[{at.start}]" if one else f"{u}[{at.start}:{at.stop}]"


def constraint(transform: Transform, piece: str, aliases: dict[str, str]) -> str:
    """The expression for the constrained value (and its log Jacobian, unless there is no constraint)."""
    shape = transform.unconstrained_shape
    shaped = f"{piece}.reshape({shape})" if len(shape) > 1 else piece
    if transform.program is programs.real:
        return shaped
    arguments = [shaped, *(repr(value) for value in transform.arguments)]
    return f"{aliases[transform.program.__name__]}({', '.join(arguments)})"


def execute_text(text: str, scope: dict[str, Any], name: str) -> None:
    """Run the text in `scope`, its lines kept for tracebacks, `inspect` and the reader of programs."""
    filename = f"<density of {name} {zlib.crc32(text.encode()):08x}>"
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    exec(compile(text, filename, "exec"), scope)
