"""Write the pages of the documentation that are read from the tables.

python tools/generate_docs.py            writes docs/ops.md, docs/missing_ops.md and docs/inert.md
python tools/generate_docs.py --check    names those that are out of date
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT / "src"), str(ROOT / "tests")]

from ops.harness import surface  # noqa: E402

import chainrule  # noqa: E402
from chainrule.ops.schema import TABLE, Op  # noqa: E402
from chainrule.standins import kinds, table  # noqa: E402
from chainrule.tensor import API  # noqa: E402

OPS_HEAD = """# The ops

Every row of the table in `src/chainrule/ops`, by family. Written by `tools/generate_docs.py`; a
test compares. Public functions with signatures of their own (`sum(dim=...)`) are written over it.

- **derivative**: *partials* (element by element: one factor gives both directions), *vjp* or
  *joint* (a rule for the backward pass; joint rules compute all gradients at once), *linear* (the
  op is its own forward derivative), *none*. All rules are written in ops, so they differentiate.
- **vmap**: *elementwise*, *axes* (the batch goes in front and axes shift), *own rule*, *loop* (one
  call per entry: correct, slow).
- **compiled**: how `chainrule.compile` lowers it; ops without a lowering run through NumPy inside
  the compiled plan.

{count} ops, {diff} of them differentiable, {lowered} lowered to machine code.
"""

MISSING_HEAD = """# Names that are missing

The op surface (`tests/ops/surface.txt`) has {total} names; {there} of them exist and {missing} are
missing. Written by `tools/generate_docs.py`; `tests/test_completeness.py` fails when a name is
missing that is not listed here, or listed though it exists.
"""

CHOICES_HEAD = """Enumerations: naming a member works; what takes it says itself what it does.

"""

INERT_HEAD = """# Names that only stand for something

Programs import names for GPUs, clusters, quantized integers or PyTorch's internals long before they
use them, and most never do. Such names can be imported here; this page lists every one of them and
what happens when it is used. Nothing of it pretends to have worked: a name is *refused* (using it
raises, and says why), *answers* a question with the plain truth, or does *nothing* because on a CPU
in one process there is nothing to do. Written by `tools/generate_docs.py` from
`src/chainrule/standins/rows`; a test compares.

{refused} names are refused, {answers} answer, {inert} do nothing.
"""


def family_of(op: Op) -> str:
    """The module that declares an op; ops made from others have no file and are copies."""
    path = Path(op.source[0])
    return path.stem if path.suffix == ".py" and path.parent.name == "ops" else "copies"


def derivative(op: Op) -> str:
    if not op.differentiable:
        return "none"
    kinds = ["partials"] * bool(op.partials)
    kinds += ["vjp"] * bool(op.vjps) + ["joint"] * bool(op.joint)
    kinds += ["linear"] * bool(op.linear)
    return ", ".join(kinds)


def batching(op: Op) -> str:
    if op.batch is None:
        return "random" if op.random else "none"
    if isinstance(op.batch, str):
        return op.batch
    return {"Front": "axes"}.get(type(op.batch).__name__, "own rule")


def lowering(op: Op) -> str:
    return type(op.lower).__name__.lower() if op.lower is not None else "NumPy"


def public_names() -> dict[str, list[str]]:
    """Op name -> the public names that call it directly."""
    found: dict[str, list[str]] = {}
    for record in API.values():
        op = record.function.__dict__.get("op")
        names = [record.path, *(a.removeprefix(".") for a in record.aliases)]
        key = op.name if op is not None else record.name
        if key in TABLE and not (op is None and record.namespace in ("fft", "linalg")):
            found.setdefault(key, []).extend(n for n in names if n not in found.get(key, []))
    return found


def row(op: Op, names: dict[str, list[str]]) -> str:
    doc = " ".join(op.doc.split("\n\n")[0].split()).replace("|", "\\|")
    shown = ", ".join(f"`{n}`" for n in sorted(names.get(op.name, ())))
    cells = (f"`{op.name}`", doc, derivative(op), batching(op), lowering(op), shown)
    return "| " + " | ".join(cells) + " |"


def ops_page() -> str:
    families: dict[str, list[Op]] = {}
    for op in TABLE.values():
        families.setdefault(family_of(op), []).append(op)
    names = public_names()
    text = OPS_HEAD.format(
        count=len(TABLE),
        diff=sum(op.differentiable for op in TABLE.values()),
        lowered=sum(op.lower is not None for op in TABLE.values()),
    )
    for family in sorted(families):
        text += (
            f"\n## {family}\n\n| op | what it computes | derivative | vmap | compiled | public |\n"
        )
        text += "|---|---|---|---|---|---|\n"
        text += "".join(row(op, names) + "\n" for op in sorted(families[family], key=_name))
    return text


def _name(op: Op) -> str:
    return op.name


def exists(path: str) -> bool:
    """Whether the package or its Tensor has the name as something to call (a type is none)."""
    found: Any = chainrule
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not None and not isinstance(found, chainrule.dtype):
        return True
    return hasattr(chainrule.Tensor, path.removeprefix("Tensor."))


def missing_page() -> str:
    names = list(surface())
    missing = [n for n in names if not exists(n)]
    there = len(names) - len(missing)
    text = MISSING_HEAD.format(total=len(names), there=there, missing=len(missing) or "none")
    return text + ("\n" + "".join(f"- `{n}`\n" for n in sorted(missing)) if missing else "")


def stand_ins(kind: type[kinds.Row]) -> list[Any]:
    """The rows of one kind that hold names, by module."""
    found = [r for rows in table.by_module().values() for r in rows if isinstance(r, kind)]
    return sorted((r for r in found if r.names), key=lambda r: (r.module, r.names))


def names_of(row: kinds.Row) -> str:
    return f"`{'torch.' * bool(row.module) + (row.module or 'torch')}`: " + ", ".join(
        f"`{name}`" for name in row.names
    )


def inert_page() -> str:
    """What is refused by reason, then what answers, then what does nothing."""
    refused, answers, inert = map(stand_ins, (kinds.Refused, kinds.Answer, kinds.Inert))
    counts = [sum(len(r.names) for r in rows) for rows in (refused, answers, inert)]
    text = INERT_HEAD.format(refused=counts[0], answers=counts[1], inert=counts[2])
    reasons = {r.reason.title: r.reason for r in refused}
    for title in sorted(reasons):
        reason = reasons[title]
        text += f"\n## Refused: {title[0].lower()}{title[1:]}\n\n"
        text += (
            f"Using one raises `{reason.error.__name__}`: {reason.phrase}. Fix: {reason.fix}\n\n"
        )
        text += "".join(f"- {names_of(r)}\n" for r in refused if r.reason is reason)
    text += "\n## Answers\n\n"
    text += "".join(f"- {names_of(r)}: {r.why} ({shown(r.value)})\n" for r in answers)
    text += "\n## Can be named\n\n" + CHOICES_HEAD
    text += "".join(f"- {names_of(r)}: {', '.join(r.values)}\n" for r in stand_ins(kinds.Choices))
    text += "\n## Does nothing\n\n" + "".join(f"- {names_of(r)}: {r.why}\n" for r in inert)
    return text


def shown(value: Any) -> str:
    return f"`{value()!r}`" if value in (list, dict) else f"`{value!r}`"


def pages() -> dict[Path, str]:
    """Every generated page and its text."""
    docs = ROOT / "docs"
    return {
        docs / "ops.md": ops_page(),
        docs / "missing_ops.md": missing_page(),
        docs / "inert.md": inert_page(),
    }


def main(arguments: list[str]) -> int:
    check, stale = "--check" in arguments, []
    for path, text in pages().items():
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            stale.append(path.relative_to(ROOT))
            if not check:
                path.write_text(text, encoding="utf-8")
    print("\n".join(f"{'out of date' if check else 'wrote'}: {p}" for p in stale) or "up to date")
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
