"""The lowering vocabulary: expressions are data, built by running ordinary lambdas."""

import subprocess
import sys

import pytest

from chainrule import ir


def test_operators_build_expressions():
    lower = ir.pointwise(lambda x, y: 1 - x * 2 + abs(-y) / x**2)
    assert str(lower.body(2, {})) == "add(sub(1, mul(x0, 2)), div(abs(neg(x1)), pow(x0, 2)))"


def test_comparisons_and_bit_operators_build_expressions():
    lower = ir.pointwise(lambda x, y: ir.select((x > 0) & ~(y == 1), x, y))
    assert str(lower.body(2, {})) == "select(and(gt(x0, 0), not(eq(x1, 1))), x0, x1)"


def test_a_named_function_is_a_lowering_and_callable():
    assert str(ir.tanh.body(1, {})) == "tanh(x0)"
    assert str(ir.pointwise(lambda x: x * ir.tanh(x)).body(1, {})) == "mul(x0, tanh(x0))"


def test_static_parameters_come_by_name():
    lower = ir.pointwise(lambda x, *, slope: ir.select(x > 0, x, x * slope))
    assert str(lower.body(1, {"slope": 0.1, "unused": 3})) == "select(gt(x0, 0), x0, mul(x0, 0.1))"


def test_clamp_leaves_open_bounds_open():
    assert str(ir.clamp(ir.arg(0), None, 3)) == "minimum(x0, 3)"
    assert str(ir.clamp(ir.arg(0), -1, None)) == "maximum(x0, -1)"


def test_a_python_branch_on_an_expression_is_an_error():
    with pytest.raises(TypeError, match=r"cannot branch in Python .* gt\(x0, 0\).*ir.select"):
        ir.pointwise(lambda x: x if x > 0 else -x).body(1, {})


def test_wrong_number_of_arrays_is_an_error():
    with pytest.raises(TypeError, match=r"ir\.tanh takes 1 arrays, the op has 2"):
        ir.tanh.body(2, {})


@pytest.mark.parametrize("make", [ir.reduce, ir.move])
def test_unknown_kinds_are_refused(make):
    with pytest.raises(ValueError, match="unknown kind 'nonsense', expected one of"):
        make("nonsense")


def test_importing_the_vocabulary_loads_neither_numpy_nor_llvm():
    # A package of its own: importing it as chainrule.ir would import chainrule first.
    program = f"""
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("ir", {ir.__file__!r}, submodule_search_locations={ir.__path__!r})
sys.modules["ir"] = module = module_from_spec(spec)
spec.loader.exec_module(module)
print([m for m in ("numpy", "llvmlite") if m in sys.modules])
"""
    ran = subprocess.run([sys.executable, "-S", "-c", program], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr
