"""The command line: `chainrule run`, `chainrule bench`, `chainrule tour`, `chainrule ops`.

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
    if arguments[:1] == ["bench"]:
        return bench(arguments[1:])
    parser = argparse.ArgumentParser(
        prog="chainrule", description="Automatic differentiation with PyTorch's API, on the CPU."
    )
    commands = parser.add_subparsers(dest="command", metavar="command")
    commands.add_parser("run", help="run an unmodified PyTorch script, -m module or -c code")
    commands.add_parser("bench", help="compare speed and memory with PyTorch, JAX and others")
    commands.add_parser("tour", help="build a graph, run backward, and look at the tape")
    ops = commands.add_parser("ops", help="list the ops: how each differentiates and batches")
    ops.add_argument("pattern", nargs="?", default="", help="only names that contain this")
    parser.add_argument("--version", action="store_true", help="print the version")
    options = parser.parse_args(arguments)
    if options.version:
        from .version import chainrule as version

        print(version)
        return 0
    if options.command == "tour":
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


# ---- tour ----------------------------------------------------------------------------------------


def tour() -> None:
    """A small network, its loss, the tape that was recorded, and what backward made of it."""
    import chainrule as torch

    heading("1. A network and its loss")
    x = torch.tensor([1.0, 0.5])
    w = torch.tensor([[0.3, 0.7], [-0.2, 0.5]], requires_grad=True)
    b = torch.tensor([0.1, 0.0], requires_grad=True)
    v = torch.tensor([0.6, -0.4], requires_grad=True)
    c = torch.tensor(0.1, requires_grad=True)
    hidden = (w @ x + b).relu()
    prediction = (v @ hidden + c).sigmoid()
    loss = -prediction.log()
    print(f"prediction {prediction.item():.4f}, loss {loss.item():.4f}")

    heading("2. The tape, latest first")
    print_table(("node", "recorded at", "saved", "leads to"), [_row(n) for n in _nodes(loss)])

    heading("3. Backward: one pass, a gradient for every parameter")
    loss.backward()
    for name, p in (("w", w), ("b", b), ("v", v), ("c", c)):
        print(f"d loss / d {name} = {_flat(p.grad)}")

    heading("4. Derivatives of derivatives, forward mode, batches")
    from chainrule.func import grad, hessian, jvp, vmap

    def f(t: Any) -> Any:
        return (t * t).sin()

    t = torch.tensor(1.5)
    print(f"f(t) = sin(t^2) at t = 1.5: f' = {grad(f)(t).item():.5f}, "
          f"f'' = {grad(grad(f))(t).item():.5f}")  # fmt: skip
    print(f"forward mode gives the same: {jvp(f, (t,), (torch.tensor(1.0),))[1].item():.5f}")
    print(f"for a batch at once: {_flat(vmap(grad(f))(torch.tensor([0.5, 1.0, 1.5])))}")
    second = hessian(lambda p: p[0] ** 2 * p[1])(torch.tensor([2.0, 3.0]))
    print(f"hessian of x^2 y at (2, 3): {_flat(second)}")

    heading("5. An error says what happened, where, and what to do")
    try:
        y = w.exp()
        y.add_(1)
        y.sum().backward()
    except RuntimeError as problem:
        print(problem)


def _nodes(loss: Any) -> list[Any]:
    from chainrule.autograd.graph import walk

    return list(walk(loss))


def _row(node: Any) -> tuple[str, str, str, str]:
    if node.name() == "AccumulateGrad":
        return node.name(), "", "", f"leaf {list(node.variable.shape)}"
    parents = ", ".join(p.name() for p, _ in node.next_functions if p is not None)
    saved = ", ".join(_saved(node)) or "nothing"
    return node.name(), node.where().split(" in ")[0], saved, parents


def _saved(node: Any) -> list[str]:
    from chainrule.autograd.record import saved_names, saved_payloads

    values = saved_payloads(node)
    return [
        f"{name} {list(values[name].shape)}"
        for name in saved_names(node.op)
        if hasattr(values[name], "shape")
    ]


def _flat(t: Any) -> str:
    return str([round(float(n), 4) for n in t.reshape(-1).tolist()])


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
