"""Names that a walk over what a function sees (`walk.py`) treats in their own ways."""

from __future__ import annotations

# Whoever names one of these may ask for attributes by names that are computed, or for all of them.
LOOKUPS_BY_NAME = {
    "getattr", "vars", "__dict__", "hasattr", "setattr", "locals", "dir", "attrgetter",
    "methodcaller", "asdict", "astuple", "__getattribute__", "__getstate__", "dumps", "Template",
}  # fmt: skip
# Fields of modules that change nothing about a call.
BOOKKEEPING = {
    "_state_dict_hooks", "_state_dict_pre_hooks", "_load_state_dict_pre_hooks",
    "_load_state_dict_post_hooks", "_forward_hooks_with_kwargs", "_forward_hooks_always_called",
    "_forward_pre_hooks_with_kwargs", "_non_persistent_buffers_set", "_is_full_backward_hook",
    "_optimizer_state_dict_pre_hooks", "_optimizer_state_dict_post_hooks",
    "_optimizer_load_state_dict_pre_hooks", "_optimizer_load_state_dict_post_hooks",
    "_chainrule_plans",
}  # fmt: skip
USED_BY_MODULE = {
    "training", "_parameters", "_buffers", "_modules", "_forward_hooks", "_forward_pre_hooks",
    "_backward_hooks", "_backward_pre_hooks",
}  # fmt: skip
# Dictionaries of libraries that nobody walks in an order of its own.
UNORDERED = ("['_parameters']", "['_buffers']", "hooks']", "['defaults']", "['state']")
# Called by other code than by name: only when it was seen to run.
NEVER_CALLED = {"__init__", "__new__", "__repr__", "__del__", "__init_subclass__", "__reduce__"}
# Methods that a library calls: of layers and optimizers, and the rules of a `Function`.
ENTRY_POINTS = {"forward", "step", "backward", "vjp", "jvp", "vmap", "setup_context"}
# Who names one of these may notice that an object has an attribute more.
ASKS_FOR_ATTRIBUTES = ("getattr", "hasattr", "AttributeError", "__dict__", "vars", "dir")
