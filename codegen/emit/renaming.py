"""Names in a text replaced, its layout kept: renamed_tokens("y = np.exp(x)", {"np": "_np"}) is "y = _np.exp(x)"."""

from __future__ import annotations

import io
import tokenize
from collections.abc import Iterator, Mapping


def free_tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """The names in a text that are neither attributes nor keywords of a call."""
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    depth = 0
    for k, token in enumerate(tokens):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
        keyword = depth and k + 1 < len(tokens) and tokens[k + 1].string == "="
        attribute = k > 0 and tokens[k - 1].string == "."
        if token.type == tokenize.NAME and not keyword and not attribute:
            yield token


def renamed_tokens(text: str, mapping: Mapping[str, str]) -> str:
    """A text with names replaced.

    >>> renamed_tokens("x = np.sum(a.np, np=1)  # np", {"np": "_np"})
    'x = _np.sum(a.np, np=1)  # np'
    """
    lines = text.splitlines()
    for token in reversed(list(free_tokens(text))):
        if token.string in mapping:
            row, column = token.start[0] - 1, token.start[1]
            lines[row] = (
                lines[row][:column] + mapping[token.string] + lines[row][column + len(token.string) :]
            )
    return "\n".join(lines)
