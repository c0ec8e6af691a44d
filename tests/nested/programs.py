# ruff: noqa: E501 - each call of a program is a line
"""Programs with nested tensors in the jagged layout; PyTorch says what they show."""

from __future__ import annotations

import re
from typing import Any

START = """
a, b = torch.arange(6.).reshape(2, 3) / 7, torch.arange(9.).reshape(3, 3) / 5 - 1
nt = torch.nested.nested_tensor([a, b], layout=torch.jagged)
F = torch.nn.functional
w = torch.arange(6.).reshape(2, 3) - 2
"""

# Each is one call; what it gives or how it fails is shown.
CALLS = """
nt nt.shape nt.size(0) nt.size(2) nt.stride(1) nt.dim() nt.is_nested nt.layout nt.dtype nt.numel() len(nt) nt.is_contiguous()
nt.offsets() nt.values() nt.lengths() nt.unbind() nt._ragged_idx nt.device nt.is_leaf nt.requires_grad nt.grad_fn
nt+1 1+nt nt*nt 2-nt 2/nt nt**2 2**nt -nt nt%2 nt>0 nt==nt nt!=0 abs(nt) nt.sin() nt.exp() nt.relu() nt.clamp(0,1) torch.maximum(nt,-nt) torch.where(nt>0,nt,nt*0)
nt.masked_fill(nt>0,5.) F.gelu(nt) F.silu(nt) F.softplus(nt) F.dropout(nt,0.0) F.leaky_relu(nt) torch.sigmoid(nt) nt.lerp(nt*2,0.5) nt.isnan() nt.logical_not()
nt+torch.ones(3) torch.ones(3)+nt nt+torch.arange(6.).reshape(2,1,3) nt*torch.ones(1,1,3) nt+torch.tensor(2.) nt+torch.ones(2,3) nt+torch.nested.nested_tensor([a,b],layout=torch.jagged)
nt.sum() nt.mean() nt.max() nt.min() nt.prod() nt.any() nt.all() nt.sum(1) nt.sum(2) nt.sum(-1) nt.sum(dim=1,keepdim=True) nt.sum(dim=2,keepdim=True) nt.sum(dim=(0,1)) nt.sum((0,1,2)) nt.mean(1) nt.mean(2) nt.amax(1) nt.amax(2) nt.amin(1)
nt.max(2) nt.max(1) nt.min(1) nt.argmax(2) nt.argmax(1) nt.prod(1) (nt>0).any(2) (nt>0).all(1) nt.sum(0) nt.sum(dim=(1,2)) nt.mean((0,1,2))
nt.softmax(2) nt.softmax(1) nt.softmax(-1) nt.log_softmax(-1) nt.softmax(0) F.layer_norm(nt,(3,)) F.layer_norm(nt,(3,),torch.ones(3),torch.ones(3)) F.rms_norm(nt,(3,)) F.linear(nt,w) F.linear(nt,w,torch.ones(2))
nt@w.t() torch.matmul(nt,w.t()) nt.bmm(torch.arange(12.).reshape(2,3,2)) torch.bmm(nt,torch.ones(2,3,2)) nt@nt.transpose(1,2) nt.transpose(1,2)@nt
nt.transpose(1,2) nt.transpose(-1,-2).values() nt.transpose(0,1) nt.permute(0,2,1) nt.permute(1,0,2) nt.mT nt.unsqueeze(-1) nt.unsqueeze(1) nt.squeeze(0) nt.squeeze(-1)
nt.view(2,-1,3) nt.reshape(2,-1,3) nt.reshape(2,-1,3,1) nt.reshape(4,-1) nt.view(-1) nt.flatten(1,2) nt.unflatten(-1,(3,1)) nt.unflatten(-1,(1,3)).flatten(-2) nt.expand(2,-1,3)
nt.chunk(3,dim=-1) nt.split(1,dim=-1) nt.split([1,2],dim=2)[1] torch.cat([nt,nt],dim=-1) torch.cat([nt,nt],dim=0) torch.cat([nt,nt],dim=1) torch.stack([nt,nt]) torch.stack([nt,nt],dim=-1) nt.chunk(2,dim=0)
nt[0] nt[1] nt[-1] nt[0,1] nt[1,2,0] nt[...,0] nt[:,0] nt.select(0,1) nt.select(2,0) nt.narrow(2,0,2) nt.unbind(1) list(nt)
nt.clone() nt.detach() nt.to(torch.float64).dtype nt.to(torch.float64).values() nt.half().dtype nt.contiguous() nt.cpu()
nt.to_padded_tensor(0.) torch.nested.to_padded_tensor(nt,7.) torch.nested.to_padded_tensor(nt,0.,output_size=(2,4,3)) nt.transpose(1,2).to_padded_tensor(1.)
torch.ones_like(nt) torch.zeros_like(nt) torch.full_like(nt,3.) torch.randn_like(nt).shape torch.empty_like(nt).shape torch.ones_like(nt,dtype=torch.int64).dtype
nt.tolist() nt.numpy() nt.item() nt.is_same_size(nt) torch.is_tensor(nt) isinstance(nt,torch.Tensor) nt.is_floating_point() nt._max_seqlen nt._min_seqlen
nt.size(1)==nt.size(1) nt.size(1)==5 nt.size(1)>1 nt.size(1)*2 (nt+1).size(1)==nt.size(1) nt.sum(2).size(1)==nt.size(1)
torch.nested.as_nested_tensor([a,b],layout=torch.jagged) torch.nested.as_nested_tensor(torch.ones(2,3,4),layout=torch.jagged) torch.nested.nested_tensor([[1,2],[3]],layout=torch.jagged) torch.nested.nested_tensor([a,b],dtype=torch.float64,layout=torch.jagged).dtype
torch.nested.nested_tensor([torch.ones(2,3),torch.ones(3,4)],layout=torch.jagged) torch.nested.nested_tensor([torch.ones(2),torch.ones(3,4)],layout=torch.jagged) torch.nested.nested_tensor([a.t(),b.t()],layout=torch.jagged)
torch.nested.nested_tensor_from_jagged(torch.arange(10.),torch.tensor([0,3,10])) torch.nested.nested_tensor_from_jagged(torch.arange(10.),lengths=torch.tensor([3,7])) torch.nested.nested_tensor_from_jagged(torch.arange(10.),torch.tensor([0,3,10]),lengths=torch.tensor([2,4])).unbind() torch.nested.nested_tensor_from_jagged(torch.arange(10.).reshape(2,5),torch.tensor([0,2,5]),jagged_dim=2) torch.nested.nested_tensor_from_jagged(torch.arange(10.))
torch.nested.narrow(torch.arange(12.).reshape(2,6),1,torch.tensor([0,1]),torch.tensor([2,3]),layout=torch.jagged).unbind() torch.nested.narrow(torch.arange(12.).reshape(2,6),1,0,3,layout=torch.jagged).contiguous().values() torch.nested.narrow(torch.arange(12.).reshape(2,6),1,torch.tensor([0,1]),torch.tensor([2,3]),layout=torch.jagged).lengths()
torch.nested.masked_select(torch.arange(6.).reshape(2,3),torch.tensor([[True,False,True],[False,True,True]])) F.embedding(torch.nested.nested_tensor([torch.tensor([0,1]),torch.tensor([1])],layout=torch.jagged),torch.eye(2))
F.scaled_dot_product_attention(*[nt.unflatten(-1,(1,3)).transpose(1,2)]*3).transpose(1,2).flatten(-2).contiguous().values()
""".split()

PROGRAMS = {
    "history of the parts": """
a.requires_grad_(); b.requires_grad_()
x = torch.nested.as_nested_tensor([a, b], layout=torch.jagged)
show(x.requires_grad, x.is_leaf)
(x.sin() * 2).values().sum().backward()
show(a.grad, b.grad)
""",
    "a leaf": """
x = torch.nested.nested_tensor([a, b], layout=torch.jagged, requires_grad=True)
show(x.is_leaf, x.requires_grad, x.grad)
(x * 2).sum().backward()
show(x.grad, x.grad.values())
show(torch.autograd.grad((x ** 2).sum(), x)[0].values())
show(torch.autograd.grad(x.transpose(1, 2).pow(2).sum(), x)[0].values())
show(torch.autograd.grad(x.mean(2).pow(2).sum(), x)[0].values())
show(torch.autograd.grad(torch.cat([x, x * 2], -1).pow(2).sum(), x)[0].values())
show(torch.autograd.grad(x.to_padded_tensor(1.).pow(3).sum(), x)[0].values())
show(torch.autograd.grad((x + torch.ones(2, 1, 3)).pow(2).sum(), x)[0].values())
show(torch.autograd.grad(F.layer_norm(x, (3,)).pow(3).sum(), x)[0].values())
show(torch.autograd.grad(x.amax(1).sum(), x)[0].values())
""",
    "a model": """
torch.manual_seed(0)
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.LayerNorm(4), torch.nn.ReLU(), torch.nn.Dropout(0.0), torch.nn.Linear(4, 2))
x = torch.nested.nested_tensor([a, b], layout=torch.jagged)
out = net(x)
show(out, out.mean(1))
out.to_padded_tensor(0.).pow(2).sum().backward()
show(*[p.grad for p in net.parameters()])
""",
    "attention": """
torch.manual_seed(0)
q, k, v = (torch.nn.Linear(8, 8) for _ in range(3))
x = torch.nested.nested_tensor([torch.randn(2, 8), torch.randn(5, 8), torch.randn(1, 8)], layout=torch.jagged)
heads = [f(x).unflatten(-1, (2, 4)).transpose(1, 2) for f in (q, k, v)]
out = F.scaled_dot_product_attention(*heads)
show(out.shape)
flat = out.transpose(1, 2).flatten(-2)
show([t for t in flat.unbind()])
flat.sum().backward()
show(q.weight.grad, v.bias.grad)
""",
    "writes": """
x = nt.clone()
show(x.add_(1) is x, x.mul_(2))
x[0].zero_()
show(x)
x.values()[3] = 7
show(x.unbind())
x.copy_(nt)
show(x)
""",
    "copies": """
import copy
c = copy.deepcopy(nt)
c.add_(1)
show(nt, c, c.size(1) == nt.size(1))
""",
}


def call(code: str, torch: Any) -> str:
    """What one call gives, or how it fails."""
    space: dict[str, Any] = {"torch": torch}
    exec(START, space)
    try:
        return shown(eval(code, space))
    except Exception as problem:
        return _plain(f"{type(problem).__name__}: {str(problem).splitlines()[0]}")


def run(name: str, torch: Any) -> list[str]:
    """What a program shows."""
    found: list[str] = []
    space = {"torch": torch, "show": lambda *facts: found.extend(map(shown, facts))}
    exec(START, space)
    exec(compile(PROGRAMS[name], f"<{name}>", "exec"), space)
    return found


def shown(fact: Any) -> str:
    """A fact as text, numbers to four digits, ragged lengths without their number."""
    if type(fact).__name__ == "NestedTensor":
        return f"{_plain(repr(fact))} {shown(fact.values())} {fact.dtype}"
    if hasattr(fact, "tolist"):
        return f"{_plain(str(fact.dtype))} {_numbers(fact.detach().tolist())}"
    if isinstance(fact, list | tuple) and not hasattr(fact, "numel"):
        return "[" + ", ".join(map(shown, fact)) + "]"
    return _plain(str(fact))


def _plain(text: str) -> str:
    text = re.sub(r"grad_fn=<[^>]*>, ", "", text)
    return re.sub(r"\bj\d+", "j", text)


def _numbers(values: Any) -> str:
    if isinstance(values, list):
        return "[" + ", ".join(map(_numbers, values)) + "]"
    return f"{round(values, 4) + 0:.4g}" if isinstance(values, float) else str(values)
