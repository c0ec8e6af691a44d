"""The table has no holes: every op has what the table promises, every op of the surface exists.

What is missing stands in an explicit list here or in docs/missing_ops.md; a name on a list that is
no longer missing fails too, so that the lists only shrink.
"""

import re
from pathlib import Path
from types import CodeType

import pytest
from ops.harness import all_cases, modules, surface

import chainrule
from chainrule.ops.schema import HELPERS, TABLE
from chainrule.tensor import API

ROOT = Path(__file__).parents[1]
OPS = sorted(TABLE)

# Ops without a forward rule of their own: forward mode differentiates their VJP (twice the work).
JVP_FROM_VJP = {"ctc_loss", "ctc_slope", "geqrf", "ldl_factor_ex", "ldl_solve"}  # fmt: skip

# Public functions without samples of their own, and why.
NO_SAMPLES: dict[str, str] = {}


def rules_of(op):
    """Every rule of an op, with the name it is declared under."""
    found = {f"partials[{k}]": v for k, v in op.partials.items()}
    found |= {f"vjp[{k}]": v for k, v in op.vjps.items()}
    if isinstance(op.jvps, dict):
        found |= {f"jvp[{k}]": v for k, v in op.jvps.items()}
    elif op.jvps:
        found["jvp"] = op.jvps
    found |= {k: v for k in ("joint", "plain_joint") if (v := getattr(op, k))}
    return found


def names_in(code: CodeType) -> set[str]:
    """The global names a function uses, inner functions included."""
    found = set(code.co_names)
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            found |= names_in(constant)
    return found


@pytest.mark.parametrize("name", OPS)
def test_op_has_doc_and_batch_rule(name):
    op = TABLE[name]
    assert op.doc, f"{name} has no docstring"
    assert op.batch is not None or op.random, f"{name} does not say how it vmaps: give batch="


@pytest.mark.parametrize("name", [n for n in OPS if TABLE[n].differentiable])
def test_op_has_forward_mode(name):
    op = TABLE[name]
    covered = set(op.partials) | set(op.nondiff)
    if op.linear == "all" or callable(op.jvps):
        covered |= set(op.inputs)
    else:
        covered |= set(op.linear) | set(op.jvps)
    missing = set(op.inputs) - covered
    if name in JVP_FROM_VJP:
        assert missing, f"{name} has a forward rule now: take it off the list"
    else:
        assert not missing, f"{name} has no jvp for {sorted(missing)}: give jvp= or linear_in="


@pytest.mark.parametrize("name", [n for n in OPS if rules_of(TABLE[n])])
def test_rules_speak_only_ops(name):
    """Rules name ops, helpers and builtins: no NumPy, or they could not run on tensors."""
    for where, rule in rules_of(TABLE[name]).items():
        if where == "joint" and TABLE[name].plain_joint:
            continue  # a fused rule on arrays; its plain twin is what must be differentiable
        assert not {"np", "numpy"} & names_in(rule.__code__), f"{name} {where} names NumPy"


@pytest.mark.parametrize("name", sorted(HELPERS))
def test_helpers_speak_only_ops(name):
    assert not {"np", "numpy"} & names_in(HELPERS[name].__code__), f"helper {name} names NumPy"


def test_every_public_function_has_samples():
    sampled = {case.path for case in all_cases()} | set(NO_SAMPLES)
    # `nn.functional.relu_` is checked together with `nn.functional.relu`.
    missing = [r.path for r in API.values() if not forms_of(r) & sampled]
    missing = [path for path in missing if path.removesuffix("_") not in sampled]
    assert not missing, f"no samples for {sorted(missing)}"


def test_list_of_unsampled_functions_shrinks():
    sampled = {case.path for case in all_cases()}
    assert not sampled & set(NO_SAMPLES), "these have samples now: take them off NO_SAMPLES"


def forms_of(record) -> set[str]:
    """All paths under which a function may be sampled."""
    names = {record.path, record.name}
    for alias in record.aliases:
        names.add(alias.removeprefix("."))
    return names


def missing_names() -> set[str]:
    """The names docs/missing_ops.md lists as not there yet: `- name`, with an optional reason."""
    page = ROOT / "docs" / "missing_ops.md"
    text = page.read_text() if page.exists() else ""
    return set(re.findall(r"^- `([\w.]+)`", text, re.M))


def exists(path: str) -> bool:
    found = chainrule
    for part in path.split("."):
        found = getattr(found, part, None)
    if found is not None and not isinstance(found, chainrule.dtype):
        return True
    return hasattr(chainrule.Tensor, path.removeprefix("Tensor."))


@pytest.mark.parametrize("path", list(surface()))
def test_surface(path):
    if path in missing_names():
        assert not exists(path), f"{path} exists now: take it out of docs/missing_ops.md"
    else:
        assert exists(path), f"{path} is part of the op surface"


def test_sample_modules_are_recorded():
    """Every family with samples has a recording."""
    folder = ROOT / "tests" / "recorded" / "ops"
    missing = [f for f in modules() if not (folder / f"{f}.json").exists()]
    assert not missing, f"run tools/record/record_ops.py {' '.join(missing)}"
