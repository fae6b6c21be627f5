"""What a Schedule may say."""

import block_programs as programs
import pytest

from autobatch import Schedule
from autobatch.cfg.lower import lower_to_blocks
from autobatch.schedule import call_depths, loop_depths


def test_a_schedule_chooses_for_itself_unless_told() -> None:
    assert Schedule() == Schedule("auto", group=None, threads=None, stack_limit=None)
    assert Schedule("program_counter", group=32, threads=2, stack_limit=100).group == 32


FORMS = "'auto', 'measure', 'program_counter', 'local_static', 'lanewise'"


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: Schedule("fast"), ValueError, f"form is one of {FORMS}, not 'fast'"),
        (lambda: Schedule(group=12), ValueError, "group is a power of two, not 12"),
        (lambda: Schedule(threads=0), ValueError, "threads is at least 1, not 0"),
        (lambda: Schedule(tile=0), ValueError, "tile is at least 1, not 0"),
        (lambda: Schedule(layout="columns"), ValueError, "layout is 'mixed' or 'rows', not 'columns'"),
        (lambda: Schedule(stack_limit=2.5), TypeError, "stack_limit is an int or None, not float"),
        (lambda: Schedule(round_limit=0), ValueError, "round_limit is at least 1, not 0"),
        (lambda: Schedule(block=48), ValueError, "block is a multiple of 32 up to 1,024, not 48"),
        (lambda: Schedule(block=2048), ValueError, "block is a multiple of 32 up to 1,024, not 2,048"),
        (lambda: Schedule(registers=8), ValueError, "registers is at least 16 and at most 255, not 8"),
        (lambda: Schedule(threads=True), TypeError, "threads is an int or None, not bool"),
    ],
)  # fmt: skip
def test_what_is_no_schedule(make, error, message: str) -> None:
    with pytest.raises(error) as caught:
        make()
    assert str(caught.value) == message


def test_loops_and_recursions_around_a_block() -> None:
    made = lower_to_blocks(programs.pea_nuts())
    loops = {b.name: d for b, d in zip(made.blocks, loop_depths(made))}
    assert loops["pea_nuts body"] == 1 and loops["pea_nuts end"] == 0
    assert call_depths(made) == {"pea_nuts": 0, "shell": 2}
