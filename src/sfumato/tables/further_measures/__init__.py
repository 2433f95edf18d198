"""Measures of tables that stand alone: every file here is one, and is found by being here."""

import importlib
import pkgutil

for _each in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_each.name}")
