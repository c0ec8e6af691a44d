"""Stands in for `torch`: importing this gives chainrule, and installs its import hook.

It is found in two places. Processes that a program under `chainrule run` starts have its folder on
their PYTHONPATH; `chainrule install-as-torch` copies it into an environment.
"""

import sys
from pathlib import Path


def _begin() -> None:
    package = Path(__file__).resolve().parents[3]
    within_chainrule = (package / "run" / "for_children" / "torch" / "__init__.py").is_file()
    try:
        import chainrule.run
    except ModuleNotFoundError as problem:
        if problem.name not in ("chainrule", "chainrule.run"):
            raise
        if not within_chainrule:
            raise ModuleNotFoundError(
                "No module named 'torch': what is installed here under this name is chainrule's "
                "stand-in for PyTorch, and chainrule is not installed any more.\n"
                "  Fix: pip install chainrule, or take the stand-in away: pip uninstall torch",
                name="torch",
            ) from None
        sys.path.append(str(package.parent))  # the parent process had it on a path of its own
        import chainrule.run
    sys.modules["torch"] = chainrule
    if within_chainrule:
        chainrule.run.install()
    else:  # other interpreters must not see this environment's torch
        chainrule.run.stand_in()


_begin()
