"""One cause, one finding: symptoms go under the finding that explains them.

A cause explains the symptoms below it in `EXPLAINS`, if both are about the same thing: a finding
that is about nothing in particular may explain, and be explained by, any other.
"""

from __future__ import annotations

from .finding import ERROR, SEVERITIES, Finding

_TROUBLE = {
    "vanishing-gradient", "exploding-gradient", "dead-relu", "saturated-activation", "lr-too-high",
    "lr-too-low", "constant-output", "bad-initialization", "unscaled-input",
}  # fmt: skip
_STRUCTURE = {
    "missing-zero-grad", "no-grad-training", "graph-grows", "unused-parameter", "stale-optimizer",
    "parameter-not-in-optimizer", "loss-activation-mismatch", "target-shape-broadcast",
    "step-order", "eval-mode-training", "wrong-dim-softmax", "unclipped-before-unscale",
    "accumulation-unscaled", "data-not-shuffled-or-label-misaligned", "fp16-underflow",
}  # fmt: skip

EXPLAINS: dict[str, set[str]] = {
    **{name: set(_TROUBLE) for name in _STRUCTURE},
    "no-grad-training": {*_TROUBLE, "unused-parameter", "step-order", "missing-zero-grad",
                         "eval-mode-training", "parameter-not-in-optimizer"},
    "stale-optimizer": {*_TROUBLE, "unused-parameter", "parameter-not-in-optimizer",
                        "missing-zero-grad", "step-order", "no-grad-training"},
    "parameter-not-in-optimizer": {*_TROUBLE, "missing-zero-grad"},
    "step-order": {*_TROUBLE, "missing-zero-grad", "unused-parameter", "inplace-corruption"},
    "graph-grows": {*_TROUBLE, "graph-leak", "retain-graph-misuse", "inplace-corruption"},
    "retain-graph-misuse": {"graph-leak"},
    "unscaled-input": {"bad-initialization", "vanishing-gradient", "exploding-gradient",
                       "saturated-activation", "dead-relu", "lr-too-high", "constant-output",
                       "lr-too-low"},
    "bad-initialization": {"vanishing-gradient", "exploding-gradient", "saturated-activation",
                           "dead-relu", "constant-output", "lr-too-low", "lr-too-high"},
    "lr-too-high": {"exploding-gradient", "nan-origin", "dead-relu", "saturated-activation",
                    "constant-output", "vanishing-gradient"},
    "exploding-gradient": {"nan-origin", "constant-output"},
    "vanishing-gradient": {"lr-too-low", "constant-output"},
    "dead-relu": {"vanishing-gradient", "constant-output", "lr-too-low"},
    "saturated-activation": {"vanishing-gradient", "constant-output", "lr-too-low"},
    "eval-mode-training": {*_TROUBLE, "frozen-statistics"},
    "scheduler-at-zero": {"lr-too-low", "constant-output"},
    "nan-origin": {"constant-output"},
    "attention-mask": {*_TROUBLE, "nan-origin"},
    "lr-too-low": {"constant-output"},
}  # fmt: skip


def fold(findings: list[Finding]) -> list[Finding]:
    """The causes, worst first, with what each explains under it."""
    findings = _one_per_line(findings)
    kept: list[Finding] = []
    for finding in findings:
        cause = _cause(finding, findings)
        if cause is None:
            kept.append(finding)
        else:
            cause.folded.append(finding)
    kept = [f for f in kept if f.folded or not f.only_as_cause]
    return sorted(kept, key=lambda f: SEVERITIES.index(f.severity))


def _one_per_line(findings: list[Finding]) -> list[Finding]:
    """A rule speaks once of a line: what else it saw there is evidence (two optimizers made by one
    function, two factors of one expression)."""
    first: dict[tuple[str, str, int], Finding] = {}
    kept: list[Finding] = []
    for finding in findings:
        place = (finding.rule, finding.file, finding.line)
        earlier = first.setdefault(place, finding)
        if earlier is finding or not finding.line:
            kept.append(finding)
            continue
        told = [t for t in (finding.message, *finding.evidence) if t != earlier.message]
        earlier.evidence += [t for t in told if t not in earlier.evidence]
        earlier.about |= finding.about
        earlier.curves = {**finding.curves, **earlier.curves}
    return kept


def _cause(symptom: Finding, findings: list[Finding]) -> Finding | None:
    for other in findings:
        if (
            other is symptom
            or other in symptom.folded
            or symptom.rule not in EXPLAINS.get(other.rule, ())
        ):
            continue
        if symptom.severity == ERROR and other.severity != ERROR and symptom.rule != "nan-origin":
            continue  # a NaN at the end of a growing loss is no more than its end
        if not other.about or not symptom.about or other.about & symptom.about:
            return other
    return None


__all__ = ["EXPLAINS", "fold"]
