"""The command line: `chainrule run`, `bench`, `memory`, `tour`, `ops` and others.

Plain text when the output is no terminal or NO_COLOR is set.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    if arguments[:1] == ["run"]:  # what follows belongs to the program, options included
        from .run import main as run

        return run(arguments[1:])
    if arguments[:1] == ["launch"]:
        from .distributed.launching import main as launch

        return launch(arguments[1:])
    if arguments[:1] == ["bench"]:
        return bench(arguments[1:])
    if arguments[:1] == ["sensitivity"]:
        from .sensitivity.command import main as sensitivity

        return sensitivity(arguments[1:])
    if arguments[:1] == ["memory"]:
        from .run.watched import memory_command

        return memory_command(arguments[1:])
    if arguments[:1] in (["explain"], ["graph"]):
        from .explanation.command import main as explanation

        return explanation(arguments[0], arguments[1:])
    if arguments[:1] == ["doctor"]:
        from .run.diagnosed import main as doctor

        return doctor(arguments[1:])
    if arguments[:1] == ["studio"]:
        from .run.stepped import main as studio

        return studio(arguments[1:])
    if arguments[:1] == ["profile"]:
        from .run.watched import profile_command

        return profile_command(arguments[1:])
    if arguments[:1] in (["install-as-torch"], ["uninstall-as-torch"]):
        from .run import environment

        of = environment.install_command, environment.uninstall_command
        return of[arguments[0].startswith("un")](arguments[1:])
    parser = argparse.ArgumentParser(
        prog="chainrule", description="Automatic differentiation with PyTorch's API, on the CPU."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("run", help="run an unmodified PyTorch script, -m module or -c code")
    commands.add_parser("launch", help="run a PyTorch script in several processes, over MPI")
    commands.add_parser(
        "install-as-torch", help="let `import torch` mean chainrule in this virtual environment"
    )
    commands.add_parser("uninstall-as-torch", help="take that back")
    commands.add_parser("bench", help="compare speed and memory with PyTorch, JAX and others")
    commands.add_parser("memory", help="run a script or file.py:function, report its memory")
    commands.add_parser("profile", help="run a script or file.py:function, report its time")
    commands.add_parser("doctor", help="run a training script, say what is wrong with it and where")
    commands.add_parser(
        "tour", help="a graph, a gradient explained, a model trained and measured: in a few seconds"
    )
    commands.add_parser("explain", help="why a derivative of a function is what it is")
    commands.add_parser("graph", help="the computation graph of a function at a point")
    commands.add_parser("sensitivity", help="what drives the result of a Python function")
    commands.add_parser("studio", help="watch a function or a training run in the browser")
    ops = commands.add_parser("ops", help="list the ops: how each differentiates and batches")
    ops.add_argument("pattern", nargs="?", default="", help="only names that contain this")
    parser.add_argument("--version", action="store_true", help="print the version")
    options = parser.parse_args(arguments)
    if options.version:
        from .version import chainrule as version

        print(version)
        return 0
    if options.command == "tour":
        from .tour import tour

        tour()
        return 0
    if options.command == "ops":
        return list_ops(options.pattern)
    parser.print_help()
    return 2


def coloured() -> bool:
    """Whether to use colours: a terminal, and NO_COLOR not set."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def heading(text: str) -> None:
    """A line of text, underlined."""
    line = f"\n{text}\n{'-' * len(text)}"
    print(f"\033[1m{line}\033[0m" if coloured() else line)


# ---- bench ---------------------------------------------------------------------------------------


def bench(arguments: list[str]) -> int:
    """Run the benchmarks: a part of the installed package, a folder of the source tree."""
    import importlib.util
    from pathlib import Path

    here = Path(__file__).resolve()
    for home in (here.parent / "bench", here.parents[2] / "bench"):
        if (home / "command.py").exists():
            break
    else:
        print("the benchmarks are not part of this installation", file=sys.stderr)
        return 2
    spec = importlib.util.spec_from_file_location(
        "chainrule.bench", home / "__init__.py", submodule_search_locations=[str(home)]
    )
    assert spec is not None and spec.loader is not None
    package = sys.modules["chainrule.bench"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(package)
    return importlib.import_module("chainrule.bench.command").main(arguments)


# ---- ops -----------------------------------------------------------------------------------------


def list_ops(pattern: str) -> int:
    """The table of ops with what each declares."""
    import chainrule  # noqa: F401 - importing it declares the ops
    from chainrule.ops import TABLE

    rows = []
    for name in sorted(TABLE):
        op = TABLE[name]
        if pattern in name:
            rows.append(
                (name, ", ".join(op.inputs), _derivative(op), _batch(op), op.doc.split("\n")[0])
            )
    if not rows:
        print(f"no op has {pattern!r} in its name", file=sys.stderr)
        return 1
    print_table(("op", "inputs", "derivative", "batch", "computes"), rows)
    return 0


def _derivative(op: Any) -> str:
    if op.partials:
        return "partials"
    if op.joint:
        return "joint"
    return "vjp" if op.vjps else "none"


def _batch(op: Any) -> str:
    if isinstance(op.batch, str):
        return op.batch
    return "loop" if op.batch is None else type(op.batch).__name__.lower()


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Columns as wide as their contents."""
    table = [tuple(head), *rows]
    widths = [max(len(r[k]) for r in table) for k in range(len(head))]
    for n, r in enumerate(table):
        line = "  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip()
        print(f"\033[2m{line}\033[0m" if n == 0 and coloured() else line)


if __name__ == "__main__":
    sys.exit(main())
