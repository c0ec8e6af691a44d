"""Programs about `__torch_dispatch__`: each prints lines, which PyTorch printed too (recorded).

Programs are written for both libraries. The names in `SKIPPED` are programs whose operators differ
from PyTorch's: docs/overrides.md says in what.
"""

# ruff: noqa: E501 - programs, one call each line
SKIPPED = [
    "linear nobias",
    "mT",
    "matmul33",
    "bmm",
    "baddbmm",
    "view",
    "prod",
    "setitem",
    "setitem2",
    "setmask",
    "adda",
    "rdiv",
    "addcmul_",
    "aap",
    "interp",
    "bn",
    "bne",
    "dropout",
    "sdpa",
    "scatter",
    "einsum",
    "outer",
    "pad",
    "allclose",
    "lstm",
    "inv",
    "svd",
    "det",
    "fft",
    "normalize",
    "B div",
    "B bmm",
    "B bn",
    "B sdpa",
    "B view",
    "B index",
    "B clamp",
    "B where",
    "B max",
    "B amax",
    "B std",
    "B var",
    "B norm",
    "B aap",
    "B logsumexp",
    "B bce",
    "B dropout",
    "B setitem",
]

START = """
import torch
import torch.nn.functional as F
import torch.utils._pytree as _pytree
import torch.utils._python_dispatch as pd
from torch.utils._pytree import tree_map
"""

CALLS = r"""
x=torch.randn(4,3);w_=torch.randn(5,3);b=torch.randn(5);x3=torch.randn(2,4,3)
y=torch.randn(4,3)
im=torch.randn(2,3,8,8); k=torch.randn(4,3,3,3)
tests={'linear':lambda:F.linear(x,w_,b),
'linear3':lambda:F.linear(x3,w_,b),
'linear nobias':lambda:F.linear(x3,w_),
'addmm':lambda:torch.addmm(b,x,w_.t()),
'addmm ab':lambda:torch.addmm(b,x,w_.t(),beta=2,alpha=3),
't':lambda:x.t(),
'T':lambda:x.T,
'mT':lambda:x.mT,
'transpose':lambda:x.transpose(0,1),
'permute':lambda:x.permute(1,0),
'matmul3':lambda:x3@w_.t(),
'matmul33':lambda:x3@x3.mT,
'matmul4':lambda:im@im,
'bmm':lambda:torch.bmm(x3,x3.mT),
'mv':lambda:x@torch.randn(3),
'dot':lambda:torch.dot(b,b),
'baddbmm':lambda:torch.baddbmm(x3[:,:,:1],x3,x3.mT),
'view':lambda:x.view(-1),
'reshape':lambda:x.reshape(2,6),
'flatten':lambda:im.flatten(1),
'unsq':lambda:x.unsqueeze(0),
'sq':lambda:x3[:1].squeeze(0),
'expand':lambda:b.expand(4,5),
'sum':lambda:x.sum(),
'sumd':lambda:x.sum(1),
'mean':lambda:x.mean(),
'mean d':lambda:x.mean(1,keepdim=True),
'var':lambda:x.var(1),
'std':lambda:x.std(),
'max':lambda:x.max(),
'maxd':lambda:x.max(1),
'amax':lambda:x.amax(1),
'argmax':lambda:x.argmax(1),
'norm':lambda:x.norm(),
'cumsum':lambda:x.cumsum(0),
'prod':lambda:x.prod(),
'any':lambda:(x>0).any(),
'all':lambda:(x>0).all(1),
'getitem':lambda:x[0],
'slice':lambda:x[1:3],
'idx':lambda:x[torch.tensor([0,1])],
'mask':lambda:x[x>0],
'ellipsis':lambda:x3[...,0],
'none':lambda:x[:,None],
'setitem':lambda:x.clone().__setitem__(0,1.0),
'setitem2':lambda:x.clone().__setitem__(torch.tensor([0,1]),1.0),
'setmask':lambda:x.clone().__setitem__(x>0,0.),
'settensor':lambda:x.clone().__setitem__(slice(0,1),y[:1]),
'add':lambda:x+y,
'add1':lambda:x+1,
'radd':lambda:1+x,
'sub':lambda:1-x,
'adda':lambda:torch.add(x,y,alpha=2),
'mul':lambda:x*2,
'div':lambda:x/y,
'rdiv':lambda:1/x,
'pow':lambda:x**2,
'pow3':lambda:x**3.,
'neg':lambda:-x,
'floordiv':lambda:x//2,
'mod':lambda:x%2,
'iadd':lambda:x.clone().add_(y),
'imul':lambda:x.clone().mul_(2),
'zero_':lambda:x.clone().zero_(),
'fill_':lambda:x.clone().fill_(2),
'copy_':lambda:x.clone().copy_(y),
'addcmul_':lambda:x.clone().addcmul_(x,y,value=2),
'relu':lambda:F.relu(x),
'relu_':lambda:F.relu(x.clone(),inplace=True),
'gelu':lambda:F.gelu(x),
'silu':lambda:F.silu(x),
'sigmoid':lambda:x.sigmoid(),
'tanh':lambda:x.tanh(),
'softmax':lambda:x.softmax(1),
'log_softmax':lambda:x.log_softmax(1),
'leaky':lambda:F.leaky_relu(x),
'ce':lambda:F.cross_entropy(x,torch.tensor([0,1,2,0])),
'nll':lambda:F.nll_loss(x.log_softmax(1),torch.tensor([0,1,2,0])),
'mse':lambda:F.mse_loss(x,y),
'bce':lambda:F.binary_cross_entropy_with_logits(x,y.sigmoid()),
'l1':lambda:F.l1_loss(x,y),
'conv':lambda:F.conv2d(im,k),
'convb':lambda:F.conv2d(im,k,torch.randn(4),padding=1),
'convt':lambda:F.conv_transpose2d(torch.randn(2,4,4,4),k),
'maxpool':lambda:F.max_pool2d(im,2),
'avgpool':lambda:F.avg_pool2d(im,2),
'aap':lambda:F.adaptive_avg_pool2d(im,1),
'interp':lambda:F.interpolate(im,scale_factor=2),
'bn':lambda:F.batch_norm(im,torch.zeros(3),torch.ones(3),torch.ones(3),torch.zeros(3),training=True),
'bne':lambda:F.batch_norm(im,torch.zeros(3),torch.ones(3),torch.ones(3),torch.zeros(3)),
'ln':lambda:F.layer_norm(x,(3,),torch.ones(3),torch.zeros(3)),
'gn':lambda:F.group_norm(im,3),
'emb':lambda:F.embedding(torch.tensor([0,1]),w_),
'dropout':lambda:F.dropout(x),
'sdpa':lambda:F.scaled_dot_product_attention(torch.randn(1,2,4,8),torch.randn(1,2,4,8),torch.randn(1,2,4,8)),
'cat':lambda:torch.cat([x,y]),
'stack':lambda:torch.stack([x,y]),
'split':lambda:x.split(2),
'chunk':lambda:x.chunk(2),
'unbind':lambda:x.unbind(),
'where':lambda:torch.where(x>0,x,y),
'where s':lambda:torch.where(x>0,x,0.),
'clamp':lambda:x.clamp(0,1),
'clampmin':lambda:x.clamp(min=0),
'masked_fill':lambda:x.masked_fill(x>0,0.),
'gather':lambda:x.gather(1,torch.zeros(4,1,dtype=torch.long)),
'scatter':lambda:x.scatter(1,torch.zeros(4,1,dtype=torch.long),1.),
'index_select':lambda:x.index_select(0,torch.tensor([0])),
'tril':lambda:x.tril(),
'sort':lambda:x.sort(),
'topk':lambda:x.topk(2),
'to':lambda:x.to(torch.float64),
'half':lambda:x.half(),
'detach':lambda:x.detach(),
'clone':lambda:x.clone(),
'contig':lambda:x.t().contiguous(),
'item':lambda:x.sum().item(),
'zeros':lambda:torch.zeros(3),
'ones_like':lambda:torch.ones_like(x),
'randn':lambda:torch.randn(3),
'empty':lambda:torch.empty(2),
'arange':lambda:torch.arange(3),
'tensor':lambda:torch.tensor([1.]),
'rand_like':lambda:torch.rand_like(x),
'full':lambda:torch.full((2,),1.),
'new_zeros':lambda:x.new_zeros(3),
'einsum':lambda:torch.einsum('ij,kj->ik',x,y),
'outer':lambda:torch.outer(b,b),
'repeat':lambda:x.repeat(2,1),
'roll':lambda:x.roll(1),
'flip':lambda:x.flip(0),
'pad':lambda:F.pad(x,(1,1)),
'exp':lambda:x.exp(),
'rsqrt':lambda:x.abs().rsqrt(),
'lerp':lambda:x.lerp(y,.5),
'as_strided':lambda:x.as_strided((2,),(1,)),
'eq':lambda:x==y,
'gt':lambda:x>0,
'isnan':lambda:x.isnan(),
'allclose':lambda:torch.allclose(x,y),
'mse':lambda:F.mse_loss(x,y),
'lstm':lambda:torch.nn.LSTM(3,4)(x3),
'inv':lambda:torch.linalg.inv(im),
'svd':lambda:torch.linalg.svd(x),
'det':lambda:torch.linalg.det(im[0]),
'fft':lambda:torch.fft.fft(x),
'diag':lambda:x.diagonal(),
'norm':lambda:torch.linalg.vector_norm(x),
'normalize':lambda:F.normalize(x),
'std':lambda:x.std(0),
'logsumexp':lambda:x.logsumexp(1),
'unfold':lambda:F.unfold(im,3),
}
"""

CLASSES = (
    START
    + r"""
log=[]
class LoggingTensor(torch.Tensor):
    @staticmethod
    def __new__(cls, elem, *args, **kwargs):
        r = torch.Tensor._make_wrapper_subclass(cls, elem.size(), strides=elem.stride(), storage_offset=elem.storage_offset(), dtype=elem.dtype, layout=elem.layout, device=elem.device, requires_grad=kwargs.get("requires_grad", False))
        r.elem = elem.detach() if r.requires_grad else elem
        return r
    def __repr__(self): return f"LoggingTensor({self.elem})"
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        def unwrap(e): return e.elem if isinstance(e, LoggingTensor) else e
        def wrap(e): return LoggingTensor(e) if isinstance(e, torch.Tensor) else e
        rs = tree_map(wrap, func(*tree_map(unwrap, args), **tree_map(unwrap, kwargs or {})))
        log.append(str(func))
        return rs
class TwoTensor(torch.Tensor):
    @staticmethod
    def __new__(cls, a, b):
        return torch.Tensor._make_wrapper_subclass(cls, a.shape, strides=a.stride(), dtype=a.dtype, device=a.device, layout=a.layout, requires_grad=a.requires_grad)
    def __init__(self,a,b): self.a=a; self.b=b
    def __tensor_flatten__(self): return ["a","b"], None
    @staticmethod
    def __tensor_unflatten__(inner, meta, size, stride): return TwoTensor(inner["a"],inner["b"])
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        kwargs=kwargs or {}
        aa=tree_map(lambda x:x.a if isinstance(x,TwoTensor) else x,args); bb=tree_map(lambda x:x.b if isinstance(x,TwoTensor) else x,args)
        oa=func(*aa,**kwargs); ob=func(*bb,**kwargs)
        flat,spec=_pytree.tree_flatten(oa); fb=_pytree.tree_leaves(ob)
        out=_pytree.tree_unflatten([TwoTensor(x,y) if isinstance(x,torch.Tensor) else x for x,y in zip(flat,fb)],spec)
        return pd.return_and_correct_aliasing(func,args,kwargs,out)
torch.manual_seed(0)
def section(n): print('==',n); log.clear()
section('basic'); x=LoggingTensor(torch.tensor([3.0]),requires_grad=True); y=x*x; print(log, type(y).__name__, y.requires_grad, type(y.grad_fn).__name__); log.clear()
g=torch.autograd.grad(y,x,LoggingTensor(torch.tensor([1.0])))[0]; print(log, type(g).__name__, g.elem)
section('backward'); x=LoggingTensor(torch.arange(6.).reshape(2,3),requires_grad=True); w=torch.ones(4,3,requires_grad=True)
out=F.linear(x,w).relu().sum(); print(log, out.elem); log.clear(); out.backward(); print(log); print(type(x.grad).__name__, x.grad.elem, type(w.grad).__name__, w.grad.elem)
section('inplace'); x=LoggingTensor(torch.ones(3)); x.add_(2).mul_(x); print(log,x.elem, x._version); 
section('view inplace'); x=LoggingTensor(torch.zeros(2,3)); v=x[0]; v.add_(1); print(log,x.elem)
section('double'); x=LoggingTensor(torch.tensor([2.0]),requires_grad=True); y=x**3; g,=torch.autograd.grad(y,x,LoggingTensor(torch.ones(1)),create_graph=True); h,=torch.autograd.grad(g,x,LoggingTensor(torch.ones(1))); print(h.elem)
section('two'); t=TwoTensor(torch.ones(2,3),torch.zeros(2,3)); t2=(t+1).sum(1); print(t2.a,t2.b, pd.is_traceable_wrapper_subclass(t2))
m=torch.nn.Linear(3,2); p=torch.nn.Parameter(TwoTensor(m.weight.data, m.weight.data*2)); print(type(p).__name__, isinstance(p,torch.nn.Parameter), p.requires_grad)
m.weight=p; o=m(torch.ones(1,3)); print(type(o).__name__, [tuple(q.shape) for q in (o.a,o.b)]); o.sum().backward(); print(type(p.grad).__name__, p.grad.a, p.grad.b)
opt=torch.optim.SGD([p],lr=1.); before=p.a.clone(); opt.step(); print(torch.allclose(before-p.a, p.grad.a))
opt=torch.optim.Adam([p],lr=.1); opt.step(); opt.step(); print(type(opt.state[p]['exp_avg']).__name__)
t=TwoTensor(torch.ones(2,3),torch.zeros(2,3)); t.add_(1); t[0]=5.; print(t.a,t.b); r=t.mul_(2); print(r is t, t.b)
section('split'); a,b=t.split([1,2],1); print(a.a.shape,b.b.shape); c=torch.cat([a,b],1); print(type(c).__name__, c.a.shape)
section('multi'); v,i=t.max(1); print(type(v).__name__,type(i).__name__, v.b, i.b)
section('item'); print(LoggingTensor(torch.tensor(3.)).item(), bool(LoggingTensor(torch.tensor(1.))>0), float(LoggingTensor(torch.tensor(2.5))))
for f in (lambda: LoggingTensor(torch.ones(2)).numpy(), lambda: LoggingTensor(torch.ones(2)).tolist()):
    try: print(f())
    except Exception as e: print(type(e).__name__, str(e).split('\n')[0])
import copy, pickle
section('copy'); c=copy.deepcopy(p); print(type(c).__name__, isinstance(c,torch.nn.Parameter), torch.equal(c.a,p.a), c.a is p.a); c=copy.copy(t); print(type(c).__name__)
section('mode'); 
class Mode(pd.TorchDispatchMode):
    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        log.append('M '+str(func)+' '+str([k.__name__ for k in types])); return func(*args,**(kwargs or {}))
with Mode(): LoggingTensor(torch.ones(2))+1
print(log)
class Err(torch.Tensor):
    pass
try: torch.Tensor._make_wrapper_subclass(Err,(2,))
except Exception as e: print(type(e).__name__, str(e)[:34])
class Sub(torch.Tensor):
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        log.append('S '+str(func)); return super().__torch_dispatch__(func,types,args,kwargs or {})
section('make_subclass'); s=torch.Tensor._make_subclass(Sub,torch.ones(2)); z=s+1; print(type(z).__name__, log, z)
s=torch.ones(2).as_subclass(Sub); print(type(s).__name__); z=s*3; print(type(z).__name__,z)
class Nope(torch.Tensor):
    @staticmethod
    def __new__(cls,e): return torch.Tensor._make_wrapper_subclass(cls,e.shape)
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None): return NotImplemented
section('notimpl')
try: Nope(torch.ones(2))+1
except Exception as e: print(type(e).__name__, str(e).split('\n')[0][:100])
class Q(torch.Tensor):
    "int8 weight"
    @staticmethod
    def __new__(cls,q,s): return torch.Tensor._make_wrapper_subclass(cls,q.shape,dtype=s.dtype)
    def __init__(self,q,s): self.q=q;self.s=s
    __torch_function__ = torch._C._disabled_torch_function_impl
    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        a=torch.ops.aten
        if func is a.detach.default: return Q(args[0].q,args[0].s)
        if func in (a.t.default,): return Q(args[0].q.t(),args[0].s)
        args=tree_map(lambda x: x.q.to(x.s.dtype)*x.s if isinstance(x,Q) else x,args)
        return func(*args,**(kwargs or {}))
section('q'); lin=torch.nn.Linear(4,3); wq=(lin.weight.data*100).round().to(torch.int8); lin.weight=torch.nn.Parameter(Q(wq,torch.tensor(.01)),requires_grad=False)
xx=torch.randn(2,4,requires_grad=True); o=lin(xx); print(type(o).__name__, torch.allclose(o, xx@(wq.float()*.01).t()+lin.bias)); o.sum().backward(); print(torch.allclose(xx.grad,(wq.float()*.01).sum(0).expand(2,4)))
"""
)

FORWARD = (
    START
    + CALLS
    + r"""
class L(pd.TorchDispatchMode):
    def __init__(s): super().__init__(); s.l=[]
    def __torch_dispatch__(s,func,types,args=(),kwargs=None):
        def r(v):
            if isinstance(v,torch.Tensor): return 'T'+str(list(v.shape))
            if isinstance(v,(list,tuple)): return '['+', '.join(map(r,v))+']'
            return str(v) if not isinstance(v,float) else '%.4g'%v
        out=func(*args,**(kwargs or {}))
        s.l.append(str(func)+'('+', '.join([r(a) for a in args]+[k+'='+r(v) for k,v in (kwargs or {}).items()])+')')
        return out

for name, f in tests.items():
    if name in SKIPPED: continue
    with L() as seen: f()
    print(name, seen.l)
"""
)

BACKWARD = (
    START
    + CALLS
    + r"""
class L(pd.TorchDispatchMode):
    def __init__(s): super().__init__(); s.l=[]
    def __torch_dispatch__(s,func,types,args=(),kwargs=None):
        def r(v):
            if isinstance(v,torch.Tensor): return 'T'+str(list(v.shape))
            if isinstance(v,(list,tuple)): return '['+', '.join(map(r,v))+']'
            return str(v) if not isinstance(v,float) else '%.4g'%v
        out=func(*args,**(kwargs or {}))
        s.l.append(str(func)+'('+', '.join([r(a) for a in args]+[k+'='+r(v) for k,v in (kwargs or {}).items()])+')')
        return out

def bw(name, f, *ts):
    if 'B ' + name in SKIPPED: return
    ts = [t.detach().clone().requires_grad_() for t in ts]
    with L() as seen:
        y = f(*ts)
        seen.l.append('--')
        (y if y.ndim == 0 else y.sum()).backward()
    print(name, seen.l)
bw('mul',lambda a,c:a*c,x,y)
bw('mulself',lambda a:a*a,x)
bw('addb',lambda a,c:a+c,x,x[0])
bw('mul0',lambda a:a*2,x)
bw('linear',lambda a,c,d:F.linear(a,c,d),x,w_,b)
bw('linear3',lambda a,c,d:F.linear(a,c,d),x3,w_,b)
bw('relu',lambda a:F.relu(a),x)
bw('exp',lambda a:a.exp(),x)
bw('sigmoid',lambda a:a.sigmoid(),x)
bw('tanh',lambda a:a.tanh(),x)
bw('softmax',lambda a:a.softmax(1),x)
bw('log_softmax',lambda a:a.log_softmax(1),x)
bw('gelu',lambda a:F.gelu(a),x)
bw('silu',lambda a:F.silu(a),x)
bw('ce',lambda a:F.cross_entropy(a,torch.tensor([0,1,2,0])),x)
bw('mse',lambda a,c:F.mse_loss(a,c),x,y)
bw('mean',lambda a:a.mean(),x)
bw('sumd',lambda a:a.sum(1),x)
bw('pow',lambda a:a**2,x)
bw('pow3',lambda a:a**3,x)
bw('div',lambda a,c:a/c,x,y)
bw('sub',lambda a,c:a-c,x,y)
bw('mm',lambda a,c:a@c,x,w_.t())
bw('bmm',lambda a:a@a.mT,x3)
bw('conv',lambda a,c:F.conv2d(a,c),im,k)
bw('maxpool',lambda a:F.max_pool2d(a,2),im)
bw('bn',lambda a,c,d:F.batch_norm(a,torch.zeros(3),torch.ones(3),c,d,training=True),im,x[0],x[1])
bw('ln',lambda a,c,d:F.layer_norm(a,(3,),c,d),x,x[0],x[1])
bw('emb',lambda a:F.embedding(torch.tensor([0,1]),a),w_)
bw('sdpa',lambda a:F.scaled_dot_product_attention(a,a,a),torch.randn(1,2,4,8))
bw('view',lambda a:a.view(-1),x)
bw('t',lambda a:a.t(),x)
bw('permute',lambda a:a.permute(1,0),x)
bw('select',lambda a:a[0],x)
bw('slice',lambda a:a[1:3],x)
bw('cat',lambda a,c:torch.cat([a,c]),x,y)
bw('index',lambda a:a[torch.tensor([0,1])],x)
bw('sqrt',lambda a:a.abs().sqrt(),x)
bw('log',lambda a:a.abs().log(),x)
bw('abs',lambda a:a.abs(),x)
bw('sin',lambda a:a.sin(),x)
bw('clamp',lambda a:a.clamp(0,1),x)
bw('where',lambda a,c:torch.where(a>0,a,c),x,y)
bw('max',lambda a:a.max(1).values,x)
bw('amax',lambda a:a.amax(1),x)
bw('cumsum',lambda a:a.cumsum(0),x)
bw('std',lambda a:a.std(1),x)
bw('var',lambda a:a.var(1),x)
bw('norm',lambda a:a.norm(),x)
bw('gather',lambda a:a.gather(1,torch.zeros(4,1,dtype=torch.long)),x)
bw('to',lambda a:a.to(torch.float64),x)
bw('avg',lambda a:F.avg_pool2d(a,2),im)
bw('aap',lambda a:F.adaptive_avg_pool2d(a,1),im)
bw('neg',lambda a:-a,x)
bw('rsub',lambda a:1-a,x)
bw('expand',lambda a:a.expand(4,5),b)
bw('unsq',lambda a:a.unsqueeze(0),x)
bw('logsumexp',lambda a:a.logsumexp(1),x)
bw('bce',lambda a:F.binary_cross_entropy_with_logits(a,y.sigmoid()),x)
bw('sqr',lambda a:a.square(),x)
bw('addmm',lambda a,c,d:torch.addmm(d,a,c),x,w_.t(),b)
bw('dropout',lambda a:F.dropout(a),x)
bw('leaky',lambda a:F.leaky_relu(a),x)
bw('stack',lambda a,c:torch.stack([a,c]),x,y)
bw('inadd',lambda a:(a*2).add_(a),x)
"""
)

PROGRAMS = {"dispatch classes": CLASSES, "dispatch forward": FORWARD, "dispatch backward": BACKWARD}
