"""The intermediate representation: its nodes (nodes.py), and what builds, prints, checks, runs and renames them."""

from codegen.ir.nodes import (
    Apply,
    Atom,
    Block,
    Call,
    Dim,
    Equation,
    For,
    Function,
    If,
    Lit,
    Operation,
    Program,
    Type,
    Var,
    While,
    program,
)

__all__ = [
    "Apply", "Atom", "Block", "Call", "Dim", "Equation", "For", "Function", "If", "Lit", "Operation", "Program",
    "Type", "Var", "While", "program",
]  # fmt: skip
