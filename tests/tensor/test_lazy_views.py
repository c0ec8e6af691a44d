"""Conjugates and negatives are views that are computed when they are read, as in PyTorch.

`lazy_programs.py` has the programs, tools/record/record_lazy.py records what PyTorch shows.
"""

import json
import re
from pathlib import Path

import pytest

import chainrule as torch

from .lazy_programs import PROGRAMS, run

FILE = Path(__file__).resolve().parent.parent / "recorded" / "lazy_views.json"
RECORDED = json.loads(FILE.read_text(encoding="utf-8"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_show_what_pytorch_shows(name):
    assert run(name, torch) == RECORDED[name]


WRITES = """
mul_(2j) add_(v) sub_(v) div_(2j) pow_(2) exp_() sqrt_() neg_() reciprocal_() sgn_() zero_()
fill_(3j) copy_(v) conj_physical_() addcmul_(v,v) addcdiv_(v,v) lerp_(v,0.5) addmm_(v,v)
fill_diagonal_(1j) masked_fill_(k,2j) masked_scatter_(k,v) index_fill_(0,i,1j) index_add_(0,i,v)
index_copy_(0,i,v) index_put_((i,),v) scatter_(1,j,v) scatter_add_(1,j,v) put_(j,v) normal_()
cumsum_(0) cumprod_(0) tril_() renorm_(2,0,1.) eq_(v) apply_(lambda~a:a*2) map_(v,lambda~a,b:a+b)
clamp_(min=0.) relu_() floor_() atan2_(v) remainder_(2.) uniform_() random_(0,3)
scatter_reduce_(1,j,v,'sum') t_() unsqueeze_(0)
__iadd__(v) __setitem__(0,2) __setitem__((0,1),3.) __setitem__(k,1) __setitem__(i,v)
""".split()


def complex_numbers():
    return torch.tensor([[1 + 2j, 3 - 1j, -2 + 0.5j], [0.5j, -1 - 1j, 4], [2 - 2j, 1j, 1 + 1j]])


MEMORY = {
    "conj": (complex_numbers, torch.conj),
    "conj of a transpose": (lambda: complex_numbers().t(), torch.conj),
    "neg": (lambda: torch.tensor([[1.0, 2, -3], [4, -5, 6], [0.5, 0.25, -1]]), torch._neg_view),
    "imag of conj": (complex_numbers, lambda z: z.conj().imag),
}


@pytest.mark.parametrize("kind", MEMORY)
@pytest.mark.parametrize("call", WRITES)
def test_a_write_does_to_the_memory_what_it_shows(kind, call):
    memory, view_of = MEMORY[kind]
    base = memory()
    view = view_of(base)
    alone = view.clone()
    v = torch.arange(9.0).reshape(3, 3) * 0.1 + 0.3
    code = "t." + call.replace("~", " ")
    if not view.is_complex():
        code = re.sub(r"(\d)j", r"\1.", code)
    else:
        v = v * (1 + 1j)
    names = {"v": v, "k": torch.tensor([[True, False, True]] * 3), "i": torch.tensor([0, 1, 2]),
             "j": torch.tensor([[0, 1, 2]] * 3)}  # fmt: skip
    problems = []
    for t in (alone, view):
        torch.manual_seed(0)
        try:
            eval(code, {**names, "t": t})
        except (RuntimeError, TypeError, NotImplementedError) as problem:
            problems.append(type(problem))
    assert len(problems) in (0, 2) and len(set(problems)) < 2
    if problems:
        return
    assert torch.allclose(view.clone(), alone, equal_nan=True)
    if call.startswith(("t_", "unsqueeze_")):
        return  # another shape for the same memory
    assert torch.allclose(view_of(base).clone(), alone, equal_nan=True)


CALLS = {
    "inside": (lambda t: (t.conj() * t).real.sum(), None),
    "argument": (lambda t: t * 2, torch.conj),
    "result": (lambda t: t.conj()[1:], None),
    "write": (lambda t: t.conj().mul_(2j) * 1, None),
    "write of a part": (lambda t: t.conj().imag.mul_(3) * 1, None),
    "write of an argument": (lambda t: t.mul_(2j) * 1, torch.conj),
    "several": (lambda t: ((u := t * 2), u.conj()), None),
}


@pytest.mark.filterwarnings("ignore:.*runs eagerly")
@pytest.mark.parametrize("name", CALLS)
def test_compiled_calls_do_the_same(name):
    function, prepare = CALLS[name]
    compiled = torch.compile(function)
    for _ in range(4):
        shown = []
        for call in (function, compiled):
            z = torch.tensor([1 + 2j, 3 - 1j, 0.5j])
            result = call(z if prepare is None else prepare(z))
            results = result if isinstance(result, tuple) else (result,)
            z.mul_(3)
            results[0].mul_(2)
            shown.append([t.resolve_conj().tolist() for t in (z, *results)])
        assert shown[0] == shown[1]


def test_a_closed_over_conjugate_follows_its_memory_in_compiled_calls():
    base = torch.tensor([1 + 2j, 3 - 1j])
    conjugate = base.conj()
    compiled = torch.compile(lambda t: t * conjugate)
    with pytest.warns(UserWarning, match="still to be computed"):
        for _ in range(4):
            base.mul_(2)
            assert torch.equal(compiled(torch.ones(2)), base.conj_physical())


def test_gradients_are_those_of_finite_differences():
    z = torch.randn(3, 3, dtype=torch.complex128, requires_grad=True)
    v = torch.randn(3, dtype=torch.complex128, requires_grad=True)

    def f(z, v):
        b = z * 1
        c = b.mH
        c[1] = v * c[0].clone()
        c.imag[:, 2].mul_(3)
        d = b.conj().t()[1:]
        d.add_(c[1:].clone() * v)
        return b * c + (b.conj() @ b).imag

    assert torch.autograd.gradcheck(f, (z, v))
    assert torch.autograd.gradgradcheck(f, (z, v))
