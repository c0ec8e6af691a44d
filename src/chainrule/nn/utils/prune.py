"""Pruning: parts of a parameter set to zero by a mask, kept zero before each call."""

from __future__ import annotations

import numbers
from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any

import chainrule as torch

from ...autograd import refusal
from ...autograd.accidents import explain_module
from ...tensor import Tensor


class BasePruningMethod(ABC):
    """A way to choose what to prune; subclasses define `compute_mask` and PRUNING_TYPE.

    PRUNING_TYPE is "unstructured", "structured" (with an attribute `dim`) or "global": which part
    of a tensor that was pruned before a further method sees.
    """

    _tensor_name: str
    PRUNING_TYPE: str = "unstructured"

    def __call__(self, module: Any, inputs: Any) -> None:
        setattr(module, self._tensor_name, self.apply_mask(module))

    @abstractmethod
    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask for a tensor: zeros where it is pruned, also where default_mask is zero."""

    def apply_mask(self, module: Any) -> Tensor:
        """The original parameter times its mask."""
        if not hasattr(self, "_tensor_name"):
            raise AssertionError(f"Module {module} has to be pruned")
        mask = getattr(module, self._tensor_name + "_mask")
        original = getattr(module, self._tensor_name + "_orig")
        return mask.to(dtype=original.dtype) * original

    @classmethod
    def apply(
        cls, module: Any, name: str, *args: Any, importance_scores: Any = None, **kwargs: Any
    ) -> Any:
        """Prune a parameter of a module, on top of what was pruned before."""
        method = _combined(module, name, cls(*args, **kwargs))
        before = getattr(module, name)
        if importance_scores is None:
            importance_scores = before
        elif importance_scores.shape != before.shape:
            raise AssertionError(
                f"importance_scores should have the same shape as parameter {name} of {module}, "
                f"got {importance_scores.shape} vs {before.shape}"
            )
        further = isinstance(method, PruningContainer)
        parameters = dict(module._parameters)
        if further:
            mask = getattr(module, name + "_mask").detach().clone()
        else:
            module.register_parameter(name + "_orig", before)
            del module._parameters[name]
            mask = torch.ones_like(before)
        try:
            mask = method.compute_mask(importance_scores, default_mask=mask)
            module.register_buffer(name + "_mask", mask)
            setattr(module, name, method.apply_mask(module))
            module.register_forward_pre_hook(method)
        except Exception:
            if not further:  # the module is again what it was
                module.__dict__.pop(name, None)
                module._parameters.clear()
                module._parameters.update(parameters)
            raise
        return method

    def prune(self, t: Tensor, default_mask: Any = None, importance_scores: Any = None) -> Tensor:
        """A tensor pruned by this method, outside any module."""
        scores = t if importance_scores is None else importance_scores
        if scores.shape != t.shape:
            raise AssertionError("importance_scores should have the same shape as tensor t")
        default = torch.ones_like(t) if default_mask is None else default_mask
        return t * self.compute_mask(scores, default_mask=default)

    def remove(self, module: Any) -> None:
        """Make the pruning permanent: the parameter with zeros, without mask and hook."""
        name = self._tensor_name
        pruned = self.apply_mask(module)
        if hasattr(module, name):
            delattr(module, name)
        original = module._parameters.pop(name + "_orig")
        original.data = pruned.data
        del module._buffers[name + "_mask"]
        setattr(module, name, original)


def _combined(module: Any, name: str, method: BasePruningMethod) -> BasePruningMethod:
    """The method, or a container of it and those that pruned the parameter before."""
    method._tensor_name = name
    earlier = [
        (key, hook)
        for key, hook in module._forward_pre_hooks.items()
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name
    ]
    if not earlier:
        return method
    ((key, hook),) = earlier  # one container holds all
    del module._forward_pre_hooks[key]
    container = hook if isinstance(hook, PruningContainer) else PruningContainer(hook)
    container.add_pruning_method(method)
    return container


class PruningContainer(BasePruningMethod):
    """Several prunings of one parameter, one after the other."""

    def __init__(self, *args: Any) -> None:
        self._pruning_methods: tuple[Any, ...] = ()
        if len(args) == 1 and not isinstance(args[0], Iterable):
            self._tensor_name = args[0]._tensor_name
            self.add_pruning_method(args[0])
        elif args:
            methods = args[0] if len(args) == 1 else args
            for method in methods:
                self._tensor_name = method._tensor_name
                self.add_pruning_method(method)

    def add_pruning_method(self, method: Any) -> None:
        """Add a pruning of the same parameter."""
        if method is not None and not isinstance(method, BasePruningMethod):
            raise TypeError(f"{type(method)} is not a BasePruningMethod subclass")
        if method is not None and self._tensor_name != method._tensor_name:
            raise ValueError(
                "Can only add pruning methods acting on the parameter named "
                f"'{self._tensor_name}' to PruningContainer {self}. Found '{method._tensor_name}'"
            )
        self._pruning_methods += (method,)

    def __len__(self) -> int:
        return len(self._pruning_methods)

    def __iter__(self) -> Any:
        return iter(self._pruning_methods)

    def __getitem__(self, idx: Any) -> Any:
        return self._pruning_methods[idx]

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask of the latest pruning, applied to what the earlier ones left."""
        method = self._pruning_methods[-1]
        mask = default_mask.clone()
        part = _still_there(method, t, default_mask)
        mask[part] = method.compute_mask(t[part], default_mask=default_mask[part]).to(mask.dtype)
        return mask


def _still_there(method: Any, t: Tensor, mask: Tensor) -> Any:
    """The index of the part of a tensor that a method may look at."""
    kind = method.PRUNING_TYPE
    if kind == "unstructured":
        return mask == 1
    index: list[Any] = [slice(None)] * t.dim()
    if kind == "structured":
        if not hasattr(method, "dim"):
            raise AttributeError(
                "Pruning methods of PRUNING_TYPE 'structured' need to have the attribute `dim` "
                "defined."
            )
        dim = method.dim % t.dim()
        index[dim] = mask.sum(dim=[d for d in range(t.dim()) if d != dim]) != 0
    elif kind != "global":
        raise ValueError(f"Unrecognized PRUNING_TYPE {kind}")
    return tuple(index)


# ---- the methods -------------------------------------------------------------------------------


class Identity(BasePruningMethod):
    """Prunes nothing, but makes the mask."""

    PRUNING_TYPE = "unstructured"

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask as it was."""
        return default_mask

    @classmethod
    def apply(cls, module: Any, name: str) -> Any:  # type: ignore[override]
        """Give a parameter a mask of ones."""
        return super().apply(module, name)


class _Unstructured(BasePruningMethod):
    """Prunes a share, or a number, of elements; subclasses choose which."""

    PRUNING_TYPE = "unstructured"

    def __init__(self, amount: float) -> None:
        _validate_pruning_amount_init(amount)
        self.amount = amount

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask with zeros for the chosen elements too."""
        count = _checked_count(self.amount, t.nelement())
        if count == 0:
            return default_mask.clone()
        return _with_zeros(default_mask, self._chosen(t, count))

    def _chosen(self, t: Tensor, count: int) -> Tensor:
        """The places of the elements to prune."""
        raise NotImplementedError


class RandomUnstructured(_Unstructured):
    """Prunes elements at random."""

    def _chosen(self, t: Tensor, count: int) -> Tensor:
        return torch.topk(torch.rand_like(t).view(-1), k=count).indices

    @classmethod
    def apply(cls, module: Any, name: str, amount: float) -> Any:  # type: ignore[override]
        """Prune a share, or a number, of a parameter's elements at random."""
        return super().apply(module, name, amount=amount)


class L1Unstructured(_Unstructured):
    """Prunes the elements with the smallest absolute values."""

    def _chosen(self, t: Tensor, count: int) -> Tensor:
        return torch.topk(torch.abs(t).reshape(-1), k=count, largest=False).indices

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: float, importance_scores: Any = None
    ) -> Any:
        """Prune a share, or a number, of a parameter's elements: the smallest."""
        return super().apply(module, name, amount=amount, importance_scores=importance_scores)


class RandomStructured(BasePruningMethod):
    """Prunes channels along a dimension at random."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.dim = amount, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask with that many random channels of zeros more."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _checked_count(self.amount, size)
        if count == 0:
            return default_mask
        chances = torch.rand(size)
        kept = chances > torch.kthvalue(chances, k=count).values
        return _channel_mask(t, self.dim, kept, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls, module: Any, name: str, amount: float, dim: int = -1
    ) -> Any:
        """Prune a share, or a number, of a parameter's channels at random."""
        return super().apply(module, name, amount=amount, dim=dim)


class LnStructured(BasePruningMethod):
    """Prunes the channels along a dimension that have the smallest n-norms."""

    PRUNING_TYPE = "structured"

    def __init__(self, amount: float, n: Any, dim: int = -1) -> None:
        _validate_pruning_amount_init(amount)
        self.amount, self.n, self.dim = amount, n, dim

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The mask with zeros for the smallest channels too."""
        _validate_structured_pruning(t)
        _validate_pruning_dim(t, self.dim)
        size = t.shape[self.dim]
        count = _checked_count(self.amount, size)
        if count == 0:
            return default_mask
        norms = _compute_norm(t, self.n, self.dim)
        largest = torch.topk(norms, k=size - count, largest=True).indices
        return _channel_mask(t, self.dim, largest, default_mask)

    @classmethod
    def apply(  # type: ignore[override]
        cls,
        module: Any,
        name: str,
        amount: float,
        n: Any,
        dim: int,
        importance_scores: Any = None,
    ) -> Any:
        """Prune a share, or a number, of a parameter's channels: those of smallest n-norm."""
        return super().apply(
            module, name, amount=amount, n=n, dim=dim, importance_scores=importance_scores
        )


class CustomFromMask(BasePruningMethod):
    """Prunes by a mask that is given."""

    PRUNING_TYPE = "global"

    def __init__(self, mask: Tensor) -> None:
        self.mask = mask

    def compute_mask(self, t: Tensor, default_mask: Tensor) -> Tensor:
        """The given mask, and zeros where there were zeros."""
        if default_mask.shape != self.mask.shape:
            raise AssertionError(
                f"default_mask shape {default_mask.shape} must match self.mask shape "
                f"{self.mask.shape}"
            )
        return default_mask * self.mask.to(dtype=default_mask.dtype)

    @classmethod
    def apply(cls, module: Any, name: str, mask: Tensor) -> Any:  # type: ignore[override]
        """Prune a parameter by this mask."""
        return super().apply(module, name, mask=mask)


def _with_zeros(mask: Tensor, chosen: Tensor) -> Tensor:
    made = mask.clone(memory_format=torch.contiguous_format)
    made.view(-1)[chosen] = 0
    return made


def _channel_mask(t: Tensor, dim: int, kept: Tensor, default_mask: Tensor) -> Tensor:
    """Ones in the kept channels, where the mask had ones before."""
    mask = torch.zeros_like(t)
    index: list[Any] = [slice(None)] * t.dim()
    index[dim] = kept
    mask[tuple(index)] = 1
    return mask * default_mask.to(dtype=mask.dtype)


# ---- what users call ---------------------------------------------------------------------------


def identity(module: Any, name: str) -> Any:
    """Give a parameter the form of a pruned one, without pruning anything."""
    Identity.apply(module, name)
    return module


def random_unstructured(module: Any, name: str, amount: float) -> Any:
    """Prune a share (float) or number (int) of a parameter's elements at random."""
    RandomUnstructured.apply(module, name, amount)
    return module


def l1_unstructured(module: Any, name: str, amount: float, importance_scores: Any = None) -> Any:
    """Prune a share (float) or number (int) of a parameter's elements: the smallest.

    >>> import chainrule as torch
    >>> layer = torch.nn.utils.prune.l1_unstructured(torch.nn.Linear(3, 2), "weight", amount=2)
    >>> int((layer.weight == 0).sum())
    2
    >>> sorted(layer.state_dict())
    ['bias', 'weight_mask', 'weight_orig']
    """
    L1Unstructured.apply(module, name, amount=amount, importance_scores=importance_scores)
    return module


def random_structured(module: Any, name: str, amount: float, dim: int) -> Any:
    """Prune a share (float) or number (int) of a parameter's channels at random."""
    RandomStructured.apply(module, name, amount, dim)
    return module


def ln_structured(
    module: Any, name: str, amount: float, n: Any, dim: int, importance_scores: Any = None
) -> Any:
    """Prune a share (float) or number (int) of a parameter's channels: those of smallest norm."""
    LnStructured.apply(module, name, amount, n, dim, importance_scores=importance_scores)
    return module


def global_unstructured(
    parameters: Any, pruning_method: Any, importance_scores: Any = None, **kwargs: Any
) -> None:
    """Prune several parameters as if they were one: `parameters` are (module, name) pairs."""
    if not isinstance(parameters, Iterable):
        raise TypeError("global_unstructured(): parameters is not an Iterable")
    scores = {} if importance_scores is None else importance_scores
    if not isinstance(scores, dict):
        raise TypeError("global_unstructured(): importance_scores must be of type dict")
    pairs = [(module, name) for module, name in parameters]
    all_scores = torch.cat(
        [scores.get((m, name), getattr(m, name)).reshape(-1) for m, name in pairs]
    )
    masks = [getattr(m, name + "_mask", torch.ones_like(getattr(m, name))) for m, name in pairs]
    container = PruningContainer()
    container._tensor_name = "temp"
    method = pruning_method(**kwargs)
    method._tensor_name = "temp"
    if method.PRUNING_TYPE != "unstructured":
        raise TypeError(
            'Only "unstructured" PRUNING_TYPE supported for the `pruning_method`. Found method '
            f"{pruning_method} of type {method.PRUNING_TYPE}"
        )
    container.add_pruning_method(method)
    mask = container.compute_mask(all_scores, torch.cat([one.reshape(-1) for one in masks]))
    start = 0
    for module, name in pairs:
        value = getattr(module, name)
        stop = start + value.numel()
        custom_from_mask(module, name, mask=mask[start:stop].view_as(value))
        start = stop


def custom_from_mask(module: Any, name: str, mask: Tensor) -> Any:
    """Prune a parameter by a mask of the same shape."""
    CustomFromMask.apply(module, name, mask)
    return module


def remove(module: Any, name: str) -> Any:
    """Make a pruning permanent: the parameter keeps its zeros, mask and hook go away."""
    for key, hook in module._forward_pre_hooks.items():
        if isinstance(hook, BasePruningMethod) and hook._tensor_name == name:
            hook.remove(module)
            del module._forward_pre_hooks[key]
            return module
    raise refusal.value(
        f"Parameter '{name}' of module {module} has to be pruned before pruning can be removed"
    )


def is_pruned(module: Any) -> bool:
    """Whether a parameter of the module, or of one in it, is pruned."""
    return any(
        isinstance(hook, BasePruningMethod)
        for part in module.modules()
        for hook in part._forward_pre_hooks.values()
    )


# ---- checks ------------------------------------------------------------------------------------


def _validate_pruning_amount_init(amount: Any) -> None:
    if not isinstance(amount, numbers.Real):
        raise TypeError(f"Invalid type for amount: {amount}. Must be int or float.")
    whole = isinstance(amount, numbers.Integral)
    if (whole and amount < 0) or (not whole and not 0.0 <= float(amount) <= 1.0):
        raise ValueError(
            f"amount={amount} should either be a float in the range [0, 1] or a non-negative "
            "integer"
        )


def _validate_pruning_amount(amount: Any, tensor_size: int) -> None:
    if isinstance(amount, numbers.Integral) and int(amount) > tensor_size:
        raise ValueError(
            f"amount={amount} should be smaller than the number of parameters to "
            f"prune={tensor_size}"
        )


def _compute_nparams_toprune(amount: Any, tensor_size: int) -> int:
    whole = isinstance(amount, numbers.Integral)
    return int(amount) if whole else round(amount * tensor_size)


def _checked_count(amount: Any, size: int) -> int:
    """How many of so many to prune."""
    count = _compute_nparams_toprune(amount, size)
    _validate_pruning_amount(count, size)
    return int(count)


def _validate_structured_pruning(t: Tensor) -> None:
    if len(t.shape) <= 1:
        raise ValueError(
            "Structured pruning can only be applied to multidimensional tensors. Found tensor of "
            f"shape {t.shape} with {len(t.shape)} dims"
        )


def _validate_pruning_dim(t: Tensor, dim: int) -> None:
    if dim >= t.dim():
        raise IndexError(f"Invalid index {dim} for tensor of size {t.shape}")


def _compute_norm(t: Tensor, n: Any, dim: int) -> Tensor:
    """The n-norm of each channel."""
    others = [d for d in range(t.dim()) if d != dim % t.dim()]
    return torch.norm(t, p=n, dim=others)


explain_module(globals())
