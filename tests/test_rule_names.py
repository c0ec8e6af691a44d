"""Every name a derivative rule uses means something.

Rules name ops that `ops/worlds.py` binds, so neither the linter (F821 is off in those files) nor
the type checker can tell a typing mistake from an op. This test can.
"""

import builtins
import dis
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any

import pytest

import chainrule  # noqa: F401 - importing it declares the ops
from chainrule import ir
from chainrule.ops.schema import HELPERS, ONLY_IN_LOOPS, TABLE, Op

KNOWN = TABLE.keys() | HELPERS.keys() | vars(builtins).keys()


def global_names(code: CodeType) -> Iterator[str]:
    for instruction in dis.get_instructions(code):
        if instruction.opname == "LOAD_GLOBAL":
            yield instruction.argval
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from global_names(constant)


def unknown_names(rule: Callable[..., Any]) -> list[str]:
    return sorted(set(global_names(rule.__code__)) - KNOWN)


def rules_of(op: Op) -> dict[str, Callable[..., Any]]:
    found = {f"partials[{name}]": rule for name, rule in op.partials.items()}
    found |= {f"vjp[{name}]": rule for name, rule in op.vjps.items()}
    if isinstance(op.jvps, dict):
        found |= {f"jvp[{name}]": rule for name, rule in op.jvps.items()}
    elif op.jvps:
        found["jvp"] = op.jvps
    # A fused rule with a plain twin runs on arrays only, in the globals of its own module.
    joint = op.plain_joint or op.joint
    return found | ({"joint": joint} if joint else {})


@pytest.mark.parametrize("name", sorted(TABLE))
def test_rules_name_ops_helpers_and_builtins(name):
    unknown = {
        where: names
        for where, rule in rules_of(TABLE[name]).items()
        if (names := unknown_names(rule))
    }
    assert unknown == {}


TYPED = sorted(name for name, op in TABLE.items() if op.types)


@pytest.mark.parametrize("name", TYPED)
def test_rules_of_types_name_what_their_module_has(name):
    """They run as they are, in no world: the linter overlooks missing names in the files of ops."""
    rule = TABLE[name].types
    known = rule.__globals__.keys() | vars(builtins).keys()
    assert set(global_names(rule.__code__)) - known == set()


COMPOSED = sorted(name for name, op in TABLE.items() if isinstance(op.lower, ir.Compose))


@pytest.mark.parametrize("name", COMPOSED)
def test_decompositions_name_ops_helpers_and_what_loops_have(name):
    function = TABLE[name].lower.function
    assert set(unknown_names(function)) - ONLY_IN_LOOPS.keys() == set()


def test_the_compiler_has_what_decompositions_may_call():
    from chainrule.compiler.graph.world import GRAPHS

    for name, parameters in ONLY_IN_LOOPS.items():
        code = GRAPHS.namespace[name].__code__
        assert code.co_varnames[: code.co_argcount] == parameters


@pytest.mark.parametrize("name", sorted(HELPERS))
def test_helpers_name_ops_helpers_and_builtins(name):
    assert unknown_names(HELPERS[name]) == []


def test_a_misspelt_op_is_noticed():
    assert unknown_names(lambda g, x: g * exq(x)) == ["exq"]  # noqa: F821


@pytest.mark.parametrize("name", sorted(TABLE))
def test_declarations_fit_their_functions(name: str) -> None:
    TABLE[name].check()


def test_a_declaration_of_others_is_checked_at_once() -> None:
    from chainrule.ops.schema import op

    with pytest.raises(TypeError, match=r"no rule for \['y'\]"):
        op(name="half_declared", vjp={"x": lambda g: g})(lambda x, y: x)
