"""The rules of an op by input, and what they ask to be saved."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..ops.schema import Op, rule_names


def rules_of(op: Op) -> dict[str, tuple[bool, Callable[..., Any]]]:
    """Per input: (is it a partial, the rule)."""
    rules = op.cache.get("rules")
    if rules is None:
        rules = {name: (True, rule) for name, rule in op.partials.items()}
        rules.update({name: (False, rule) for name, rule in op.vjps.items()})
        op.cache["rules"] = rules
    return rules


def rule_of(op: Op, position: int) -> tuple[bool, Callable[..., Any], tuple[str, ...]]:
    """Of one input: is it a partial, the rule, what it asks for."""
    found = op.cache.get(position)
    if found is None:
        partial, rule = rules_of(op)[op.input_name(position)]
        found = op.cache[position] = (partial, rule, rule_names(rule))
    return found


def saved_places(op: Op) -> tuple[tuple[str, str, int, int], ...]:
    """Of every saved input and output: its name, kind and number, and where its version lies."""
    found = op.cache.get("places")
    if found is None:
        names = saved_names(op)
        kinds = ((k, name, *op.classify(name)) for k, name in enumerate(names))
        found = op.cache["places"] = tuple(
            (name, kind, number, len(names) + 2 * k)
            for k, name, kind, number in kinds
            if kind in ("in", "out")
        )
    return found


def saved_names(op: Op) -> tuple[str, ...]:
    """Everything any rule of the op asks for, tensors first."""
    found = op.cache.get("saved")
    if found is None:
        names: dict[str, None] = {}
        rules = [rule for _, rule in rules_of(op).values()]
        rules += [rule for rule in (op.joint, op.plain_joint) if rule]
        for rule in rules:
            names.update(dict.fromkeys(n for n in rule_names(rule) if n not in ("g", "mask")))
        found = tuple(sorted(names, key=lambda n: op.classify(n)[0] not in ("in", "out")))
        op.cache["saved"] = found
    return found


def needed_for(op: Op, wanted: tuple[bool, ...]) -> frozenset[str]:
    """The saved names that the rules of the wanted inputs use."""
    key = ("needed", wanted)
    found = op.cache.get(key)
    if found is None:
        names: set[str] = set()
        if op.joint and any(wanted):
            names.update(saved_names(op))
        for i, want in enumerate(wanted):
            rule = rules_of(op).get(op.input_name(i))
            if rule is not None and want:
                names.update(rule_names(rule[1]))
        found = op.cache[key] = frozenset(names)
    return found


def to_save(op: Op, wanted: tuple[bool, ...]) -> tuple[tuple[str, Any, bool], ...]:
    """The kind and number of each saved name, and whether rules of the wanted inputs use it."""
    found = op.cache.get(wanted)
    if found is None:
        needed = needed_for(op, wanted)
        found = op.cache[wanted] = tuple(
            (*op.classify(name), name in needed) for name in saved_names(op)
        )
    return found
