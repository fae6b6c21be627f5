"""Arrays that hold what is of one dtype: their names in text, by dtype, and what they are made of."""

from __future__ import annotations

from math import prod

import numpy as np

from codegen.emit.spelling import scalar_type
from codegen.ir import Type, Var

ARENAS = {"f8": "F", "i8": "I", "b1": "B", "f4": "F4"}
ARENAS |= {"i4": "I4", "i2": "I2", "i1": "I1", "u8": "U8", "u4": "U4", "u2": "U2", "u1": "U1"}

CODES = {arena: code for code, arena in ARENAS.items()}
DTYPES = {arena: np.dtype(code).name for code, arena in ARENAS.items()}
TYPES = {arena: scalar_type(code) for code, arena in ARENAS.items()}  # as text


def is_stream(var: Var) -> bool:
    return var.type.dtype == "rng"


def element_count(type_: Type) -> int:
    """How many elements an array of known sizes has."""
    return prod(n for n in type_.shape if isinstance(n, int))


def arena_type(type_: Type) -> Type:
    """What a number is kept as: a flag as an int."""
    return Type("i8") if type_.dtype == "b1" else type_
