"""Regions that go on at one another, as one with loops and branches: lanes do the same, in the same order."""

import random
from itertools import count

import pytest

from autobatch.kernel import ir
from autobatch.kernel.cuda.structured import Structure, leaves
from codegen.ir.build import B1

END = 99
TEST = ir.Register("test", B1)


class Ended(Exception):
    """A lane has come to its end."""


class Left(Exception):
    """A loop is left."""


def graph(rng: random.Random, size: int) -> dict[int, ir.Region]:
    """Blocks that go on at one or two others."""
    found: dict[int, ir.Region] = {}
    for k in range(size):
        then, orelse = rng.choices([*range(size), END], k=2)
        way = ir.Next(then) if rng.random() < 0.4 else ir.Next(then, TEST, orelse)
        found[k] = (ir.Probe((str(k),)), way)
    return {k: found[k] for k in sorted(reached(found, 0))}


def reached(blocks: dict[int, ir.Region], start: int) -> set[int]:
    found, todo = {start}, [start]
    while todo:
        last = blocks[todo.pop()][-1]
        assert isinstance(last, ir.Next)
        new = {last.then, *([last.orelse] if last.test else [])} - found - {END}
        found |= new
        todo += new
    return found


class Lane:
    """What a lane does, by the tests that it meets, as long as there are any."""

    def __init__(self, seed: int, tests: int):
        rng = random.Random(seed)
        self.tests = [rng.random() < 0.5 for _ in range(tests)]
        self.seen: list[str] = []
        self.registers: dict[str, int] = {}

    def test(self, value: ir.Value) -> bool:
        if isinstance(value, ir.Operation):
            register, known = value.operands
            return self.registers[register.name] == known.value
        return self.tests.pop()

    def see(self, block: str) -> None:
        self.seen.append(block)
        if len(self.seen) > 300:
            raise Ended

    def walk(self, blocks: dict[int, ir.Region]) -> list[str]:
        at = 0
        try:
            while at != END:
                probe, way = blocks[at]
                self.see(probe.lines[0])
                at = way.then if way.test is None or self.test(way.test) else way.orelse
        except (IndexError, Ended):
            pass
        return self.seen

    def run(self, region: ir.Region) -> list[str]:
        try:
            self.region(region)
        except (IndexError, Ended):
            pass
        return self.seen

    def region(self, region: ir.Region) -> None:
        for stmt in region:
            match stmt:
                case ir.Probe((block,)):
                    self.see(block)
                case ir.Assign(out, value):
                    self.registers[out.name] = value.value
                case ir.If(test, then, orelse):
                    self.region(then if self.test(test) else orelse)
                case ir.Repeat(body):
                    try:
                        while True:
                            self.region(body)
                    except Left:
                        pass
                case ir.Exit():
                    raise Left
                case ir.Next(then):
                    assert then == END
                    raise Ended


def made(blocks: dict[int, ir.Region]) -> ir.Region:
    numbers = count()
    structure = Structure(0, END, {}, lambda hint: f"{hint}{next(numbers)}")
    for k, region in blocks.items():
        structure.regions[k] = structure.plain(region)
    return structure.whole()


@pytest.mark.parametrize("size", range(1, 13))
def test_random_graphs(size: int) -> None:
    """Cycles entered at several places, ways that meet, loops left for several: whatever there is."""
    for seed in range(60):
        blocks = graph(random.Random(1000 * size + seed), size)
        whole = made(blocks)
        assert not list(leaves(whole))
        for lane in range(8):
            assert Lane(lane, 60).run(whole) == Lane(lane, 60).walk(blocks)
