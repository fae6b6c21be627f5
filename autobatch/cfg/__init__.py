"""A Program as basic blocks: lowered, optimised, its variables given homes, its meaning lane by lane."""
