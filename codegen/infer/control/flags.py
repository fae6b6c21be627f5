"""Names no user can write: how control left the statements run so far, and the value returned."""

from __future__ import annotations

BROKE, CONTINUED, RETURNED, DEAD, RESULT = "%broke", "%continued", "%returned", "%dead", "%result"
RAISED = tuple(f"%raised{k}" for k in range(8))  # for each handler around, whether it is to run
FLAGS = (BROKE, CONTINUED, RETURNED, *RAISED)
