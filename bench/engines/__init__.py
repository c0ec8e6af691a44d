"""Who can run the workloads, in the order in which they are reported."""

from .autograd_peer import AUTOGRAD
from .base import Engine, Unavailable
from .control import CONTROL
from .floor import FLOOR
from .jax_peer import JAX
from .tinygrad_peer import TINYGRAD
from .torch_peer import COMPILABLE, COMPILED_LOSS, COMPILED_LOSS_AND_UPDATE, EAGER

__all__ = ["ENGINES", "Engine", "Unavailable"]

ENGINES: dict[str, Engine] = {
    engine.name: engine
    for engine in (
        Engine("chainrule", "chainrule"),
        Engine(
            "compiled",
            "chainrule",
            wrap=lambda chainrule: chainrule.compile,
            varied=lambda chainrule: lambda function: chainrule.compile(function, dynamic=True),
            style={"whole": True},
            groups=COMPILABLE | {"step", "jacobian", "scale", "pinn", "loops"},
        ),
        EAGER,
        COMPILED_LOSS,
        COMPILED_LOSS_AND_UPDATE,
        JAX,
        AUTOGRAD,
        TINYGRAD,
        CONTROL,
        FLOOR,
    )
}
