"""Where the nodes of libcst's tree stand: positions : module -> {id of a node: (line, column, end line, end column)}.

As libcst's own PositionProvider tells it (lines from 1, columns from 0), which writes the text of each node, counting
as it goes; without objects for places and a second walk, in a quarter of the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import libcst as cst
from libcst.metadata.position_provider import PositionProvider, PositionProvidingCodegenState

Place = tuple[int, int, int, int]


def node_positions(module: cst.Module) -> Mapping[int, Place]:
    """Of a freshly parsed module (no node may stand in it twice), as long as it lives."""
    writer = PositionWriter(
        default_indent=module.default_indent,
        default_newline=module.default_newline,
        provider=PositionProvider(),
    )
    writer.places, writer.begun = {}, []
    module._codegen(writer)
    return writer.places


class PositionWriter(PositionProvidingCodegenState):
    """What libcst's nodes write themselves to, and tell when they begin and end."""

    places: dict[int, Place]
    begun: list[tuple[int, int]]

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        if "\n" in value or "\r" in value:
            self._update_position(value)
        else:
            self.column += len(value)

    def add_indent_tokens(self) -> None:
        self.tokens += self.indent_tokens
        self.column += sum(map(len, self.indent_tokens))

    def before_codegen(self, node: cst.CSTNode) -> None:
        self.begun.append((self.line, self.column))

    def after_codegen(self, node: cst.CSTNode) -> None:
        begin = self.begun.pop()
        if id(node) not in self.places:  # it has not said better itself
            self.places[id(node)] = *begin, self.line, self.column

    def record_syntactic_position(  # type: ignore[override]  # what is entered, written by hand for speed
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,
        end_node: cst.CSTNode | None = None,
    ) -> Recorded:
        return Recorded(self, node, start_node, end_node)


class Recorded:
    """A node without the white space around it: what is written inside, or from one part of it to another."""

    __slots__ = ("begin", "end_node", "node", "start_node", "writer")

    def __init__(
        self,
        writer: PositionWriter,
        node: cst.CSTNode,
        start_node: cst.CSTNode | None,
        end_node: cst.CSTNode | None,
    ):
        self.writer, self.node, self.start_node, self.end_node = writer, node, start_node, end_node

    def __enter__(self) -> None:
        self.begin = self.writer.line, self.writer.column

    def __exit__(self, failed: type[BaseException] | None, *_: Any) -> None:
        if failed is not None:  # what is written inside may have no place
            return
        writer, places = self.writer, self.writer.places
        begin, end = self.begin, (writer.line, writer.column)
        if self.start_node is not None:
            begin = places[id(self.start_node)][:2]
        if self.end_node is not None:
            end = places[id(self.end_node)][2:]
        places[id(self.node)] = *begin, *end
