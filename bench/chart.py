"""How many times less chainrule needs than its best peer: a picture, or bars of text."""

from math import log2
from pathlib import Path
from typing import Any

from .case import PEERS
from .driver import Row

WIDTH = 40
OURS = ("compiled", "chainrule")
# Bars end here; what is further away is as good (or as bad).
LONGEST = 16.0


def bars(rows: list[Row]) -> list[tuple[str, float, float | None]]:
    """Name, ratio of our best engine to the best peer, and the ratio that is wanted."""
    found = []
    for row in rows:
        peer, ours = row.winner(PEERS), row.winner(OURS)
        goals = [goal.ratio for goal in row.goals if goal.engine == ours]
        if row.goals and peer and ours and (ratio := row.ratio(peer, ours)):
            found.append((row.name, ratio, goals[0] if goals else None))
    return found


def as_text(rows: list[Row]) -> str:
    """Bars to the right of the line where ours needs less, each step a factor of two."""
    found = bars(rows)
    if not found:
        return ""
    name_width = max(len(name) for name, _, _ in found)
    half = WIDTH // 2
    lines = [f"{'best peer : chainrule':{name_width}}  {'slower':<{half}}1{'faster':>{half}}"]
    for name, ratio, _ in found:
        steps = log2(min(max(ratio, 1 / LONGEST), LONGEST)) / log2(LONGEST) * half
        filled = "#" * max(round(abs(steps)), 1 if ratio != 1 else 0)
        left, right = (filled, "") if steps < 0 else ("", filled)
        lines.append(f"{name:{name_width}}  {left:>{half}}|{right:<{half}}  {ratio:.2f}x")
    return "\n".join(lines)


def write(path: str, rows: list[Row]) -> str:
    """Draw to a PNG or SVG file; without matplotlib, text next to it. Returns what was written."""
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        import matplotlib
    except ImportError:
        target = target.with_suffix(".txt")
        target.write_text(as_text(rows) + "\n", encoding="utf-8")
        return f"wrote {target} (bars of text: matplotlib is not installed)"
    matplotlib.use("Agg")
    draw(bars(rows)).savefig(target, bbox_inches="tight", dpi=150)
    return f"wrote {target}"


def draw(found: list[tuple[str, float, float | None]]) -> Any:
    from matplotlib.figure import Figure
    from matplotlib.ticker import FuncFormatter

    figure = Figure(figsize=(8, 1 + 0.22 * len(found)))
    axes = figure.add_subplot()
    for place, (_, ratio, goal) in enumerate(found):
        colour = "#2a7f62" if ratio >= (goal or 1) else "#d9a441" if ratio >= 1 else "#b5483a"
        axes.barh(place, ratio - 1, left=1, color=colour)
        axes.annotate(
            f"{ratio:.2f}x", (max(ratio, 1), place), (3, 0), textcoords="offset points",
            va="center", fontsize=7,
        )  # fmt: skip
        if goal is not None:
            axes.plot([goal, goal], [place - 0.4, place + 0.4], color="black", linewidth=1)
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}x"))
    axes.axvline(1, color="black", linewidth=0.5)
    axes.set_yticks(range(len(found)), [name for name, _, _ in found], fontsize=7)
    axes.invert_yaxis()
    axes.set_title("time of the best peer / time of chainrule; the marks are the goals", fontsize=9)
    return figure
