"""Stands in for `torch` in the processes that a program under `chainrule run` starts.

This folder is on their PYTHONPATH. Importing this file installs the hook, and the import statement
gets chainrule instead of this module.
"""

import sys


def _stand_in() -> None:
    try:
        import chainrule.run
    except ModuleNotFoundError:  # the parent had chainrule on a path of its own
        from pathlib import Path

        sys.path.append(str(Path(__file__).resolve().parents[3]))
        import chainrule.run
    sys.modules["torch"] = chainrule
    chainrule.run.install()


_stand_in()
