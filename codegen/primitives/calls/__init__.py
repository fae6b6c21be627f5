"""What calls of NumPy, SciPy and Python's functions build of rows, in files by what they are for."""

import importlib
import pkgutil

for _file in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_file.name}")  # which enters its calls
