"""What a compiled form of lanes is: its text, and what one must know to call it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from autobatch.cfg.graph import BlockProgram
from autobatch.errors import Site
from codegen.emit.lines import parsed
from codegen.emit.module import EmittedModule, imports_of, in_sections, joined_texts


@dataclass(frozen=True, eq=False)
class LaneModule:
    """written: the module; run: its function `(first, last, limit, failed, *stacks, *inputs, *outputs) -> lane`.

    Inputs are in the order of the program's parameters: shared ones as they are, a lane's own (lanes, size) for arrays,
    (lanes,) for scalars, state rows for streams. Outputs likewise, without streams, which advance in place. `sites`
    tells what each failure number means. `stacks` are the names and dtypes of the stacks to be given; where they are
    too small for a lane, `run` returns its number instead of `last`, to be called again from there with larger ones.
    `together`: lanes of one call wait for each other at products with shared matrices. `numbers`: of a lane's arrays,
    where each runs by itself. `wide`: functions that are to be compiled to vector instructions. `group`: lanes that
    are side by side, `few`: when no more come; `ways`: how they run each block. `tiles`: the rows of each panel of a
    shared matrix. `frame`: bytes of the largest frame on a lane's stacks. `queued`: `first` is an array of the lane
    that comes next, and more (threads.from_queue): calls that share it share the lanes up to `last`. `packed`: short
    loops over a lane's arrays are compiled to vectors. `starts`: in the place of `limit`, where recursion is the host's
    own, the depths at which lanes begin (host/module.py). `reorders`: the compiler may take long sums in another order.
    `quick`: what is compiled soon rather than to be fast. `divisors`: the inputs whose elements it divides by their
    reciprocals, which must be finite but of 0.
    """

    written: EmittedModule
    run: str
    sites: tuple[Site, ...]
    stacks: tuple[tuple[str, str], ...]
    together: bool
    numbers: int = 0
    wide: tuple[str, ...] = ()
    group: int = 1
    few: int = 1
    ways: tuple[str, ...] = ()
    tiles: tuple[int, ...] = ()
    frame: int = 0
    queued: bool = False
    packed: bool = False
    starts: tuple[int, ...] = ()
    reorders: bool = False
    quick: bool = False
    divisors: tuple[int, ...] = ()

    @cached_property
    def text(self) -> str:
        return self.written.text

    @property
    def functions(self) -> tuple[str, ...]:
        """The functions that are called from elsewhere."""
        return (self.run,)


def module_text(own: Iterable[str], called: Iterable[str], notes: str, whole: BlockProgram) -> EmittedModule:
    """A module of what it is for and what that calls, with what it imports; `notes` are its docstring."""
    docstring = f'"""{notes}"""\n\n' if notes else ""
    first, last = joined_texts(own), joined_texts(called)
    imports = imports_of(parsed(in_sections(first, last), whole.program.entry.span))
    return EmittedModule(f"{docstring}{imports}\n\n", first, last)
