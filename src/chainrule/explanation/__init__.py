"""Why a gradient is what it is: `explain`, `graph`, `chain_rule`."""

from .explain import Explanations, explain
from .explanation import Check, Explanation
from .finite import WhatIf
from .paths import Path, PathLink, Step

__all__ = ["Check", "Explanation", "Explanations", "Path", "PathLink", "Step", "WhatIf", "explain"]
