"""Kernels over rows are made of the op's own lowering or rule, and read as one would write them."""

import numpy as np
import pytest

from chainrule.compiler.native.kernels.row_formulas import RowWriter, declaration, row_kernel
from chainrule.ops.formulas import FORMULAS
from chainrule.ops.row_formulas import IN_ROWS, ROW, ROWS, N, RowFormula
from chainrule.ops.worlds import ARRAYS

ROW_FORMULAS = sorted(n for n, f in FORMULAS.items() if isinstance(f, RowFormula))


def test_softmax_takes_three_passes_and_one_exponential_per_element():
    formula = FORMULAS["softmax"]
    assert declaration(formula) == "T x[*rows, n], out T result[like x]"
    text = RowWriter(RowFormula("softmax", {"x": ROW}, axis=1)).text()
    FORMULAS["softmax"] = formula
    assert text.count("exp(") == 2  # a row of one block, or of several
    assert "row_result[j] = w_0" in text and "1.0 / s1_0" in text


@pytest.mark.parametrize("name", ROW_FORMULAS)
def test_the_kernel_as_python_computes_what_the_rule_does(name):
    formula = FORMULAS[name]
    random = np.random.default_rng(3)
    rows, n = 3, 5
    sizes = {0: (), 1: (n,), 2: (rows, n)}
    arrays = [np.asarray(random.random(sizes[len(s)]) + 0.1) for s in formula.arrays.values()]
    results = formula.results
    columns = any(e.op == "column_add" for e in results.values())
    numbers = [rows, n] if formula.sized else []
    numbers += [1e-3 for _ in formula.numbers]
    numbers += [1] if columns else []
    numbers += [True] * len(formula.made) if len(formula.made) > 1 else []
    found = row_kernel(formula).reference(*arrays, *numbers)
    expected = by_arrays(formula, arrays, rows, n)
    found = found if isinstance(found, tuple) else (found,)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(np.reshape(a, np.shape(b)), b, rtol=1e-12, atol=1e-12)


def by_arrays(formula, arrays, rows, n):
    """The lowering or rule on arrays, with the lengths in place of their names."""

    def real(value):
        if isinstance(value, tuple):
            return tuple(map(real, value))
        return rows if value is ROWS else n if value is N else value

    known = dict(zip(formula.arrays, arrays, strict=True))
    known |= {name: 1e-3 for name in formula.numbers}
    known |= {name: real(value) for name, value in formula.fixed.items()}
    rule = formula._rule()
    code = rule.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    given = [known[name] for name in names[: code.co_argcount]]
    options = {name: known[name] for name in names[code.co_argcount :]}
    done = ARRAYS.bind(rule)(*given, **options)
    return done if isinstance(done, tuple) else (done,)


def test_what_leaves_the_row_is_said():
    with pytest.raises(TypeError, match="argsort does not stay within a row"):
        IN_ROWS.function("argsort")()
