from collections import namedtuple
from dataclasses import make_dataclass

import numpy as np


def stepped_parts(step_state_q, step_state_p, step_size, pair_0, pair_1_k, n):
    for _ in range(n):
        step_state_q = step_state_q + step_size * step_state_p * pair_0
        step_state_p -= pair_1_k
    step_state_q2 = step_state_q.copy()
    return step_state_q, step_state_p, step_size, n, step_state_q2


def stepped(step, pair, n):
    step_state_q = step.state.q
    step_state_p = step.state.p
    step_size = step.size
    pair_0 = pair[0]
    pair_1_k = pair[1]["k"]
    step_state_q2, step_state_p2, step_size2, n2, step_state_q3 = stepped_parts(step_state_q, step_state_p, step_size, pair_0, pair_1_k, n)
    return Step(State(step_state_q2, step_state_p2), step_size2), {"n": n2, "said": "done"}, [step_state_q3, None, -1e999], np.float32(2.5)


# What the functions above call.


State = namedtuple("State", ["q", "p"])
Step = make_dataclass("Step", ["state", "size"])
