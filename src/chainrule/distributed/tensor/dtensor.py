"""`DTensor`: a tensor of which each process of a mesh has a part.

Its shape is that of the whole. What is computed with it is computed with the parts, by rules that
say which parts belong together (`rules.py`), and with the whole where there is no rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import chainrule as torch

from ...autograd import refusal
from ...autograd.function import Function
from ...dispatcher.wrappers import make_wrapper
from ...tensor.overriding import disabled
from ..collectives import broadcast
from ..device_mesh import DeviceMesh
from ..placement_types import Partial, Replicate
from .redistribution import redistributed
from .spec import Placements, Spec, checked, of_gradient, whole_shape

# What an operator makes of such tensors: `dispatching.run`, which is written over them.
OPERATORS: list[Callable[..., Any]] = []


class DTensor(torch.Tensor):
    """A tensor cut up, copied, or left as terms of a sum, over the processes of a mesh."""

    _local_tensor: Any
    _spec: Spec
    _is_copy: bool  # of what was to be a view: nothing may be written to it

    @staticmethod
    def __new__(cls, local_tensor: Any, spec: Spec, *, requires_grad: bool = False) -> Any:
        made = make_wrapper(
            cls, spec.shape, dtype=local_tensor.dtype, device=local_tensor.device,
            requires_grad=requires_grad,
        )  # fmt: skip
        made.__dict__.update(_local_tensor=local_tensor, _spec=spec, _is_copy=False)
        return made

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    @classmethod
    def __torch_dispatch__(
        cls, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None
    ) -> Any:
        return OPERATORS[0](func, args, kwargs or {})

    # Asked below autograd alone: what asks above it costs every look at a shape.
    __torch_function__ = disabled

    # ---- layout ----

    @property
    def device_mesh(self) -> Any:
        """The mesh it lies in."""
        return self._spec.mesh

    @property
    def placements(self) -> Placements:
        """How it lies along each dimension of the mesh."""
        return self._spec.placements

    @staticmethod
    def from_local(
        local_tensor: Any, device_mesh: Any = None, placements: Any = None, *,
        run_check: bool = False, shape: Any = None, stride: Any = None,
        grad_placements: Any = None,
    ) -> Any:  # fmt: skip
        """The tensor whose parts the processes give; cut evenly unless its shape is given."""
        from ..device_mesh import DeviceMesh

        mesh = device_mesh if device_mesh is not None else DeviceMesh("cpu")
        found = checked(placements, mesh, local_tensor.ndim)
        whole = whole_shape(local_tensor.shape, mesh, found) if shape is None else tuple(shape)
        spec = Spec(mesh, found, whole)
        if run_check:
            local_tensor = _first_copy(local_tensor, spec)
        return _FromLocal.apply(local_tensor, spec, grad_placements)

    def to_local(self, *, grad_placements: Any = None) -> Any:
        """This process's part; gradients flow through it."""
        if not torch.is_grad_enabled() or not self.requires_grad:
            return self._local_tensor.view_as(self._local_tensor)
        wanted = None
        if grad_placements is not None:
            wanted = checked(grad_placements, self.device_mesh, self.ndim)
        return _ToLocal.apply(self, wanted)

    def redistribute(
        self, device_mesh: Any = None, placements: Any = None, *, async_op: bool = False,
        forward_dtype: Any = None, backward_dtype: Any = None,
    ) -> Any:  # fmt: skip
        """The same tensor in another layout; gradients come back in this one."""
        if placements is None:
            raise RuntimeError("placements is needed for redistribute!")
        if device_mesh is not None and device_mesh != self.device_mesh:
            raise NotImplementedError("Cross device mesh comm not supported yet!")
        wanted = checked(placements, self.device_mesh, self.ndim)
        for new, old in zip(wanted, self.placements, strict=True):
            if isinstance(new, Partial) and new != old:
                raise refusal.runtime(
                    "Can not redistribute to Partial, redistributing to Partial is for internal "
                    "use only!"
                )
        return self if wanted == self.placements else _Redistribute.apply(self, wanted)

    def full_tensor(self, *, grad_placements: Any = None) -> Any:
        """The whole tensor, on every process."""
        whole = self.redistribute(placements=[Replicate()] * self.device_mesh.ndim)
        return whole.to_local(grad_placements=grad_placements)

    def _shared(self, values: Any) -> Any:
        """Random numbers to go with it: those of the first process, on all of them."""
        same = tuple(values.shape) == tuple(self.shape)
        placements = of_gradient(self.placements) if same else None
        return distribute_tensor(values.detach(), self.device_mesh, placements)

    def __repr__(self, *, tensor_contents: Any = None) -> str:
        return (
            f"DTensor(local_tensor={self._local_tensor}, device_mesh={self.device_mesh}, "
            f"placements={self.placements})"
        )

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if self.ndim == 0 else format(repr(self), spec)

    def item(self) -> Any:
        """The value of a tensor of one element."""
        return whole_of(self).item()

    def tolist(self) -> Any:
        """All values."""
        return whole_of(self).tolist()

    def numpy(self, *, force: bool = False) -> Any:
        """No single array holds it."""
        raise refusal.runtime(
            "a DTensor has no array of its own: each process has a part",
            fix="x.full_tensor().numpy(), or x.to_local().numpy() for this process's part.",
        )

    def __bool__(self) -> bool:
        return bool(whole_of(self))

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _rebuilt, (self._local_tensor, self._spec, self.requires_grad)


def _rebuilt(local: Any, spec: Spec, requires_grad: bool) -> Any:
    return DTensor(local, spec, requires_grad=requires_grad)


def whole_of(t: Any) -> Any:
    """All values of a tensor on every process, without history."""
    if not isinstance(t, DTensor):
        return t
    spec = t._spec
    return redistributed(t._local_tensor, spec, tuple(Replicate() for _ in spec.placements))


def _first_copy(local: Any, spec: Spec) -> Any:
    """What the first process of each line has, where all must have the same."""
    from ..collectives import broadcast

    out = local.detach().contiguous().clone()
    for m, p in enumerate(spec.placements):
        if isinstance(p, Replicate):
            broadcast(out, group=spec.mesh.get_group(m), group_src=0)
    with torch.no_grad():
        local.copy_(out)
    return local


class _FromLocal(Function):
    @staticmethod
    def forward(ctx: Any, local: Any, spec: Spec, grad_placements: Any) -> Any:
        ctx.wanted = grad_placements or of_gradient(spec.placements)
        return DTensor(local.detach(), spec)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return redistributed(grad._local_tensor, grad._spec, tuple(ctx.wanted)), None, None


class _ToLocal(Function):
    @staticmethod
    def forward(ctx: Any, t: Any, grad_placements: Any) -> Any:
        found = t._spec
        placements = grad_placements or of_gradient(found.placements)
        ctx.layout = Spec(found.mesh, placements, found.shape)
        return t._local_tensor.view_as(t._local_tensor)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return DTensor(grad, ctx.layout), None


class _Redistribute(Function):
    @staticmethod
    def forward(ctx: Any, t: Any, wanted: Placements) -> Any:
        ctx.wanted = of_gradient(t.placements)
        return moved(t, wanted)

    @staticmethod
    def backward(ctx: Any, grad: Any) -> Any:
        return moved(grad, ctx.wanted), None


def moved(t: Any, wanted: Placements) -> Any:
    """A tensor in another layout, without history."""
    spec = t._spec
    local = redistributed(t._local_tensor, spec, wanted)
    if local is t._local_tensor:
        local = local.view_as(local)
    return DTensor(local.detach(), Spec(spec.mesh, wanted, spec.shape))


DTensor.__module__ = "chainrule.distributed.tensor"

__all__ = ["DTensor"]


# ---- from plain tensors --------------------------------------------------------------------------


def distribute_tensor(
    tensor: Any, device_mesh: Any = None, placements: Any = None, *,
    src_data_rank: int | None = 0,
) -> Any:  # fmt: skip
    """A tensor laid out in a mesh: the values of the mesh's first process, cut or copied."""
    mesh = device_mesh if device_mesh is not None else DeviceMesh("cpu")
    wanted = checked(placements, mesh, tensor.ndim)
    if any(isinstance(p, Partial) for p in wanted):
        raise refusal.value(f"distribute_tensor: a tensor is not cut into terms of a sum: {wanted}")
    if isinstance(tensor, DTensor):
        if tensor.device_mesh != mesh:
            raise ValueError("Cannot distribute a DTensor to a different device mesh")
        if tensor.placements != wanted:
            raise refusal.value(
                f"Cannot distribute a DTensor with placements {tensor.placements} to a different "
                f"placements {wanted}. do you want to call `redistribute` instead?"
            )
        return tensor
    if not tensor.is_leaf:
        raise refusal.runtime("`distribute_tensor` should be used to distribute leaf tensors!")
    local = tensor.detach()
    if not local.is_meta and src_data_rank is not None:
        local = local.contiguous().clone()
        for m in range(mesh.ndim):
            broadcast(local, group=mesh.get_group(m), group_src=src_data_rank)
    spec = Spec(mesh, tuple(Replicate() for _ in wanted), tuple(tensor.shape))
    local = local.narrow_copy(0, 0, 0) if mesh.get_coordinate() is None and local.ndim else local
    made = DTensor(_own(local, spec, wanted), Spec(mesh, wanted, spec.shape))
    made.requires_grad_(tensor.requires_grad)
    return torch.nn.Parameter(made, made.requires_grad) if _is_parameter(tensor) else made


def _own(local: Any, spec: Spec, wanted: Any) -> Any:
    """This process's part of values that all have, in memory of its own."""
    own = redistributed(local, spec, wanted)
    return own.clone() if not own.is_meta and own.numel() < local.numel() else own


def _is_parameter(tensor: Any) -> bool:
    return isinstance(tensor, torch.nn.Parameter)
