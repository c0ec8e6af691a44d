"""How gradients flow through a model: by layer, in norms and in words.

loss.backward()
print(torch.gradient_flow(model, optimizer))

with torch.gradient_flow.watch(model, optimizer, every=10) as flow:
    train()
print(flow)
"""

from __future__ import annotations

from typing import Any

from .live import Watch
from .measure import measure
from .report import GradientFlow
from .units import units_of
from .verdict import Layer


class _GradientFlow:
    """`gradient_flow(model)` and `gradient_flow.watch(...)`: one name for both."""

    __name__ = "gradient_flow"

    def __call__(
        self,
        model: Any,
        optimizer: Any = None,
        *,
        lr: float | None = None,
        inputs: Any = None,
    ) -> GradientFlow:
        """The gradients that a model has now, after `backward()`, layer by layer.

        `optimizer` (or `lr`, for plain descent) adds the size of the coming step beside that of
        the weights; the optimizer itself is not touched. `inputs` (a batch, or a tuple of
        arguments) runs the model once more to see which units are dead or saturated; buffers and
        the random state are put back.

        >>> import chainrule as torch
        >>> _ = torch.manual_seed(0)
        >>> model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(),
        ...                             torch.nn.Linear(8, 1))
        >>> x = torch.randn(16, 4)
        >>> model(x).square().mean().backward()
        >>> flow = torch.gradient_flow(model, lr=0.1, inputs=x)
        >>> flow.verdict
        'healthy'
        >>> [layer.name for layer in flow.layers]
        ['0', '2']
        >>> print(flow.reading("2.bias"))  # doctest: +ELLIPSIS
        2.bias[0] = ..., gradient ...: increase it: the loss falls...
        """
        units = units_of(model, inputs) if inputs is not None else {}
        layers, parameters = measure(model, optimizer, lr, units)
        return GradientFlow(layers, parameters)

    def watch(self, model: Any, optimizer: Any, *, every: int = 10, callback: Any = None) -> Watch:
        """Measure every `every`-th training step of a block; see `Watch`."""
        return Watch(model, optimizer, every=every, callback=callback)

    def __repr__(self) -> str:
        return "<function gradient_flow>"


gradient_flow = _GradientFlow()

__all__ = ["GradientFlow", "Layer", "Watch", "gradient_flow"]
