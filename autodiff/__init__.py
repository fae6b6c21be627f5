"""Derivatives: forward mode, reverse mode that re-executes instead of taping, and their compositions."""

from autodiff.api import (
    grad,
    hessian,
    hvp,
    jacfwd,
    jacobian,
    jacrev,
    jvp,
    value_and_grad,
)

__all__ = ["grad", "hessian", "hvp", "jacfwd", "jacobian", "jacrev", "jvp", "value_and_grad"]
