"""The findings of a run: in a terminal, as plain text, as a page, as JSON."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterable
from typing import Any

from ..reading import html
from ..reading.markup import escape
from ..reading.svg import line_chart
from ..reading.terminal import Block, Report, Text
from .finding import ERROR, NOTE, WARNING, Finding
from .folding import fold
from .run import LOOKED_FIRST, Run

_IGNORED = re.compile(r"#\s*doctor:\s*ignore(?:\[([\w\s,-]*)\])?")
_SIGNS = {ERROR: "error", WARNING: "warning", NOTE: "note"}


class Diagnosis(Report):
    """What the doctor says about a run."""

    def __init__(self, run: Run) -> None:
        self.run = run
        said = [finding for rule in run.rules for finding in _said_by(rule, run)]
        told = [f for f in fold(said) if f.rule not in run.ignored]
        self.findings = [f for f in told if not is_ignored(f)]

    @property
    def code(self) -> int:
        """The exit code: 1 with findings that are errors or warnings."""
        return int(any(f.severity in (ERROR, WARNING) for f in self.findings))

    def blocks(self) -> list[Block]:
        blocks: list[Block] = [Text([self.headline()])]
        blocks += [Text(_lines(f)) for f in self.findings]
        blind = self.blind()
        return [*blocks, Text(blind)] if blind else blocks

    def headline(self) -> str:
        """One line: how much was seen, and how many findings there are."""
        run, count = self.run, len(self.findings)
        seen = f"{run.passes:,} backward passes, {run.steps:,} optimizer steps"
        if not count:
            return f"doctor: nothing found ({seen})"
        return f"doctor: {count} finding{'s' if count > 1 else ''} ({seen})"

    def blind(self) -> list[str]:
        """What could not be seen."""
        lines = [
            f"{name} stumbled over this program and was left out ({problem})"
            for name, problem in self.run.failures.items()
        ]
        if not self.run.compiled:
            return lines
        return [
            *lines,
            f"the first {LOOKED_FIRST} calls of each compiled function ran eagerly; the "
            f"{self.run.compiled:,} after them ran as plans, which are not looked into.",
        ]

    def facts(self) -> dict[str, Any]:
        """The report as JSON tells it."""
        run = self.run
        return {
            "findings": [f.facts() for f in self.findings],
            "passes": run.passes,
            "steps": run.steps,
            "losses": {s.position.short: s.losses.points for s in run.sites.values()},
            "raised": None if run.problem is None else type(run.problem).__name__,
            "compiled_calls": run.compiled,
        }

    def to_json(self) -> str:
        return json.dumps(self.facts(), indent=2)

    def to_html(self) -> str:
        """A page with the curves behind each finding; it needs nothing else."""
        parts = [f"<h1>{escape(self.headline())}</h1>"]
        losses = {f"loss at {s.label}": _points(s) for s in _sites(self.run)}
        for finding in self.findings:
            parts.append(_section(finding, losses))
        curves = {s.label: _points(s) for s in _sites(self.run)}
        if curves:
            parts.append("<h2>Losses</h2>" + _chart(curves, "loss"))
        parts += [f"<p>{escape(line)}</p>" for line in self.blind()]
        return html.page("chainrule doctor", "".join(parts))

    def _repr_html_(self) -> str:
        return self.to_html()


def _said_by(rule: Any, run: Run) -> list[Finding]:
    try:
        return list(rule.findings())
    except Exception as problem:  # the others are still worth hearing
        run.failures[type(rule).__name__] = f"{type(problem).__name__}: {problem}"
        return []


def _sites(run: Run) -> Iterable[Any]:
    return [s for s in run.sites.values() if s.losses.points]


def _lines(finding: Finding) -> list[str]:
    where = finding.where
    lines = [f"{_SIGNS[finding.severity]}: {finding.rule}: {finding.message}"]
    if where.line:
        lines.append(f"  at {where.short}: {where.text}" if where.text else f"  at {where.short}")
    lines += [f"  seen: {text}" for text in finding.evidence]
    if finding.fix:
        lines.append(f"  fix:  {finding.fix}")
    if finding.folded:
        lines.append(f"  this explains: {_symptoms(finding)}")
    lines.append(f"  more: docs/{finding.page}")
    return lines


def _symptoms(finding: Finding) -> str:
    return ", ".join(dict.fromkeys(f.rule for f in finding.folded))


def _points(site: Any) -> list[tuple[float, float]]:
    return [(float(x), y) for x, y in site.losses.points]


def _section(finding: Finding, losses: dict[str, list[tuple[float, float]]]) -> str:
    """A finding with the curves behind it; without curves of its own the losses show its course."""
    where = finding.where
    place = f"<p><code>{escape(where.short)}</code> <code>{escape(where.text)}</code></p>"
    seen = "".join(f"<li>{escape(text)}</li>" for text in finding.evidence)
    fix = f"<p>Fix: <code>{escape(finding.fix)}</code></p>" if finding.fix else ""
    curves = finding.curves or losses
    chart = _chart(curves, "value") if curves else ""
    title = f"{finding.severity}: {finding.rule}"
    symptoms = f"<p>This explains: {escape(_symptoms(finding))}</p>" if finding.folded else ""
    return (
        f"<h2>{escape(title)}</h2><p>{escape(finding.message)}</p>{place}"
        f"<ul>{seen}</ul>{fix}{symptoms}{_about(finding)}{chart}"
    )


def _about(finding: Finding) -> str:
    """What the rule watches, in its own words: the page of the documentation may be far away."""
    from .rules import RULES

    words = next((inspect.getdoc(rule) or "" for rule in RULES if rule.id == finding.rule), "")
    parts = "".join(f"<p>{escape(part)}</p>" for part in words.split("\n\n"))
    more = f"<p>More: <code>docs/{escape(finding.page)}</code></p>"
    return f"<details><summary>About this rule</summary>{parts}{more}</details>"


def _chart(curves: dict[str, list[tuple[float, float]]], label: str) -> str:
    series = [(name, [x for x, _ in ps], [y for _, y in ps]) for name, ps in curves.items()]
    return line_chart(series, x_label="backward pass", y_label=label)


def is_ignored(finding: Finding) -> bool:
    """Whether the finding's line says `# doctor: ignore` or `# doctor: ignore[rule]`."""
    found = _IGNORED.search(finding.where.text)
    if found is None:
        return False
    return found[1] is None or finding.rule in {name.strip() for name in found[1].split(",")}


__all__ = ["Diagnosis", "is_ignored"]
