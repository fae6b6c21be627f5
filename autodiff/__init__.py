"""Derivatives: forward mode, reverse mode that re-executes instead of taping, and their compositions."""

from autodiff.api import grad, hessian, hvp, jacfwd, jacobian, jacrev, jvp, value_and_grad
from autodiff.custom import checkpoint, custom_jvp, custom_vjp, stop_gradient
from autodiff.gradcheck import check_grads
from autodiff.linearize import linear_transpose, linearize, vjp
from codegen import __version__
from codegen.definitions.calculus.slopes import enter_slope

__all__ = [
    "__version__",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "grad",
    "hessian",
    "hvp",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "linear_transpose",
    "linearize",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]

enter_slope(value_and_grad)
