"""Functions of functions of the program: ordinary differential equations, integrals, roots."""

from codegen.definitions.calculus import initial_values, quadrature, roots  # noqa: F401
