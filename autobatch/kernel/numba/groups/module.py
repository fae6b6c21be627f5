"""A block program as functions over groups of lanes side by side: groups_module : BlockProgram -> LaneModule.

    def leaf(lane, F, I):                      # one block, of one lane
        energy0 = F[ENERGY0 + lane]
        ...
        return 17                              # where the lane goes on

    def leaf_group(F, I):                      # the block for the lanes that wait at it
        for lane in range(G):                  # side by side: vector instructions, stores under a mask
            if I[PC + lane] == 13:
                I[PC + lane] = leaf(lane, F, I)

A group is G lanes, each at its own block, their numbers in rows of one array a dtype, lanes innermost. At blocks that
matter lanes wait for each other, and of those the cheapest runs first, so that vectors are full at the dear ones. The
others run lane by lane, one after the other until the lane waits again (`advance`). A lane that comes to its end makes
room for the next that no thread has taken: threads share nothing but the number of that lane. Where all lanes go the
same way, none of that is needed (`sweep.py`).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from autobatch.cfg.graph import BlockProgram
from autobatch.kernel.arenas import TYPES, is_stream
from autobatch.kernel.ir import Layout
from autobatch.kernel.lower import Site, count
from autobatch.kernel.module import LaneModule
from autobatch.kernel.numba.addresses import element
from autobatch.kernel.numba.groups.compaction import closer, moved_memories
from autobatch.kernel.numba.groups.sweep import Sweep
from autobatch.kernel.numba.hints import (
    ALIGNED,
    ATTENDS,
    DISTINCT,
    MULADD,
    NEXT_LANES,
    PAIRED,
    RARE,
    READABLE,
    SELECT,
    STOPS,
    WIDE,
    WRITTEN_OUT,
)
from autobatch.kernel.numba.lines import Lines, indented
from autobatch.kernel.polling import again
from autobatch.profiling.probes import UNMARKED, Unmarked
from autobatch.schedule import Schedule
from autobatch.simd.block_splitting import tests_after
from codegen import runtime
from codegen.emit.module import imports_of, sections
from codegen.emit.nesting import readable
from codegen.runtime import STATE_WORDS


def groups_module(
    program: BlockProgram,
    shared: Sequence[bool],
    name: str,
    notes: str = "",
    schedule: Schedule | None = None,
    marks: Unmarked = UNMARKED,
) -> LaneModule:
    """The module of a block program whose parameters marked in `shared` are one for all lanes.

    Of `schedule` the lanes of a group and the layout of their memory are heeded.
    """
    return Writer(program, shared, name, schedule or Schedule(), marks).module(notes)


class Writer(Sweep):
    """The module, while it is written: lanes that come and go, and the loop over blocks."""

    def module(self, notes: str) -> LaneModule:
        """The whole text."""
        blocks = [self.block(k) for k in self.entered()]
        ends = self.loading(numbered=not self.one_way or self.numbered), self.finishing()
        advance = self.advancing()
        onwards = "" if self.one_way else self.onwards()
        near = closer(self) if self.few else ""
        run = self.driver()
        helpers = edges_apart(runtime.offset_streams(self.spelling.helpers(self.program)))
        numbers = {
            "G": self.group,
            "FEW": self.few,
            "LS": self.stride,
            "W": self.width,
            "END": self.end,
            "FULL": -2,
        }
        constants = {**{name: str(value) for name, value in numbers.items()}, **self.constants}
        head = "\n".join(f"{c} = {self.constant(v)}" for c, v in constants.items() if c in self.mentioned())
        parts = [
            "\n".join((head, self.sizes())) if any(self.wide) else head,
            DISTINCT,
            *blocks,
            *ends,
            advance,
            onwards,
            near,
            *([self.all_lanes()] if self.one_way else []),
            run,
        ]
        called = [
            *([WIDER] if self.stacks else []),
            *([] if self.one_way else [NEXT_LANES]),
            *([MULADD] if "muladd" in self.spelling.intrinsics else []),
            *([SELECT] if "select" in self.spelling.intrinsics else []),
            helpers,
            ALIGNED,
            *([WIDE, READABLE] if any(self.wide) else []),
            *([PAIRED] if any(map(self.paired, self.order())) else []),
            *([WRITTEN_OUT] if self.written_out else []),
            *([RARE] if "rarely_called()" in helpers else []),
            ATTENDS,
            STOPS,
            self.marks.text(),
        ]
        code = sections(parts, called)
        text = f'"""{notes}"""\n\n' if notes else ""
        text += imports_of(code) + "\n\n" + code
        wide = tuple(f"{self.block_names[k]}_group" for k in self.order())
        return LaneModule(
            readable(text, self.program.program.entry.span),
            f"{self.name}_lanes",
            tuple(self.lowering.sites),
            (),
            False,
            wide=wide,
            group=self.group,
            few=self.few or self.group,
            ways=self.ways(),
            frame=self.where.frame,
            queued=not self.one_way,
        )

    def sizes(self) -> str:
        """What LLVM is told of the memories of blocks that lanes run side by side: bytes in all, and of a number."""
        numbers = {m: (TYPES[m], rows * self.stride) for m, rows in self.rows.items()}
        numbers |= {m: (dtype, size * self.stride) for m, (dtype, size) in self.tall.items()}
        numbers |= {m: (dtype, self.group * count(type_)) for m, (dtype, type_) in self.owned.items()}
        numbers |= {"C": (TYPES["F"], self.group * self.width), "S": (TYPES["F"], self.shared_numbers)}
        used = {m for k in self.order() for m in self.given[k]}
        sizes = {
            m: (size, np.dtype(dtype.removeprefix("np.")).itemsize) for m, (dtype, size) in numbers.items()
        }
        listed = ", ".join(
            f'"{m}": ({size * item}, {item})' for m, (size, item) in sizes.items() if m in used
        )
        return f"MEMORY = {{{listed}}}  # bytes in all, and of a number"

    def ways(self) -> tuple[str, ...]:
        """How lanes run each block."""
        entered, wide = self.entered(), [k for k, wide in enumerate(self.wide) if wide]
        found = ["lane by lane" if k in entered else "at the end of others" for k in range(self.end)]
        for k in wide:
            found[k] = "side by side"
            for test in tests_after(self.program, k):
                if self.goes_on(test, (k,)):
                    found[test] = "side by side at the end of others"
        return tuple(found)

    def mentioned(self) -> set[str]:
        """The constants that the text uses."""
        fails = bool(self.lowering.sites) or self.looks
        rows = any(h.layout is Layout.ROWS and h.type.rank for h in self.homes.values())
        facts = {
            "FAILED": fails,
            "NUMBER": self.numbered or not self.one_way,
            "FEW": self.few,
            "LS": rows or self.few,
            "W": self.cold,
            "FULL": self.stacks,
        }
        own = {"G", "END", "PC", *(word for word, wanted in facts.items() if wanted)}
        stacks = {"DEPTH", *(f"{a}_TOP" for a in self.stacks)} if self.stacks else set()
        return self.used | own | stacks | {*self.shares} | {*self.inverses.values()}

    def loading(self, numbered: bool) -> str:
        """The function that puts a lane into a place of the group; `numbered`: which it is will be asked there."""
        p, used = Lines(1), {"I"}
        p.line('"""Lane `number` starts at place `lane`."""')
        p.written(["I[NUMBER + lane] = number"] if numbered else [])
        if self.lowering.sites:
            p.line("I[FAILED + lane] = 0")
        for own in ("DEPTH", *(f"{a}_TOP" for a in self.stacks)) if self.stacks else ():
            p.line(f"I[{own} + lane] = 0")
        for (param, one), argument in zip(self.shared.items(), self.inputs, strict=True):
            home = self.home(param)
            if param in self.fixed or home is None:
                continue
            used |= {argument, home.name}
            self.used.add(str(home.first))
            if is_stream(param):
                p.line(f"for k in range({STATE_WORDS}):")
                p.line(f"    {element(home, 'k')} = {argument}[number, k]")
            elif not param.type.rank:
                p.line(f"{element(home, '0')} = {argument}{'' if one else '[number]'}")
            else:
                p.line(f"for k in range({count(param.type)}):")
                p.line(f"    {element(home, 'k')} = {argument}{'.flat[k]' if one else '[number, k]'}")
        address = self.program.entry.address
        home = self.home(address)
        if home is not None and address in self.where.registers:
            p.line(f"{element(home, '0')} = END")
            self.used.add(str(home.first))
        p.line(f"I[PC + lane] = {self.program.entry.entry}")
        self.load_given = [m for m in dict.fromkeys((*self.memories(), *self.plain_inputs())) if m in used]
        return end_function("load", ("lane", "number", *self.load_given), p.lines, self.one_way)

    def finishing(self) -> str:
        """The function that takes a lane's results."""
        p, used = Lines(1), set()
        p.line('"""The results of lane `number`, which is at place `lane`."""')
        if self.lowering.sites and not self.one_way:
            p.line("if I[FAILED + lane] != 0:")
            p.line("    failed[number] = I[FAILED + lane]")
            used |= {"I", "failed"}
        streams = iter(a for v, a in zip(self.shared, self.inputs, strict=True) if is_stream(v))
        for result, out in zip(self.program.entry.results, self.outputs, strict=True):
            home = self.home(result)
            if home is not None and home.name == out:
                continue
            assert home is not None or result.type.rank
            source = home or self.lowering.array(result)
            self.used.add(str(source.first))
            if is_stream(result):
                argument = next(streams)
                p.line(f"for k in range({STATE_WORDS}):")
                p.line(f"    {argument}[number, k] = {element(source, 'k')}")
                used |= {argument, source.name}
                continue
            used |= {out, source.name}
            if not result.type.rank:
                nonzero = " != 0" if result.type.dtype == "b1" else ""
                p.line(f"{out}[number] = {element(source, '0')}{nonzero}")
            else:
                p.line(f"for k in range({count(result.type)}):")
                p.line(f"    {out}[number, k] = {element(source, 'k')}")
        wanted = ("failed", *self.memories(), *self.plain_inputs(), *self.plain_outputs())
        self.finish_given = [m for m in dict.fromkeys(wanted) if m in used]
        return end_function("finish", ("lane", "number", *self.finish_given), p.lines, self.one_way)

    def driver(self) -> str:
        p = Lines()
        signature = [*self.inputs, *self.plain_outputs(), *self.marks.given]
        begins = "first" if self.one_way else "coming"
        p.line('@njit(cache=True, nogil=True, error_model="numpy")')
        p.line(f"def {self.name}_lanes({', '.join((begins, 'last', 'limit', 'failed', *signature))}):")
        p.depth = 1
        p.lines += described(self.lowering.sites, self.streams > 0, queued=not self.one_way)
        p.written(["use_wide_registers()"] if any(self.wide) else [])
        p.written([] if self.one_way else ["add_at_once(coming[2:3], 1)"])
        p.lines += [f"    {line}" for line in self.memory()]
        for constant, (argument, size) in self.shares.items():
            p.line(f"for k in range({size}):")
            p.line(f"    S[{constant} + k] = {argument}{'[k]' if self.flat(argument) else '.flat[k]'}")
            if constant in self.inverses:
                p.line(f"    S[{self.inverses[constant]} + k] = 1.0 / S[{constant} + k]")
        if self.one_way:
            self.sweep(p)
        else:
            self.queues(p)
            p.line("add_at_once(coming[3:4], 1)")
        p.line("raise_waiting(failed)")
        p.line("return last")
        return "\n".join(p.lines)

    def memory(self) -> list[str]:
        """A group's memories, parts of one: separate ones may share a page's number where caches look at its end only.

        With each the statement that names it, each from a cache line on.
        """
        group, stride = self.group, self.stride
        parts = [(m, TYPES[m], self.rows[m] * stride, "") for m in self.memories() if m in self.rows]
        parts += [("C", TYPES["F"], self.width * group, "")] * bool(self.cold)
        parts += [("R", "np.uint64", 16 * self.streams * group, "")] * bool(self.streams)
        for memory, (dtype, type_) in self.owned.items():
            parts.append((memory, dtype, count(type_) * group, f".reshape(G, {count(type_)})"))
        parts += [(m, dtype, size * stride, "") for m, (dtype, size) in self.tall.items()]
        parts += [("S", TYPES["F"], self.shared_numbers, "")] * bool(self.shares)
        parts += [(f"{a}_stack", TYPES[a], 64 * group, ".reshape(G, 64)") for a in self.stacks]
        if not self.one_way:
            parts.append(("L", "np.uint32", (self.end + 1) * group, "  # the lanes that wait at each block"))
            parts.append(("N", "np.int64", self.end + 1, "  # how many they are"))
        lines, first = [], 0
        for name, dtype, size, after in parts:
            last = first + size * np.dtype(dtype.removeprefix("np.")).itemsize
            lines.append(f"{name} = memory[{first}:{last}].view({dtype}){after}")
            first = -(-last // 64) * 64
        return [f"memory = aligned({first}, np.uint8)", *lines]

    def queues(self, p: Lines) -> None:
        """The loop over blocks at which lanes wait."""
        p.line("N[END] = G")
        p.line("for lane in range(G):")
        p.line("    L[END * G + lane] = lane")
        p.line("    I[PC + lane] = -1")
        p.line("more = True  # lanes may be left to be taken")
        p.line("number, until = 0, 0  # the taken ones that come next")
        p.line("idle = G - min(coming[1], G)  # places that stay free: other threads have as many lanes")
        if self.few:
            p.line("few = False  # whether no more lanes come, and those that are left are before FEW")
        p.line("while N[END] < G or more:")
        p.depth = 2
        p.line("if stopped(failed):")
        p.line("    break")
        if self.few:
            p.line("if not (more or few) and G - N[END] <= FEW:")
            p.line(f"    closer({', '.join(('L', 'N', *moved_memories(self)))})")
            p.line("    few = True")
        self.choice(p)
        p.written(self.marks.alone())
        given = ", ".join(self.onwards_given)
        if self.stacks:
            p.line("j, count = 0, N[k]")
            p.line("N[k] = 0")
            p.line("while True:")
            p.line(f"    j = onwards(k, j, count, {given})")
            p.line("    if j == count:")
            p.line("        break")
            for arena in self.stacks:
                p.line(f"    {arena}_stack = wider({arena}_stack, {self.largest(arena)})")
        else:
            p.line(f"onwards(k, {given})")
        p.depth = 1

    def choice(self, p: Lines) -> None:
        """The cheapest block that lanes wait at, run for them."""
        p.line("if more and N[END] > idle:")
        p.depth += 1
        p.line("k = END")
        p.line("for j in range(N[END] - idle):")
        p.line("    if number >= until:")
        p.line("        number, until = next_lanes(coming, last)")
        p.line("    if number >= until:")
        p.line("        break")
        p.line(f"    load({', '.join(('L[END * G + j]', 'number', *self.load_given))})")
        p.line("    number += 1")
        p.line("more = number < until or coming[0] < last")
        p.depth -= 1
        for k in self.order():
            p.line(f"elif N[{k}] > 0:")
            p.line(f"    k = {k}")
            call = self.group_call(k, f"N[{k}]")
            if self.few:
                p.line("    if few:")
                p.line(f"        {self.group_call(k, f'N[{k}]', 'few')}")
                p.line("    else:")
                call = f"    {call}"
            p.line(f"    {call}")
        p.line("else:")
        p.line("    break")

    def onwards(self) -> str:
        """The function that runs each lane of a list until it waits for others again."""
        p = Lines(1)
        head = "k, j, count" if self.stacks else "k"
        until = "; which of them found a stack full" if self.stacks else ""
        what = "Lanes of block k from the j-th on" if self.stacks else "The lanes of block k"
        p.line(f'"""{what}, each to where it waits next{until}."""')
        p.written(["use_wide_registers()"] if any(self.wide) else [])
        if self.stacks:
            p.line("while j < count:")
        else:
            p.line("count = N[k]")
            p.line("N[k] = 0")
            p.line("for j in range(count):")
        p.depth = 2
        p.line("lane = L[k * G + j]")
        p.line("where = END")
        p.line("if I[PC + lane] >= 0:")
        p.depth = 3
        p.line(f"where = advance({', '.join(('lane', *self.advance_given))})")
        if self.stacks:
            p.line("if where == FULL:")
            p.line("    return j")
        p.written(self.marks.between())
        p.line("if where == END:")
        p.line(f"    finish({', '.join(('lane', 'I[NUMBER + lane]', *self.finish_given))})")
        p.written(indented(self.marks.ended()))
        p.line("    I[PC + lane] = -1")
        p.depth = 2
        p.line("L[where * G + N[where]] = lane")
        p.line("N[where] += 1")
        if self.stacks:
            p.line("j += 1")
            p.depth = 1
            p.line("return j")
        self.onwards_given = list(
            dict.fromkeys(("L", "N", *self.advance_given, *self.finish_given, *self.marks.given))
        )
        return "\n".join(
            (
                '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)',
                f"def onwards({', '.join((head, *self.onwards_given))}):",
                *p.lines,
            )
        )

    def advancing(self) -> str:
        """The function that runs one lane until it waits for others or ends."""
        p = Lines(1)
        p.line(
            '"""Run a lane until it comes to a block where it waits for others, or to its end: which it is."""'
        )
        p.line("k = I[PC + lane]")
        given: list[str] = ["I"]
        circles = again(self.program, (k for k in range(self.end) if not self.wide[k]))
        p.line("while True:")
        p.depth = 2
        word = "if"
        for k in self.entered():
            if self.wide[k]:
                continue
            own = self.given[k]
            given += [g for g in own if g not in given]
            p.line(f"{word} k == {k}:")
            if k in circles:
                p.line("    if stopped(failed):")
                p.line("        return END")
                given += [g for g in ("failed",) if g not in given]
            for arena, size in self.pushes_from(k, ()).items():
                p.line(f"    if I[{arena}_TOP + lane] + {size} > {arena}_stack.shape[1]:")
                p.line("        I[PC + lane] = k")
                p.line("        return FULL")
                given += [g for g in (f"{arena}_stack",) if g not in given]
            p.line(f"    k = {self.block_names[k]}({', '.join(('lane', *own))})")
            word = "elif"
        if word == "if":
            p.line("break")
        else:
            p.line("else:")
            p.line("    break")
        p.depth = 1
        p.line("I[PC + lane] = k")
        p.line("return k")
        self.advance_given = given
        head = '@njit(error_model="numpy", forceinline=True, pipeline_class=Distinct)'
        return "\n".join((head, f"def advance({', '.join(('lane', *given))}):", *p.lines))

    def flat(self, argument: str) -> bool:
        return self.homes[argument].type.rank == 1


def edges_apart(helpers: str) -> str:
    """What a draw comes to once in a hundred times stays a function of its own: written out it is half of a module."""
    edge = r'@njit\(error_model="numpy"\)\n(def draw_\w+_edge\(.*\n    """.*"""\n)'
    apart = r'@njit(error_model="numpy", pipeline_class=Distinct)\n\1    rarely_called()\n'
    return re.sub(edge, apart, helpers)


def end_function(name: str, given: Sequence[str], lines: Sequence[str], inline: bool) -> str:
    """The function with which lanes start or end."""
    flag = "forceinline=True, " if inline else ""
    head = (
        f'@njit(error_model="numpy", {flag}pipeline_class=Distinct)',
        f"def {name}({', '.join(given)}):",
    )
    return "\n".join((*head, *lines))


def plain(message: str) -> str:
    """A message as it can stand in a docstring."""
    return repr(message)[1:-1].replace('"', "'")


COMING = (
    "    coming is what threads share: the number of the lane that comes next, how many lanes a thread has at a time,",
    "    at most, how many calls have begun, and how many have ended.",
)


def described(sites: Sequence[Site], streams: bool, *, queued: bool) -> list[str]:
    """The docstring of the function over lanes."""
    taken = "Lanes that nobody has taken, up to last" if queued else "Lanes first to last"
    lines = [
        f'    """{taken}, G of them at a time; returns last.',
        "",
        *(COMING if queued else ()),
        "    What ends in _lanes has a row a lane, what ends in _shared is one for all; results go to out0, out1, ...",
        *(["    Streams are state rows (Philox 4x64-10), which are advanced."] if streams else []),
        "    failed[lane] is 0, or the number of what ended the lane; limit is the deepest recursion, -1 for none.",
    ]
    causes = [f"    {k + 1}: {s.exception}: {plain(s.message)}" for k, s in enumerate(sites)]
    return [*lines, *([""] if causes else []), *causes, '    """']


WIDER = '''
@njit(error_model="numpy")
def wider(stack, more):
    """A stack with room for twice as much, and `more`."""
    made = np.empty((stack.shape[0], 2 * stack.shape[1] + more), stack.dtype)
    for lane in range(stack.shape[0]):
        for k in range(stack.shape[1]):
            made[lane, k] = stack[lane, k]
    return made
'''
