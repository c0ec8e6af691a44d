# ruff: noqa: E501 - each call of a program is a line
"""Programs about conjugates and negatives that are still to be computed."""

from __future__ import annotations

import io
from typing import Any

START = """
z = torch.tensor([[1+2j, 3-1j, -2+0.5j], [0.5j, -1-1j, 4+0j]])
def about(t):
    return (t.is_conj(), t.is_neg(), t._is_view(), t.data_ptr() == z.data_ptr(), t.is_contiguous(),
            tuple(t.stride()), t.storage_offset())
"""

PROGRAMS = {
    "flags": """
for t in (z.conj(), torch.conj(z), z.mH, z.H, torch.adjoint(z), z.conj().conj(), z.conj().imag,
          z.conj().real, z.imag, z.real, z.conj_physical(), torch.conj_physical(z), z.conj().clone(),
          z.conj().resolve_conj(), z.resolve_conj(), z.conj().imag.resolve_neg(), z.conj() * 1,
          -z.conj(), z.conj().conj_physical(), z.conj().contiguous(), z.conj().t().contiguous()):
    show(about(t), t.tolist())
""",
    "of real numbers": """
x = torch.arange(3.)
show(x.conj() is x, x.conj().is_conj(), x.resolve_conj() is x, x.resolve_neg() is x)
show(torch.is_conj(z.conj()), torch.is_neg(z.conj().imag), torch.is_conj(x), torch.is_neg(x))
""",
    "views of views": """
c = z.conj()
for t in (c[0], c[:, 1], c[0, 1], c.t(), c.reshape(3, 2), c.view(-1), c.view(3, 2), c[None], c.squeeze(),
          c.unsqueeze(0), c.expand(2, 2, 3), c.permute(1, 0), c.flatten(), c.diagonal(), c.narrow(1, 0, 2),
          c.select(0, 1), c.movedim(0, 1), c.unbind()[1], c.split(2, 1)[1], c.chunk(2)[0],
          c.as_strided((2, 2), (1, 2)), c.unfold(1, 2, 1), c.detach(), c.data, c.swapaxes(0, 1),
          c.view_as(c), c.expand_as(c), c[..., ::2], c.T, c.ravel(), c.conj()[0], c.imag[0], c.real[:, 1],
          c.imag.t(), c.t().imag, c.unflatten(1, (3, 1)), c.tensor_split(2)[1], c.hsplit(3)[0]):
    show(about(t), t.tolist())
""",
    "copies": """
c = z.conj()
for t in (c[[0, 1]], c[torch.tensor([True, False])], c.t().reshape(-1), c.flip(0), torch.cat([c, c]),
          c.to(torch.complex128), c.clone(), c.repeat(2, 1), c.contiguous(), torch.stack([c]), c.index_select(0, torch.tensor([1])),
          torch.empty_like(c) * 0, torch.zeros_like(c), torch.ones_like(c), c.new_zeros(2)):
    show(about(t)[:3], t.tolist())
""",
    "arithmetic": """
c = z.conj()
show((c + 1).tolist(), (c * c).tolist(), c.sum().item(), (c == z).tolist(), c.abs().tolist(), c.exp().abs().tolist())
show((c @ z.t()).tolist(), (z.mH @ z).tolist(), torch.mv(c, z[0]).tolist(), torch.dot(c[0], z[1]).item(),
     torch.vdot(z[0], z[1]).item(), torch.einsum('ij,kj->ik', c, z).tolist())
show(torch.addmm(torch.zeros(2, 2, dtype=z.dtype), c, z.mH).tolist(), torch.bmm(c[None], z.t()[None]).tolist())
show(c.imag.sum().item(), (c.imag * 2).tolist(), c.imag.sort().values.tolist(), torch.linalg.norm(c).item())
""",
    "the base is written later": """
c = z.conj(); i = c.imag; r = c[0]
z[0, 0] = 7 - 7j
show(c.tolist(), i.tolist(), r.tolist())
z.mul_(2)
show(c.tolist(), i.tolist(), r.tolist(), c._version, z._version)
z.data[1] = 0
show(c.tolist(), i.tolist())
z.numpy()[0] = 1j
show(c.tolist(), i.tolist(), r.tolist())
""",
    "writes through views": """
c = z.conj()
c[0, 0] = 5 + 6j
show(z.tolist(), c.tolist())
c.mul_(1j)
show(z.tolist(), c.tolist(), c.is_conj(), z._version)
c[1].fill_(2j)
show(z.tolist())
c.t()[0].copy_(torch.tensor([1 + 1j, 2 + 2j]))
show(z.tolist())
c.add_(z)
show(z.tolist())
c.imag.add_(10)
show(z.tolist())
c.imag[0] = 3.
show(z.tolist())
c.real.zero_()
show(z.tolist())
c[torch.tensor([[True, False, True], [False, False, True]])] = 9j
show(z.tolist())
c.index_fill_(1, torch.tensor([1]), 1 - 1j)
show(z.tolist())
torch.mul(c, 2, out=c)
show(z.tolist())
c.zero_()
show(z.tolist())
""",
    "more writes": """
c = z.conj()
c += 1j
show(z.tolist())
c.conj_physical_()
show(z.tolist(), c.is_conj())
c.copy_(z)
show(z.tolist())
c.masked_fill_(torch.tensor([[True, False, True], [False, False, True]]), 4j)
show(z.tolist())
c.scatter_(1, torch.tensor([[0], [1]]), torch.tensor([[1j], [2j]]))
show(z.tolist())
c.index_add_(0, torch.tensor([0]), torch.ones(1, 3, dtype=z.dtype) * 1j)
show(z.tolist())
c.neg_()
show(z.tolist(), c.imag.neg_().tolist(), z.tolist())
c.imag.clamp_(min=0)
show(z.tolist())
n = c.imag
n.mul_(2).sub_(1)
show(n.tolist(), z.tolist(), n.is_neg())
w = torch.zeros(2, 3, dtype=torch.complex128)
w.copy_(c)
show(w.tolist())
w.imag = c.imag
show(w.tolist())
c.real = torch.ones(2, 3)
c.imag = torch.ones(2, 3)
show(z.tolist())
""",
    "gradients": """
z.requires_grad_()
c = z.conj()
show(c.grad_fn.name(), c.imag.grad_fn.name(), c.requires_grad, c.is_leaf)
w = torch.tensor([[1j, 2., 1-1j], [3., 1j, -1j]])
(c * w).sum().abs().backward()
show(z.grad.resolve_conj().tolist())
z.grad = None
(c.imag * w.real).sum().backward()
show(z.grad.resolve_conj().tolist())
z.grad = None
(c.t()[0] * c[0, 1] * 2j).sum().real.backward()
show(z.grad.resolve_conj().tolist())
z.grad = None
(z.mH @ z).sum().abs().backward()
show(z.grad.resolve_conj().tolist())
g, = torch.autograd.grad((z.conj() * z).real.sum(), z, create_graph=True)
h, = torch.autograd.grad((g * g.conj()).real.sum(), z)
show(g.resolve_conj().tolist(), h.resolve_conj().tolist())
""",
    "gradients of writes": """
z.requires_grad_()
v = torch.tensor([1j, 2., 1 - 1j], requires_grad=True)
k = torch.tensor([[1j, 2., 1-1j], [3., 1j, -1j]])
b = z * 2
c = b.conj()
c[0] = v * 1j
c[1].mul_(v)
((b * k).sum() + (c * k).sum() * 2j).real.backward()
show(z.grad.resolve_conj().tolist(), v.grad.resolve_conj().tolist())
z.grad = v.grad = None
b = z * 1
n = b.conj().imag
n.mul_(3)
n[1].copy_(v.real)
((b * k).sum()).real.backward()
show(b.tolist(), z.grad.resolve_conj().tolist(), v.grad.resolve_conj().tolist())
z.grad = v.grad = None
b = z * 1
c = b.t().conj()
c[1:].add_(v[:2])
d = b.conj()
d.t()[0].imag.mul_(5)
((b * k).sum() + (d * k * c.t().conj()).sum()).imag.backward()
show(b.tolist(), z.grad.resolve_conj().tolist(), v.grad.resolve_conj().tolist())
""",
    "saved and written": """
z.requires_grad_()
b = z * 1
c = b.conj()
y = (c * c).sum()
b.mul_(2)
try:
    y.real.backward()
except RuntimeError as e:
    show('modified by an inplace operation' in str(e))
""",
    "numpy": """
for f in (lambda: z.conj().numpy(), lambda: z.conj().imag.numpy(), lambda: torch.view_as_real(z.conj()),
          lambda: z.conj().view(torch.float32), lambda: z.conj().__dlpack__(), lambda: z.conj().imag.view(torch.int32),
          lambda: z.conj().untyped_storage().nbytes(), lambda: z.conj().numpy(force=True).tolist(),
          lambda: z.conj().resolve_conj().numpy().tolist(), lambda: z.conj().imag.resolve_neg().numpy().tolist(),
          lambda: torch.view_as_real(z.conj().resolve_conj()).tolist(), lambda: z.conj().imag.numpy(force=True).tolist()):
    try:
        show(f())
    except Exception as e:
        show(type(e).__name__, str(e).split('.')[0].split('\\n')[0][:60])
""",
    "files": """
import io
b = io.BytesIO()
n = torch._neg_view(torch.tensor([1., 2.]))
torch.save({'c': z.conj(), 'i': n, 'z': z}, b)
b.seek(0)
d = torch.load(b)
show(d['c'].is_conj(), d['i'].is_neg(), d['c'].tolist(), d['i'].tolist(), d['z'].tolist())
d['z'][0, 0] = 9j
show(d['c'].tolist(), d['i'].tolist())
import copy, pickle
e = copy.deepcopy(z.conj())
show(e.is_conj(), e.tolist())
p = pickle.loads(pickle.dumps(z.conj().imag))
show(p.is_neg(), p.tolist())
""",
    "printing": """
print(z.conj()); print(z.conj().imag); print(z.conj()[0, 0])
show(repr(z.conj()), str(z.conj().imag), z.conj()[0, 1].item(), complex(z.conj()[0, 1]))
""",
    "private names": """
n = torch._neg_view(z)
show(about(n), n.tolist(), about(n.real), n.real.tolist(), about(n.imag), n.imag.tolist(), n.conj().is_conj(), n.conj().is_neg())
show(torch._neg_view(n).is_neg(), n.resolve_neg().tolist(), n.conj().resolve_conj().is_neg(), n.conj().tolist())
n.mul_(2)
show(z.tolist())
show(torch._conj(z).is_conj(), torch._conj_physical(z).is_conj(), z._conj().is_conj() if hasattr(z, '_conj') else True)
""",
    "leaves": """
c = z.conj().requires_grad_()
(c * c).sum().real.backward()
show(c.is_leaf, c.grad.resolve_conj().tolist())
p = torch.nn.Parameter(z.conj())
show(p.tolist())
p.data.mul_(2)
show(p.tolist())
(p.abs() ** 2).sum().backward()
show(p.grad.resolve_conj().tolist())
""",
    "transforms": """
f = lambda t: (t.conj() * t).real.sum()
show(torch.func.grad(f)(z).resolve_conj().tolist())
show(torch.func.vmap(lambda t: t.conj() * 2)(z).tolist())
show(torch.func.jvp(lambda t: t.conj().imag, (z,), (torch.ones_like(z) * 1j,))[1].tolist())
show(torch.func.vmap(lambda t: t.conj().imag)(z.conj()).tolist())
show(torch.func.jvp(lambda t: t * 2, (z.conj(),), (z.conj(),))[1].tolist())
show(torch.func.grad(f)(z.conj()).resolve_conj().tolist())
""",
    "writes inside transforms": """
k = torch.tensor([1j, 2., 3 - 1j])
def f(t):
    b = t * 1
    c = b.conj()
    c.mul_(t)
    c.imag.add_(2)
    b.mul_(1j)
    return (c * b * k).sum().real
def g(t):
    b = t * 1
    c = b.conj()
    c[0] = t[1] * 2j
    b.mul_(t)
    return (c * b * k).sum().real
show(torch.func.grad(f)(z).resolve_conj().tolist(), torch.func.grad(lambda t: g(t[0]))(z).resolve_conj().tolist())
show(torch.func.vmap(g)(z).tolist(), torch.func.vmap(torch.func.grad(g))(z).resolve_conj().tolist())
show(torch.func.jvp(lambda t: g(t[1]), (z,), (z * 1j,))[1].item())
show(torch.func.grad(lambda t: torch.func.grad(f)(t).abs().sum())(z).resolve_conj().tolist())
""",
    "no_grad": """
z.requires_grad_()
with torch.no_grad():
    c = z.conj()
    show(c.requires_grad, c.is_conj(), c.tolist())
    c.mul_(2)
show(z.tolist(), z.is_leaf)
with torch.inference_mode():
    d = z.conj()
    show(d.is_conj(), d.tolist())
""",
}


def run(name: str, torch: Any) -> list[str]:
    """What a program shows."""
    shown: list[str] = []
    printed = io.StringIO()
    space = {
        "torch": torch,
        "show": lambda *facts: shown.extend(rounded(f) for f in facts),
        "print": lambda *args: print(*args, file=printed),
    }
    exec(compile(START + PROGRAMS[name], f"<{name}>", "exec"), space)
    return [*shown, *printed.getvalue().splitlines()]


def rounded(fact: Any) -> str:
    """A fact as text, numbers to five digits."""
    if isinstance(fact, list | tuple):
        return "[" + ", ".join(map(rounded, fact)) + "]"
    if isinstance(fact, complex):
        return f"{fact.real + 0:.4g}{fact.imag + 0:+.4g}j"
    return f"{fact + 0:.4g}" if isinstance(fact, float) else str(fact)
