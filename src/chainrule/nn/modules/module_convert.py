"""Moving and converting a module: `to`, `float`, `half`, `to_empty`, `requires_grad_`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Self

from ...autograd import refusal
from ...autograd.accidents import explain_methods
from ...autograd.modes import no_grad
from ...autograd.source import warn_user
from ...tensor import Parameter, Tensor
from ...tensor.device import require
from ...tensor.exchange import swap_tensors
from ...tensor.settings import (
    get_overwrite_module_params_on_conversion,
    get_swap_module_params_on_conversion,
)
from .lazy_tensors import is_lazy
from .module_members import Members
from .to_arguments import to_arguments


def _changes_numbers(t: Tensor) -> bool:
    return t.is_floating_point() or t.is_complex()


def _keeps_object(old: Tensor, new: Tensor) -> bool:
    """Whether a converted tensor becomes the old object's data instead of a new object."""
    return old.is_meta == new.is_meta and not get_overwrite_module_params_on_conversion()


class Convertible(Members):
    """The part of `Module` that changes where and how its numbers are kept."""

    def _apply(self, fn: Callable[[Any], Any], recurse: bool = True) -> Self:
        """Replace every parameter, its gradient, and every buffer by fn of it."""
        if recurse:
            for module in self.children():
                module._apply(fn)
        for name, param in self._parameters.items():
            if param is not None:
                self._apply_to_parameter(fn, name, param)
        for name, buffer in self._buffers.items():
            if buffer is not None:
                self._buffers[name] = fn(buffer)
        return self

    def _apply_to_parameter(self, fn: Callable[[Any], Any], name: str, param: Any) -> None:
        """Replace one parameter and its gradient in the way `chainrule.__future__` says."""
        with no_grad():
            made = fn(param)
        if is_lazy(param):
            self._parameters[name] = made
            return
        grad = param._grad
        if get_swap_module_params_on_conversion():
            self._swap_parameter(fn, name, param, made)
            return
        if _keeps_object(param, made):
            if made is not param:
                param.data = made
            kept = param
        else:
            kept = self._parameters[name] = Parameter(made, param.requires_grad)
        if grad is None:
            return
        with no_grad():
            converted = fn(grad)
        if not _keeps_object(grad, converted):
            kept.grad = converted.requires_grad_(grad.requires_grad)
        elif converted is not grad:
            grad.data = converted

    def _swap_parameter(self, fn: Callable[[Any], Any], name: str, param: Any, made: Any) -> None:
        """Exchange a parameter's contents, and its gradient's, with those of converted ones."""
        what = f"{type(self).__name__}.{name}"
        grad, param._grad = param._grad, None
        try:
            swap_tensors(param, Parameter(made, requires_grad=param.requires_grad))
        except Exception as problem:
            param._grad = grad
            raise RuntimeError(f"_apply(): Couldn't swap {what}") from problem
        if grad is None:
            return
        with no_grad():
            converted = fn(grad)
        if converted is not grad:
            converted.requires_grad_(grad.requires_grad)
            try:
                swap_tensors(grad, converted)
            except Exception as problem:
                raise RuntimeError(f"_apply(): Couldn't swap {what}.grad") from problem
        param.grad = grad

    def to(self, *args: Any, **kwargs: Any) -> Self:
        """Convert floating-point parameters and buffers, in place: `to(dtype)`, `to(device)`.

        >>> import chainrule as torch
        >>> torch.nn.Linear(3, 2).to(torch.float64).weight.dtype
        torch.float64
        """
        device, dtype, non_blocking, memory_format = to_arguments(args, kwargs)
        if dtype is not None:
            if not (dtype.is_floating_point or dtype.is_complex):
                raise refusal.wrong_type(
                    "nn.Module.to only accepts floating point or complex dtypes, but got desired "
                    f"dtype={dtype}",
                    fix="convert the tensors that should hold integers one by one.",
                )
            if dtype.is_complex:
                warn_user(
                    "Complex modules are a new feature under active development whose design may "
                    "change, and some modules might not work as expected when using complex "
                    "tensors as parameters or buffers.",
                )

        def convert(t: Tensor) -> Tensor:
            wanted = dtype if _changes_numbers(t) else None
            if t.is_meta and device is not None and device.type != "meta":
                raise refusal.not_implemented(
                    "Cannot copy out of meta tensor; no data! Please use "
                    "torch.nn.Module.to_empty() instead of torch.nn.Module.to() when moving module "
                    "from meta to a different device."
                )
            if memory_format is not None and t.dim() in (4, 5):
                return t.to(device, wanted, non_blocking, memory_format=memory_format)
            return t.to(device, wanted, non_blocking)

        return self._apply(convert)

    def type(self, dst_type: Any) -> Self:
        """Convert all parameters and buffers to a type, integer ones too."""
        return self._apply(lambda t: t.type(dst_type))

    def float(self) -> Self:
        """Convert floating-point parameters and buffers to float32."""
        return self._apply(lambda t: t.float() if t.is_floating_point() else t)

    def double(self) -> Self:
        """Convert floating-point parameters and buffers to float64."""
        return self._apply(lambda t: t.double() if t.is_floating_point() else t)

    def half(self) -> Self:
        """Convert floating-point parameters and buffers to float16."""
        return self._apply(lambda t: t.half() if t.is_floating_point() else t)

    def bfloat16(self) -> Self:
        """Convert floating-point parameters and buffers to bfloat16."""
        return self._apply(lambda t: t.bfloat16() if t.is_floating_point() else t)

    def cpu(self) -> Self:
        """Keep all parameters and buffers on the CPU, where they are."""
        return self._apply(lambda t: t.cpu())

    def cuda(self, device: Any = None) -> Self:
        """Refused, also for an empty module: there is only the CPU."""
        return self._to_accelerator("cuda", device)

    def xpu(self, device: Any = None) -> Self:
        """Refused: there is only the CPU."""
        return self._to_accelerator("xpu", device)

    def mtia(self, device: Any = None) -> Self:
        """Refused: there is only the CPU."""
        return self._to_accelerator("mtia", device)

    def ipu(self, device: Any = None) -> Self:
        """Refused: there is only the CPU."""
        return self._to_accelerator("ipu", device)

    def _to_accelerator(self, kind: str, index: Any) -> Self:
        require(f"{kind}:{index}" if isinstance(index, int) else index or kind)
        return self

    def to_empty(self, *, device: Any, recurse: bool = True) -> Self:
        """Give all parameters and buffers memory on a device, without values."""
        from ...tensor.creation_like import empty_like

        return self._apply(lambda t: empty_like(t, device=device), recurse=recurse)

    def share_memory(self) -> Self:
        """Move parameters and buffers to shared memory, where the platform can."""
        return self._apply(lambda t: t.share_memory_())

    def requires_grad_(self, requires_grad: bool = True) -> Self:
        """Whether the parameters get gradients: False freezes the module."""
        for param in self.parameters():
            param.requires_grad_(requires_grad)
        return self

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forget the gradients of all parameters, or set them to zero."""
        for param in self.parameters():
            if param.grad is None:
                continue
            if set_to_none:
                param.grad = None
            else:
                if param.grad.grad_fn is not None:
                    param.grad.detach_()
                else:
                    param.grad.requires_grad_(False)
                param.grad.zero_()


explain_methods(Convertible, "to", "type", "to_empty", "requires_grad_", "zero_grad")
