"""Where the time of a batched call goes: probes in emitted text, what they noted, a table, a plot."""
