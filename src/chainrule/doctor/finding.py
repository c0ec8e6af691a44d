"""What the doctor says: findings, each with the line of its cause, its evidence and its fix."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from .positions import NOWHERE, Position

ERROR, WARNING, NOTE = "error", "warning", "note"
SEVERITIES = (ERROR, WARNING, NOTE)


@dataclass
class Finding:
    """One thing that is wrong, told once."""

    rule: str
    severity: str
    where: Position  # of the cause, not of the symptom
    message: str  # one sentence
    evidence: list[str] = field(default_factory=list)  # what was seen, with numbers
    fix: str = ""  # a changed line where one exists
    about: frozenset[Any] = frozenset()  # what it is about: parameters, sites, layers (for folding)
    only_as_cause: bool = False  # worth telling only if it explains something else
    folded: list[Finding] = field(default_factory=list)  # symptoms that this cause explains
    curves: dict[str, list[tuple[float, float]]] = field(default_factory=dict)

    @property
    def file(self) -> str:
        return self.where.file

    @property
    def line(self) -> int:
        return self.where.line

    @property
    def page(self) -> str:
        """The documentation's page of the rule."""
        return f"doctor/{self.rule}.md"

    def facts(self) -> dict[str, Any]:
        """The finding as JSON tells it."""
        return {
            "rule": self.rule,
            "severity": self.severity,
            "file": self.file,
            "line": self.line,
            "message": self.message,
            "evidence": list(self.evidence),
            "fix": self.fix,
            "symptoms": [f.rule for f in self.folded],
            "docs": self.page,
        }


__all__ = ["ERROR", "NOTE", "NOWHERE", "SEVERITIES", "WARNING", "Finding", "asdict"]
