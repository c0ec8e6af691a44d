"""Runs a module of this package by its path: `python .../bench/start.py worker ENGINE THREADS`.

The interpreter of the peers need not have chainrule. Putting the folder of an installed chainrule
on the path instead would let its modules (`random`, `types`) shadow the standard library's.
"""

import importlib.util
import runpy
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent


def load() -> None:
    """Make this folder the package `bench`, wherever it lies."""
    spec = importlib.util.spec_from_file_location(
        "bench", HERE / "__init__.py", submodule_search_locations=[str(HERE)]
    )
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["bench"] = module
    spec.loader.exec_module(module)


if __name__ == "__main__":
    sys.path = [entry for entry in sys.path if Path(entry).resolve() != HERE]
    load()
    sys.argv = sys.argv[1:]
    runpy.run_module(f"bench.{sys.argv[0]}", run_name="__main__", alter_sys=True)
