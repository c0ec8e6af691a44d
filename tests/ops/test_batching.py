"""vmap over the first dimension equals a Python loop, for values and for gradients."""

import numpy as np
import pytest

import chainrule

from .harness import Case, as_array, assert_close, cases, is_tensor, run, tensor, weights

FACTORS = (1.0, 0.9, 0.8)  # scaling keeps an input positive, symmetric, within [-1, 1]...

# Old names warn; what they compute is checked here.
pytestmark = pytest.mark.filterwarnings("ignore:.*is deprecated:UserWarning")


def batch_of(array: np.ndarray) -> np.ndarray:
    if array.dtype.kind in "fc":
        return np.stack([np.asarray(array * f) for f in FACTORS])
    return np.stack([array] * len(FACTORS))


def patterns(case: Case):
    """Which inputs carry the batch dimension."""
    arrays = case.sample.arrays()
    floats = [i for i, a in enumerate(arrays) if a.dtype.kind in "fc"]
    every = list(range(len(arrays)))
    chosen = [floats, every, floats[:1], floats[-1:]]
    return list({tuple(c): c for c in chosen if c}.values())


@pytest.mark.parametrize("case", cases("batch"), ids=lambda c: c.key)
def test_vmap(case: Case):
    for batched in patterns(case):
        check(case, batched, lambda inputs: [o for o in run(case, list(inputs)) if is_tensor(o)])


@pytest.mark.parametrize("case", cases("vjp"), ids=lambda c: c.key)
def test_vmap_of_gradient(case: Case):
    if "batch" in case.sample.excluded:
        return
    wanted = case.wanted

    def gradient(inputs):
        fixed = list(inputs)

        def function(*chosen):
            given = list(fixed)
            for i, x in zip(wanted, chosen, strict=True):
                given[i] = x
            outs = [o for o in run(case, given) if is_tensor(o)]
            kept = [o for o in outs if o.is_floating_point() or o.is_complex()]
            return tuple(kept)

        outs, pull = chainrule.func.vjp(function, *(fixed[i] for i in wanted))
        return list(pull(tuple(weights(list(outs)))))

    check(case, sorted({*wanted}), gradient)


def check(case: Case, batched: list[int], function) -> None:
    arrays = case.sample.arrays()
    given = [batch_of(a) if i in batched else a for i, a in enumerate(arrays)]
    dims = tuple(0 if i in batched else None for i in range(len(arrays)))
    mapped = chainrule.func.vmap(lambda *inputs: tuple(function(inputs)), in_dims=dims)
    if case.path.endswith("_") and not case.path.endswith("__") and 0 not in batched:
        with pytest.raises(RuntimeError, match="has more elements than `self`"):
            mapped(*(tensor(a) for a in given))
        return
    got = mapped(*(tensor(a) for a in given))
    for b in range(len(FACTORS)):
        single = [np.asarray(a[b]) if i in batched else a for i, a in enumerate(given)]
        one = function([tensor(a) for a in single])
        for k, (want, have) in enumerate(zip(one, got, strict=True)):
            assert have.dtype is want.dtype, f"{case} result {k}: {have.dtype} != {want.dtype}"
            rtol = 1e-6 if want.dtype.itemsize < 8 else 1e-9
            what = f"{case} result {k}, batched {batched}"
            assert_close(np.asarray(as_array(have)[b]), as_array(want), rtol, what)
