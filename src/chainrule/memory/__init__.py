"""How much memory a program uses, what keeps it, and how much it would use."""

from .estimating import Checkpointed, Estimate, estimate
from .leaks import Leak, Leaks, leaks
from .report import SavedReport
from .saved import saved
from .summaries import Summary, summary
from .thumb import RuleOfThumb, rule_of_thumb
from .tracking import Moment, track

__all__ = [
    "Checkpointed", "Estimate", "Leak", "Leaks", "Moment", "RuleOfThumb", "SavedReport", "Summary",
    "estimate", "leaks", "rule_of_thumb", "saved", "summary", "track",
]  # fmt: skip
