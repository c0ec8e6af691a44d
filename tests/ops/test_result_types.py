"""Shapes and types by rule are those that running the op gives, over the samples of the ops."""

import numpy as np
import pytest

from chainrule import no_grad
from chainrule.autograd.dispatch import prepare
from chainrule.autograd.state import STATE
from chainrule.autograd.value import TensorBase
from chainrule.autograd.watching import Watcher, watching
from chainrule.ops.result_types import known_types
from chainrule.ops.schema import Op

from .harness import cases, inputs_with_grad, run


class Compare(Watcher):
    def __init__(self):
        self.ruled: dict[str, int] = {}
        self.busy = False
        self.wrong: list[str] = []

    def op_ends(self, op, args, params, result):
        if self.busy or result is None or not isinstance(op, Op) or op.view or STATE.levels:
            return
        outs = result if isinstance(result, tuple) else (result,)
        self.busy = True  # promotion casts
        with no_grad():
            args = prepare(op, args)
        self.busy = False
        values = tuple(a._a if isinstance(a, TensorBase) else a for a in args)
        types = known_types(op, values, params)
        if types is None:
            return
        self.ruled[op.name] = self.ruled.get(op.name, 0) + 1
        real = [(o._a.shape, o._a.dtype) for o in outs]
        if [(tuple(s), np.dtype(d)) for s, d in types] != real:
            shapes = [v.shape if isinstance(v, np.ndarray) else v for v in values]
            self.wrong.append(f"{op.name}{shapes} {params}: rule {types}, is {real}")


@pytest.mark.filterwarnings("ignore")  # of samples of deprecated functions
def test_rules_say_what_running_gives():
    compare = Compare()
    for case in cases("value")[::3]:
        with watching(compare):
            run(case, inputs_with_grad(case, case.wanted))
    assert compare.wrong == []
    heavy = {
        "attention", "batch_norm", "convolution", "cross_entropy", "embedding", "layer_norm",
        "linear2d", "max_pool2d", "softmax",
    }  # fmt: skip
    assert heavy <= compare.ruled.keys()
    assert len(compare.ruled) > 100
