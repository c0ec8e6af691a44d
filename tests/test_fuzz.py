"""2,000 random programs mean the same however they are run (`python -m fuzz` runs more)."""

import pytest

import chainrule
from fuzz.families.straight import check, generate
from fuzz.script import Disagreement
from fuzz.shrink import shrink

PROGRAMS, PARTS = 2000, 20


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


def test_a_wrong_rule_is_found_and_shrunk():
    from chainrule.ops.schema import TABLE

    op = TABLE["sin"]
    right, cached = dict(op.partials), dict(op.cache)
    op.partials = {"x": lambda x: x}  # not the cosine
    op.cache.clear()
    try:
        broken = next(p for p in map(generate, range(300)) if ".sin()" in p.text())

        def fails(program):
            try:
                check(program, chainrule)
            except Disagreement:
                return True
            except Exception:
                return False
            return False

        assert fails(broken)
        small = shrink(broken, fails)
        assert len(small.lines) <= 3 and "sin" in small.script()
    finally:
        op.partials = right
        op.cache.clear()
        op.cache.update(cached)
    assert not fails(broken)  # with the right rule again, all ways agree
