"""The fuzzer's families: programs come from their seeds, and none of the methods is forgotten."""

import pytest

import chainrule
from fuzz.families import NAMES, family
from fuzz.families.inplace import recipes


@pytest.mark.parametrize("name", NAMES)
def test_a_program_is_made_by_its_seed_alone(name):
    made = [family(name).generate(seed).text() for seed in range(40)]
    assert made == [family(name).generate(seed).text() for seed in range(40)]
    assert len(set(made)) > 35


def test_every_in_place_method_of_a_tensor_is_fuzzed():
    methods = {n for n in dir(chainrule.Tensor) if n.endswith("_") and not n.startswith("_")}
    tables = (recipes.ANY, recipes.REAL, recipes.PLAIN_ONLY, recipes.INTEGER)
    known = {name for table in tables for name in table} | set(recipes.CHANGES)
    assert methods - known - set(recipes.EXCLUDED) == set()
    assert known & set(recipes.EXCLUDED) == set()
    written = "\n".join(family("inplace").generate(seed).text() for seed in range(3000))
    assert {name for name in known if f".{name}(" not in written} == set()
