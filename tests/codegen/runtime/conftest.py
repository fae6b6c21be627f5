"""Functions that emitted text carries along are compiled here as they are there."""

import sys

import pytest

from codegen.backend.machine_code import lean


@pytest.hookimpl(trylast=True)
def pytest_collection_finish() -> None:
    modules = [module for name, module in sys.modules.items() if name.startswith("codegen.runtime.")]
    for each in [each for module in modules for each in vars(module).values() if hasattr(each, "py_func")]:
        lean(each)
