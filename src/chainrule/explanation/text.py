"""An explanation in words and tables, and as plain data."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from ..reading.svg import short_number
from ..reading.terminal import TIMES, Block, Table, Text, Tree
from .flows import norm
from .paths import Path, Step, array_data, fraction

SHOWN_LINKS = 12  # of one path; a longer one is shown by its ends and its biggest links
SHOWN_MERGES = 5
SHOWN_GROUPS = 12


def blocks(e: Any) -> list[Block]:
    """What `print(explanation)` shows."""
    made: list[Block] = [Text(headline(e))]
    if len(e.chain) > 1:
        made.append(chain_table(e))
    made += [path_table(e, k) for k in range(len(e.paths)) if _worth_showing(e, k)]
    made.append(Text(closing(e)))
    if e.kind == "tensor":
        made += _merge_table(e)
        made += _group_table(e)
    return made


def _worth_showing(e: Any, k: int) -> bool:
    """One path that is the chain, link by link, need not be shown twice."""
    return not (e.count == 1 and len(e.chain) == len(e.paths[0].links) > 1) and k < (
        3 if e.count <= 3 else 2
    )


def headline(e: Any) -> list[str]:
    if e.kind == "scalar":
        value = short_number(float(e.gradient._a.reshape(())), 6)
        first = f"{fraction(e.y_name, e.x_name)} = {value}"
    else:
        first = (
            f"{fraction(e.y_name, e.x_name)}: shape {list(e.gradient.shape)}, "
            f"norm {short_number(norm(e.gradient._a), 6)}"
        )
    biggest = e.largest_link() if e.paths and e.paths[0].links else None
    if biggest is None:
        return [first, f"  {e.y_name} is {e.x_name} itself."]
    size = biggest.multiplier if isinstance(biggest, Step) else biggest.derivative
    word = "biggest multiplier" if e.kind == "scalar" else "biggest gain"
    second = f"  {word}: {TIMES}{short_number(size)} from {biggest.by} to {biggest.result}"
    return [first, f"{second}, {biggest.place.label}" if biggest.place.line else second]


def chain_table(e: Any) -> Table:
    """The steps between named values."""
    scalar = e.kind == "scalar"
    head = (
        "step",
        "derivative" if scalar else "gain",
        "product" if scalar else "norm",
        "ways",
        "line",
    )
    steps, notes = _ends(e.chain)
    rows = [
        (fraction(s.result, s.by), short_number(s.multiplier, 6), short_number(s.product, 6),
         short_number(s.ways), s.place.label)
        for s in steps
    ]  # fmt: skip
    return Table(
        "the chain, output first (every path goes through these values)", head, rows, notes
    )


def _ends(rows: Sequence[Any]) -> tuple[list[Any], list[str]]:
    if len(rows) <= SHOWN_LINKS:
        return list(rows), []
    half = SHOWN_LINKS // 2
    return [*rows[:half], *rows[-half:]], [
        f"({len(rows) - SHOWN_LINKS} steps in the middle left out)"
    ]


def path_table(e: Any, k: int) -> Table:
    """One path, link by link."""
    p: Path = e.paths[k]
    head = ("link", "op", "derivative" if e.kind == "scalar" else "gain",
            "product" if e.kind == "scalar" else "norm", "module", "line")  # fmt: skip
    links, notes = _ends(p.links)
    rows = [
        (f"{s.result} <- {s.by}", s.op, short_number(s.derivative, 6), short_number(s.product, 6),
         s.module, s.place.short if s.place.line else "")
        for s in links
    ]  # fmt: skip
    if not any(r[4] for r in rows):
        head = head[:4] + head[5:]
        rows = [r[:4] + r[5:] for r in rows]
    return Table(f"path {k + 1} of {_many(e.count)}: {_brings(e, p)}", head, rows, notes)


def _brings(e: Any, p: Path) -> str:
    share = "" if math.isnan(p.share) else f" ({_percent(p.share)} of the gradient)"
    if e.kind == "scalar":
        return f"contributes {short_number(p.contribution, 6)}{share}"
    return (
        f"contributes norm {short_number(p.norm, 6)}{share}, cosine with the gradient "
        f"{p.alignment:+.3f}"
    )


def _percent(share: float) -> str:
    return (
        f"{share:.1%}" if abs(share) >= 0.0005 or share == 0 else f"{short_number(100 * share, 2)}%"
    )


def _many(count: int) -> str:
    return f"{count:,}" if count < 10**7 else f"about {float(count):.2e}"


def closing(e: Any) -> list[str]:
    """What was left out, and whether it adds up."""
    lines = []
    if e.count > len(e.paths):
        rest = e.remaining
        size = (
            short_number(rest, 6)
            if e.kind == "scalar"
            else f"norm {short_number(norm(rest._a), 6)}"
        )
        lines.append(
            f"{len(e.paths)} of {_many(e.count)} paths are listed; all others together "
            f"bring {size}."
        )
        if e.kind == "scalar":
            lines.append(
                f"All paths together weigh {short_number(e.total_absolute)} in absolute value, "
                f"spread as over {short_number(math.exp(min(e.entropy, 700)), 3)} equal ones."
            )
    if e.kind == "tensor" and e.count > 1:
        lines.append("Paths are ranked by gain along the actual gradient; contributions are exact.")
    check = e.check
    good = "ok" if check.ok else "DIFFERENT: the tape was changed, or a rule is wrong"
    lines.append(
        f"sum of all paths against {check.engine}: {good} "
        f"(difference {short_number(check.difference, 2)})"
    )
    if e.tape.changes_gradients():
        lines.append(
            "Hooks on this graph may change the gradient in backward(); they were not run."
        )
    return lines


def _merge_table(e: Any) -> list[Block]:
    merges = sorted(e.merges, key=lambda m: m.alignment)[:SHOWN_MERGES]
    if not merges:
        return []
    from .paths import label_of

    rows = []
    for m in merges:
        branches = ", ".join(
            f"{label_of(link.child)} {short_number(size, 3)} ({c:+.2f})"
            for link, size, c in m.branches[:4]
        )
        if len(m.branches) > 4:
            branches += f" and {len(m.branches) - 4} more"
        rows.append((label_of(m.vertex), f"{m.alignment:.3f}", short_number(m.norm), branches))
    title = "where gradients meet (1 = they agree, 0 = they cancel), least aligned first"
    return [Table(title, ("value", "alignment", "norm", "coming from (norm, cosine)"), rows)]


def _group_table(e: Any) -> list[Block]:
    groups = e.by_layer()
    title = "gain by layer"
    if len(groups) < 2:
        groups, title = e.by_line(), "gain by line"
    if len(groups) < 2:
        return []
    rows = [
        (g.name, short_number(g.entering), short_number(g.leaving), short_number(g.gain))
        for g in groups[:SHOWN_GROUPS]
    ]
    left = len(groups) - len(rows)
    notes = [f"(and {left} more)"] if left > 0 else []
    return [Table(title, ("where", "gradient in", "gradient out", "gain"), rows, notes)]


def tree(e: Any) -> Tree:
    """The listed paths as a tree from the output; what they share is drawn once."""
    root = Tree(e.y_name)
    for p in e.paths:
        at = root
        links, left = _middle_cut(p.links)
        for k, link in enumerate(links):
            if left and k == len(links) // 2:
                between = Tree(f"... {left} links ...")
                at.children.append(between)
                at = between
            text = f"{link.by}  {TIMES}{short_number(link.derivative)}  [{link.op}]"
            found = next((c for c in at.children if c.text == text), None)
            if found is None:
                found = Tree(text)
                at.children.append(found)
            at = found
        at.children.append(Tree(_brings(e, p)))
    return root


def _middle_cut(links: tuple[Any, ...]) -> tuple[tuple[Any, ...], int]:
    if len(links) <= 2 * SHOWN_LINKS:
        return links, 0
    return links[:SHOWN_LINKS] + links[-SHOWN_LINKS:], len(links) - 2 * SHOWN_LINKS


def as_dict(e: Any) -> dict[str, Any]:
    """Everything an explanation says, as plain data; numbers JSON has no word for become text."""
    gradient = e.gradient._a
    data = {
        "output": e.y_name, "input": e.x_name, "kind": e.kind,
        "gradient": array_data(gradient), "norm": norm(gradient),
        "paths": [p.as_dict() for p in e.paths], "path_count": e.count,
        "chain": [s.as_dict() for s in e.chain],
        "remaining": e.remaining if e.kind == "scalar" else array_data(e.remaining._a),
        "check": {"difference": e.check.difference, "tolerance": e.check.tolerance,
                  "ok": e.check.ok},
        "by_line": [g.as_dict() for g in e.by_line()],
        "by_module": [g.as_dict() for g in e.by_module()],
    }  # fmt: skip
    if e.kind == "scalar":
        data |= {"total_absolute": e.total_absolute, "entropy": e.entropy}
    return _plain(data)


def _plain(x: Any) -> Any:
    if isinstance(x, dict):
        return {k: _plain(v) for k, v in x.items()}
    if isinstance(x, list):
        return [_plain(v) for v in x]
    if isinstance(x, complex):
        return {"real": x.real, "imag": x.imag}
    return str(x) if isinstance(x, float) and not math.isfinite(x) else x


__all__ = ["as_dict", "blocks", "headline", "tree"]
