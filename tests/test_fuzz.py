"""Random programs mean the same however they are run (`python -m fuzz` runs more)."""

import pytest

import chainrule
from fuzz.families import family
from fuzz.families.straight import check, generate
from fuzz.running import problem_of
from fuzz.script import Disagreement
from fuzz.shrink import shrink

PROGRAMS, PARTS = 1200, 20
# Compiled functions with state that changes have a file of their own (compiler/).
OTHERS = {
    "inplace": 200, "hooks": 300, "roots": 300, "batched": 200, "reductions": 60, "half": 300,
    "edges": 150,
}  # fmt: skip


@pytest.mark.parametrize("part", range(PARTS))
def test_all_ways_agree(part):
    valid = 0
    for seed in range(part, PROGRAMS, PARTS):
        program = generate(seed)
        try:
            valid += check(program, chainrule, compiled=part % 10 == 0) == "ok"
        except Exception as problem:
            pytest.fail(f"seed {seed}: {problem}\n{program.text()}")
    assert valid > PROGRAMS // PARTS // 2  # most programs are valid, else nothing was checked


@pytest.mark.parametrize("name", OTHERS)
def test_all_ways_agree_on_programs_of_other_families(name):
    module, valid = family(name), 0
    for seed in range(OTHERS[name]):
        program = module.generate(seed)
        problem = problem_of(module, program, {})
        assert problem in (None, "invalid"), f"seed {seed}: {problem}\n{program.script()}"
        valid += problem is None
    assert valid > OTHERS[name] // 2


def test_a_wrong_rule_is_found_and_shrunk():
    from chainrule.ops.schema import TABLE

    def fails(program):
        try:
            check(program, chainrule)
        except Disagreement:
            return True
        except Exception:
            return False
        return False

    broken = next(p for p in map(generate, range(300)) if ".sin()" in p.text())
    assert not fails(broken)  # and what is made when an op is first used has been made
    op = TABLE["sin"]
    right, cached = dict(op.partials), dict(op.cache)
    op.partials = {"x": lambda x: x}  # not the cosine
    op.cache.clear()
    try:
        assert fails(broken)
        small = shrink(broken, fails)
        assert len(small.lines) <= 3 and "sin" in small.script()
    finally:
        op.partials = right
        op.cache.clear()
        op.cache.update(cached)
    assert not fails(broken)  # with the right rule again, all ways agree


def test_a_smaller_program_still_sets_its_seed():
    program = family("layers").generate(7)
    smaller = list(program.smaller())
    assert smaller and all("manual_seed" in one.script() for one in smaller)


def test_rounding_is_no_wrong_gradient_of_rows_of_two_but_a_wrong_rule_is():
    module = family("reductions")
    rows_of_two = module.generate(910207384)
    assert problem_of(module, rows_of_two, {}) is None
    exact = module.run(rows_of_two, chainrule, "float64")
    got = module.run(rows_of_two, chainrule, "float32")
    got["x"].grad = got["x"].grad + 1e-5 / exact["x"].detach().std(-1, keepdim=True).float()
    with pytest.raises(Disagreement, match="gradient"):
        module.compare("eager", got, exact)
