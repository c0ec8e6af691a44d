"""Programs about `__torch_function__`: each prints lines, which PyTorch printed too (recorded).

`torch` is PyTorch or chainrule. What PyTorch reports with all defaults filled in as keywords is
reported here as it was written, so only names and types are compared.
"""

CALLS = """
x+1|1+x|p+x|x+p|x-1|1-x|x*2|2*x|x/2|2/x|x//2|2//x|x%2|x**2|2**x|x@p|p@x|-x|abs(x)|~(x>0)|x==1
x!=p|x<1|x>=1|p==x|x[0]|x[0,1]|p[x>0]|x.T|x.mT|x.grad|x.shape|x.size()|x.dim()|x.ndim|x.dtype
x.device|x.requires_grad|x.data|x.is_leaf|x.grad_fn|x.sum()|torch.sum(x)|x.add(1)|torch.add(x,1)
torch.add(1,x)|torch.stack([p,x])|torch.cat((x,p))|F.relu(x)|F.linear(p,x)|torch.relu(x)|x.relu()
x.relu_()|x.add_(1)|x.numpy()|x.tolist()|len(x)|bool(x[0,0]>0)|float(x[0,0])|repr(x)|list(x)
x.detach()|x.clone()|x.view(4)|x.unbind()|x.max(0)|torch.max(x,0)|torch.max(x)|x.split(1)
x.to(torch.float64)|x.float()|x.cpu()|torch.zeros_like(x)|x.new_zeros(2)|torch.tensor(x)
torch.as_tensor(x)|torch.where(x>0,x,p)|torch.is_tensor(x)|torch.numel(x)|x.numel()|x.stride()
x.is_contiguous()|x.contiguous()|x.nelement()|x.element_size()|x.is_floating_point()|x.layout
x.is_sparse|x._version|x.expand(2,2)|torch.equal(x,p)|torch.allclose(x,p)|x.is_meta|iter(x)
x.as_subclass(torch.Tensor)|torch.linalg.norm(x)|torch.fft.fft(x)|torch.special.expit(x)
F.softmax(x,-1)|p.add_(x)|p.add(x)|p.matmul(x)|nn.Parameter(p)+x|p.expand_as(x)|p.to(x)
p.masked_fill(x>0,0)|x._base|x.real|x.retains_grad|x.output_nr|x.nbytes|torch.empty_like(x)
torch.rand_like(x)|torch.result_type(x,1)|torch.is_floating_point(x)|F.dropout(x)
nn.Linear(2,2)(x)|x.reshape(-1)|x.permute(1,0)|x.argmax()|x.sort()|torch.Tensor.add(p,x)
x.flatten()|torch.flatten(x)|p.copy_(x)|x.__contains__(1)|torch.nn.init.normal_(x)
"""

START = """
import copy, pickle
import torch.nn.functional as F
from torch import nn
from torch.overrides import *
from torch.overrides import TorchFunctionMode, has_torch_function_unary, has_torch_function_variadic
T = torch.Tensor
kind = lambda r: type(r).__name__
def show(label, f):
    try: r = f()
    except Exception as e: r = type(e).__name__ + ': ' + str(e).split(';')[0].splitlines()[0][:60]
    print(label, '->', r)
class A(T): pass
class B(A): pass
class C(T): pass
class Off(T): __torch_function__ = torch._C._disabled_torch_function_impl
x = torch.arange(4.).view(2, 2)
a, b, c, off = (x.as_subclass(k) for k in (A, B, C, Off))
"""

PROGRAMS = {
    "reported": START + """
class L(T):
    log = []
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        L.log.append((resolve_name(func), [t.__name__ for t in types][:1]))
        return super().__torch_function__(func, types, args, kwargs or {})
for call in CALLS.replace(chr(10), '|').strip('|').split('|'):
    x, p = torch.ones(2, 2).as_subclass(L), torch.ones(2, 2)
    L.log.clear()
    r = eval(call)
    print(call, '->', type(r).__name__, L.log)
""",
    "classes": START + """
show('super', lambda: (kind(a + b), kind(b + a), kind(off + 1), kind(off + a), kind(a[0])))
show('strangers', lambda: a + c)
show('parts', lambda: ([kind(i) for i in a], [kind(i) for i in a.max(0)], kind(a.sort().values)))
show('shapes', lambda: (kind(a.shape), kind(a.unbind()), kind(a.unbind()[0]), kind(a.T)))
show('joined', lambda: (kind(torch.cat([x, a])), kind(torch.stack([a, b]))))
show('text', lambda: (repr(a), repr(a[0] + 1)))
with torch._C.DisableTorchFunctionSubclass(): show('disabled', lambda: kind(a + 1))
with torch._C.DisableTorchFunction(): show('all disabled', lambda: kind(a + 1))
g = torch.ones(2, 2).as_subclass(A).requires_grad_()
y = (g * 2).sum(); y.backward()
show('grad', lambda: (kind(y), y.grad_fn.name(), kind(g.grad), g.grad.tolist(), g.is_leaf))
opt = torch.optim.SGD([g], lr=0.5); opt.step(); show('step', lambda: (kind(g), g.tolist()))
show('in place', lambda: (kind(a.add_(0)), a.add_(0) is a, kind(x.add_(a * 0))))
show('made', lambda: (kind(A()), A([1., 2.]).tolist(), kind(A(2, 3)), kind(T._make_subclass(A, x))))
show('flag', lambda: T._make_subclass(A, x, True).requires_grad)
show('equal', lambda: (torch.equal(a, x), bool(a.sum() > 0), a.sum().item()))
show('buffer', lambda: (kind(nn.Buffer(x)), kind(nn.Buffer(x) + 1)))
""",
    "parameters": START + """
p = nn.Parameter(x.as_subclass(A))
show('p', lambda: (kind(p), isinstance(p, nn.Parameter), isinstance(p, A), p.requires_grad))
m = nn.Linear(2, 2); m.weight = p
show('m', lambda: (kind(m(x)), [k for k, _ in m.named_parameters()]))
show('s', lambda: kind(m.state_dict()['weight']))
class P2(nn.Parameter): pass
q = P2(torch.ones(2))
show('q', lambda: (kind(q), kind(q + 1), isinstance(q, nn.Parameter), isinstance(p, P2)))
show('off', lambda: nn.Parameter(off))
show('plain', lambda: (isinstance(x, nn.Parameter), isinstance(a, nn.Parameter)))
""",
    "attributes": START + """
class Meta(T):
    @staticmethod
    def __new__(cls, data, meta=None): return torch.as_tensor(data).as_subclass(cls)
    def __init__(self, data, meta=None): self.meta = meta
m = Meta([1., 2.], meta='k')
import sys; sys.modules['__main__'].Meta = Meta
Meta.__module__, Meta.__qualname__ = '__main__', 'Meta'
show('kept', lambda: (m.meta, kind(m + 1), hasattr(m + 1, 'meta')))
show('pickle', lambda: (lambda q: (kind(q), q.meta, q.tolist()))(pickle.loads(pickle.dumps(m))))
""",
    "modes": START + """
class M(TorchFunctionMode):
    def __init__(self, name): self.name, self.log = name, []
    def __torch_function__(self, func, types, args=(), kwargs=None):
        self.log.append((resolve_name(func), [k.__name__ for k in types]))
        return func(*args, **(kwargs or {}))
o, i = M('o'), M('i')
with o:
    with i: z = torch.add(x, 1); z2 = a * 2
show('nested', lambda: (o.log, i.log, kind(z), kind(z2)))
m = M('m')
with m: torch.zeros(2); torch.tensor([1.]); x.shape; F.relu(x); x[0]; x.T
show('made', lambda: [name for name, _ in m.log])
x + 1
show('after', lambda: len(m.log))
class No(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None): return NotImplemented
def refused(f):
    with No(): return f()
show('operator', lambda: refused(lambda: x + 1))
show('function', lambda: refused(lambda: torch.add(x, 1)))
class Inner(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        with self: return 'inner' if func is torch.neg else torch.neg(args[0])
with Inner(): r = torch.add(x, 1)
print(r)
class Swap(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.Tensor.mul: func = torch.Tensor.add
        return func(*args, **(kwargs or {}))
with Swap(): r = x * 3
print(r.tolist())
def failing():
    with M('f'): raise KeyError('e')
show('ends', failing)
show('none left', lambda: has_torch_function((x,)))
""",
    "foreign": START + """
class D1:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None): return NotImplemented
class D2:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        return cls.__name__, [k.__name__ for k in types]
class D3(D2): pass
show('none', lambda: torch.add(D1(), x))
show('next', lambda: torch.add(D1(), D2()))
show('subclass first', lambda: (torch.add(D2(), D3()), torch.add(D3(), D2())))
show('after a tensor', lambda: torch.add(a, D2()))
show('in a list', lambda: torch.stack([x, D2()]))
show('has', lambda: (has_torch_function((x,)), has_torch_function((a,)),
    has_torch_function_unary(D2()), has_torch_function_variadic(x, a), has_torch_function((off,))))
show('like', lambda: [is_tensor_like(v) for v in (x, D2(), 1, a)])
show('methods', lambda: [is_tensor_method_or_property(f)
    for f in (T.add, T.grad.__get__, torch.add)])
def own(v):
    if has_torch_function_unary(v): return handle_torch_function(own, (v,), v)
    return 'plain'
show('own', lambda: (own(x), own(D2()), own(a)))
@wrap_torch_function(lambda v: (v,))
def wrapped(v): return 'plain'
show('wrapped', lambda: (wrapped(x), wrapped(D2())))
show('nobody', lambda: handle_torch_function(own, (x,), x))
HANDLED = {}
class S:
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        if func not in HANDLED: return NotImplemented
        return HANDLED[func](*args, **(kwargs or {}))
HANDLED[torch.mean] = lambda input, dim=None: ('mean', dim)
HANDLED[T.add] = lambda i, o: 'add'
HANDLED[T.__getitem__] = lambda s, i: 'item'
HANDLED[F.softmax] = lambda s, *k, **kw: 'softmax'
s = S()
show('mean', lambda: (torch.mean(s), torch.mean(s, dim=1)))
show('add', lambda: x + s)
show('softmax', lambda: F.softmax(s, dim=-1))
show('item', lambda: x[s])
show('unknown', lambda: torch.sin(s))
""",
}  # fmt: skip
