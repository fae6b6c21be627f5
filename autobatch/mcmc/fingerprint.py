"""What a density computes at present: meaning : (model, data, sampler) -> Meaning.

    SCALE = 2.0

    def logp(x):
        return -0.5 * (x / SCALE) ** 2

means -0.5 * (x / 2.0) ** 2. Numbers around a function become constants of its programs, and arrays around it are
read where they were when it was traced. So programs serve, and a run goes on, as long as the density means the same;
whether it does is seen by tracing it, which takes little beside the passes that come after.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from autobatch.mcmc import constrain
from autobatch.mcmc.density import Model
from autobatch.mcmc.kernels.state import Data
from autobatch.mcmc.resume import content_digest
from autobatch.mcmc.samplers import RWM, Sampler
from autodiff import value_and_grad
from codegen.emit.module import show
from codegen.infer.trace import Traced, trace
from codegen.infer.values import Nest, Static
from codegen.ir import Program, Type
from codegen.ir.kinds import MARKS
from codegen.ir.listing import dump
from codegen.ir.traversal import applications
from codegen.pytree import describe, known_size


@dataclass(frozen=True)
class Meaning:
    """A density's program as text, and the arrays around it that it reads, told apart by their `places`.

    The arrays are held, so that no other takes the place of one. `programs`: the same, with its places in the user's
    text.
    """

    text: str
    places: tuple[int, ...]
    arrays: tuple[np.ndarray, ...] = field(compare=False, repr=False)
    programs: tuple[Program, ...] = field(compare=False, repr=False)

    @property
    def digest(self) -> str:
        """A short name for it and the arrays' contents, the same in every process."""
        return content_digest(self.text, *self.arrays)


def meaning(model: Model, data: Data, sampler: Sampler) -> Meaning:
    """What the model's density means for such data. TypeError where it does not return a number."""
    params = (Type("f8", transform.shape) for transform in model.params.values())
    signature = (*params, *(describe(value, known_size) for value in data))
    traced = trace(model.called, signature, known_sizes=True)
    check_result(model.name, traced.out)
    made = [traced]
    marked = is_marked(traced.program)
    if marked and not isinstance(sampler, RWM):
        derivative = value_and_grad(model.called, tuple(range(len(model.params))))
        made.append(derivative.trace(signature, {}, known_sizes=True))
    arrays = tuple(array for each in made for array in each.hidden)
    written = show if marked else dump  # a dump is quicker, but says where marks are
    text = "\n\n".join(program_text(each, written) for each in made)
    return Meaning(text, tuple(map(id, arrays)), arrays, tuple(each.program for each in made))


def known_by(model: Model, found: Meaning, sampler: Sampler) -> Any:
    """What the programs of a sampler for a model hang on, as another process sees it too, or None."""
    own = all(transform.program.__module__ == constrain.__name__ for transform in model.params.values())
    return (model.name, model.text, found.text, found.programs, sampler) if own and not found.arrays else None


def program_text(traced: Traced, written: Callable[[Program], str]) -> str:
    """A constant that is returned as it stands is in `out` alone."""
    return f"{written(traced.program)}\n# {traced.out}"


def check_result(name: str, out: Any) -> None:
    number = isinstance(out, Static) and isinstance(out.value, bool | int | float | np.number)
    if number or (isinstance(out, Type) and not out.rank):
        return
    found = getattr(out, "value", out)
    if isinstance(out, Nest):
        found = f"a {out.cls.__name__} of {len(out.items)}"
    raise TypeError(f"{name} must return one float, the log density, not {found}")


def is_marked(program: Program) -> bool:
    """Whether derivatives have a say of their own, which the text does not show: custom ones, stop_gradient."""
    return any(op.primitive.kind in MARKS for op in applications(program))
