"""The command line: `chainrule run`, `bench`, `memory`, `tour`, `ops` and others.

Plain text when the output is no terminal or NO_COLOR is set.
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Sequence
from typing import Any

# (command, where it is carried out as module:function, what it does). What follows a command
# belongs to it, options included; `explain` and `graph` are one program that is told its name.
COMMANDS = (
    ("run", "run:main", "run an unmodified PyTorch script, -m module or -c code"),
    ("launch", "distributed.launching:main", "run a PyTorch script in several processes, over MPI"),
    ("install-as-torch", "run.environment:install_command",
     "let `import torch` mean chainrule in this virtual environment"),
    ("uninstall-as-torch", "run.environment:uninstall_command", "take that back"),
    ("bench", "cli:bench", "compare speed and memory with PyTorch, JAX and others"),
    ("memory", "run.watched:memory_command",
     "run a script or file.py:function, report its memory"),
    ("profile", "run.watched:profile_command",
     "run a script or file.py:function, report its time"),
    ("doctor", "run.diagnosed:main", "run a training script, say what is wrong with it and where"),
    ("tour", "", "a graph, a gradient explained, a model trained and measured: in a few seconds"),
    ("explain", "explanation.command:main", "why a derivative of a function is what it is"),
    ("graph", "explanation.command:main", "the computation graph of a function at a point"),
    ("sensitivity", "sensitivity.command:main", "what drives the result of a Python function"),
    ("studio", "run.stepped:main", "watch a function or a training run in the browser"),
    ("ops", "", "list the ops: how each differentiates and batches"),
)  # fmt: skip
_HOMES = {name: home for name, home, _ in COMMANDS if home}


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    arguments = sys.argv[1:] if argv is None else list(argv)
    command = arguments[0] if arguments else ""
    if command in _HOMES:
        module, _, function = _HOMES[command].partition(":")
        home = importlib.import_module(f".{module}", __package__)
        named = [command] if module == "explanation.command" else []
        return getattr(home, function)(*named, arguments[1:])
    parser = _parser()
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


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="chainrule", description="Automatic differentiation with PyTorch's API, on the CPU."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    made = {name: commands.add_parser(name, help=what) for name, _, what in COMMANDS}
    made["ops"].add_argument("pattern", nargs="?", default="", help="only names that contain this")
    parser.add_argument("--version", action="store_true", help="print the version")
    return parser


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
    from .reading.terminal import colours

    table = [tuple(head), *rows]
    widths = [max(len(r[k]) for r in table) for k in range(len(head))]
    for n, r in enumerate(table):
        line = "  ".join(cell.ljust(w) for cell, w in zip(r, widths, strict=True)).rstrip()
        print(f"\033[2m{line}\033[0m" if n == 0 and colours() else line)


if __name__ == "__main__":
    sys.exit(main())
