"""Modules that have one name in PyTorch and another here."""

from __future__ import annotations

ALIASES = {
    "torch._tensor": "chainrule.tensor.tensor",
    "torch.autograd.anomaly_mode": "chainrule.autograd.anomaly",
    "torch.autograd.grad_mode": "chainrule.autograd.modes",
    "torch.storage": "chainrule.tensor.storage",
    "functorch": "chainrule.func",
}
# Modules of ours that scripts know by another name only.
KNOWN_AS = {ours: theirs for theirs, ours in ALIASES.items() if theirs.startswith("torch.")}

__all__ = ["ALIASES", "KNOWN_AS"]
