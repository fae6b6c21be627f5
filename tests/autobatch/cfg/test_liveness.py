"""What each block needs: in loops, past moves, around calls."""

import block_programs as programs
import numpy as np
from lane_programs import lanes_of

from autobatch.cfg.graph import Call, variables_read
from autobatch.cfg.liveness import is_pure, live_in
from autobatch.cfg.lower import lower_to_blocks


def names(program, keep="none"):
    made = lower_to_blocks(program, keep=keep)
    return [{v.name for v in live} for live in live_in(made)]


def test_a_loop_needs_what_its_next_round_reads():
    made = lower_to_blocks(programs.first_beyond(), keep="none")
    live = live_in(made)
    (n,) = made.entry.params
    assert [n in needed for needed in live] == [True, True, True, False]
    assert {v.name for v in live[1]} == {"k", "n", "at", "address"}


def test_moves_kill_their_targets():
    assert names(programs.iota_sum())[0] == {"n", "acc", "address"}
    assert names(programs.parity())[3] == {"n", "address"}


def test_a_call_keeps_alive_what_is_needed_after_it():
    made = lower_to_blocks(programs.fib())
    live = live_in(made)
    call = next(k for k, b in enumerate(made.blocks) if isinstance(b.terminator, Call))
    (n,) = made.entry.params
    assert n in live[made.blocks[call].terminator.then]
    assert n in live[call]


def scaled(x, n):
    def deeper(k):
        if k == 0:
            return x[0]
        return deeper(k - 1) * x[1] + deeper(k - 1)

    y = deeper(n)
    return y + x[2]


def test_what_a_callee_reads_of_its_caller_is_live_in_the_caller():
    made = lower_to_blocks(lanes_of(scaled, lambda: [(np.ones(3), 2)]).program)
    live = live_in(made)
    x = made.entry.params[0]
    assert all(
        x in live[k] for k, b in enumerate(made.blocks) if any(x in variables_read(e) for e in b.equations)
    )
    assert x in live[0]


def test_draws_and_checks_are_not_pure():
    def f(rng, x):
        if x < 0.0:
            raise ValueError("negative")
        return rng.random() + x

    made = lower_to_blocks(lanes_of(f, lambda: [(np.random.default_rng(0), 1.0)]).program, keep="none")
    impure = {e.op.primitive.name for b in made.blocks for e in b.equations if not is_pure(e)}
    assert impure == {"fail", "draw_random"}
