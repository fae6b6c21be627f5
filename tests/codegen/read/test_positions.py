"""Where nodes stand: what libcst's own provider says of every node."""

from __future__ import annotations

from pathlib import Path

import libcst as cst
import pytest
from libcst.metadata import MetadataWrapper, PositionProvider

from codegen.read import positions, scope

ODD = "def f( x ) :\r\n\tif  x :  # so\r\n\t\treturn [ a  for  a in ( x, ) if not a ]\r\n\treturn -x \\\r\n\t\t+ 1;\r\n"


@pytest.mark.parametrize("text", [ODD, Path(scope.__file__).read_text(), "x = 1  # no end of the line"])
def test_as_libcst_tells(text: str) -> None:
    module = cst.parse_module(text)
    found = positions.node_positions(module)
    told = MetadataWrapper(module, unsafe_skip_copy=True).resolve(PositionProvider)
    assert len(found) == len(told)
    for node, at in told.items():
        assert found[id(node)] == (at.start.line, at.start.column, at.end.line, at.end.column)
