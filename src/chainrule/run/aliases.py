"""Modules that have one name in PyTorch and another here, or none there."""

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

# Folders of ours that PyTorch does not have; a failed look-up there keeps Python's error.
_INTERNAL = frozenset(
    {"checking", "cli", "compiler", "derivatives", "ir", "ops", "run", "tensor", "torch_version"}
)


def speaks_torch(module_name: str) -> bool:
    """Whether a module of ours has names that scripts look up."""
    parts = module_name.split(".")
    return len(parts) == 1 or parts[1] not in _INTERNAL


__all__ = ["ALIASES", "KNOWN_AS", "speaks_torch"]
