"""Custom functions with known mistakes in their derivatives, for the checkers to find."""

import chainrule as torch
from chainrule.autograd import Function


class TripledSquare(Function):
    """x * x whose backward says 3x."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0]


class IgnoresWeights(Function):
    """The identity whose backward does not multiply by the incoming gradient."""

    @staticmethod
    def forward(ctx, x):
        return x.clone()

    @staticmethod
    def backward(ctx, g):
        return torch.ones_like(g)


class WrongTangent(Function):
    """x * x with a right backward and a wrong jvp."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        ctx.save_for_forward(x)
        return x * x

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]

    @staticmethod
    def jvp(ctx, t):
        return t * 3


class ForgetsConjugate(Function):
    """z * z whose backward forgets to conjugate: right for real numbers only."""

    @staticmethod
    def forward(ctx, z):
        ctx.save_for_backward(z)
        return z * z

    @staticmethod
    def backward(ctx, g):
        return g * 2 * ctx.saved_tensors[0]


class DetachedCube(Function):
    """x ** 3 whose backward is right but cannot be differentiated again."""

    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x**3

    @staticmethod
    def backward(ctx, g):
        return g * 3 * ctx.saved_tensors[0].detach() ** 2


class NoisyDouble(Function):
    """2x whose backward adds a little noise."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2 + torch.rand(1, dtype=g.dtype) * 1e-7 * g


class FailsOnNone(Function):
    """2x whose backward asked for None gradients and cannot take them."""

    @staticmethod
    def forward(ctx, x):
        ctx.set_materialize_grads(False)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


class InventsForNone(FailsOnNone):
    """2x whose backward makes up a gradient when there is none."""

    @staticmethod
    def backward(ctx, g):
        return torch.ones(2, dtype=torch.float64) if g is None else g * 2


class LeavesTensors(Function):
    """2x whose backward goes through NumPy, so it cannot be batched."""

    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return torch.from_numpy(g.numpy() * 2)
