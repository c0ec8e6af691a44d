"""The update rules, each written once: `rule(x, c, on)` returns the new values by name.

`x` holds the parameter `p`, its gradient `g` and the state, `c` the numbers of this step, `on` the
options that change what is computed. Only operators and the methods of `ir.Expr` are used.
"""

from __future__ import annotations

from typing import Any

from .program import select

Values = dict[str, Any]


def _gradient(x: Any, c: Any, on: Any) -> Any:
    """The gradient to go against, with coupled weight decay."""
    g = -x.g if on.maximize else x.g
    return g + x.p * c.weight_decay if on.decay else g


def _toward(old: Any, new: Any, weight: Any, rest: Any, far: bool) -> Any:
    """The moving average, written from the end that is nearer so that rounding stays small."""
    return new - (new - old) * rest if far else old + (new - old) * weight


def sgd(x: Any, c: Any, on: Any) -> Values:
    """Gradient descent with momentum; the first gradient fills the buffer undamped.

    A differentiable step does not differentiate that copy, as PyTorch's does not.
    """
    g = _gradient(x, c, on)
    if not on.momentum:
        return {"p": x.p - g * c.lr}
    if on.first:
        buffer = g.detach() if on.cut else g
    else:
        buffer = x.momentum_buffer * c.momentum + g * c.undamped
    move = g + buffer * c.momentum if on.nesterov else buffer
    return {"p": x.p - move * c.lr, "momentum_buffer": buffer}


def _decayed(x: Any, c: Any, on: Any) -> tuple[Any, Any]:
    """Parameter and gradient after weight decay, of the one (decoupled) or by the other."""
    g = -x.g if on.maximize else x.g
    if not on.decay:
        return x.p, g
    return (x.p * c.keep, g) if on.decoupled else (x.p, g + x.p * c.weight_decay)


def adam(x: Any, c: Any, on: Any) -> Values:
    """Adam and AdamW, with the largest second moment so far if amsgrad."""
    p, g = _decayed(x, c, on)
    mean = _toward(x.exp_avg, g, c.new1, c.beta1, on.far)
    square = x.exp_avg_sq * c.beta2 + g * g * c.new2
    changed = {"exp_avg": mean, "exp_avg_sq": square}
    largest = square
    if on.amsgrad:
        largest = changed["max_exp_avg_sq"] = x.max_exp_avg_sq.maximum(square)
    changed["p"] = p - mean / (largest.sqrt() * c.unbias2 + c.eps) * c.step_size
    return changed


def adamax(x: Any, c: Any, on: Any) -> Values:
    """Adam with the largest decayed gradient in place of the second moment."""
    g = _gradient(x, c, on)
    mean = _toward(x.exp_avg, g, c.new1, c.beta1, on.far)
    norm = (x.exp_inf * c.beta2).maximum(g.abs() + c.eps)
    return {"p": x.p - mean / norm * c.step_size, "exp_avg": mean, "exp_inf": norm}


def nadam(x: Any, c: Any, on: Any) -> Values:
    """Adam with Nesterov momentum: the gradient counts once more, ahead of its average."""
    p, g = _decayed(x, c, on)
    mean = _toward(x.exp_avg, g, c.new1, c.beta1, on.far)
    square = x.exp_avg_sq * c.beta2 + g * g * c.new2
    below = square.sqrt() * c.unbias2 + c.eps
    p = p - (g * c.by_gradient + mean * c.by_mean) / below
    return {"p": p, "exp_avg": mean, "exp_avg_sq": square}


def radam(x: Any, c: Any, on: Any) -> Values:
    """Adam whose second moment is used once its variance is small enough to trust."""
    p, g = _decayed(x, c, on)
    mean = _toward(x.exp_avg, g, c.new1, c.beta1, on.far)
    square = x.exp_avg_sq * c.beta2 + g * g * c.new2
    if on.rectified:
        p = p - mean / (square.sqrt() + c.eps) * c.adaptive
    elif not on.undecided:
        p = p - mean * c.plain
    else:  # the count of steps is a tensor: which of the two it is shows at run time
        rectified = mean / (square.sqrt() + c.eps) * c.adaptive
        p = p - select(c.trusted, rectified, mean * c.plain)
    return {"p": p, "exp_avg": mean, "exp_avg_sq": square}


def adagrad(x: Any, c: Any, on: Any) -> Values:
    """Each element's rate falls with the sum of its squared gradients."""
    g = _gradient(x, c, on)
    total = x.sum + g * g
    return {"p": x.p - g / (total.sqrt() + c.eps) * c.rate, "sum": total}


def adadelta(x: Any, c: Any, on: Any) -> Values:
    """Moves measured against the size of earlier moves."""
    g = _gradient(x, c, on)
    square = x.square_avg * c.rho + g * g * c.new
    delta = (x.acc_delta + c.eps).sqrt() / (square + c.eps).sqrt() * g
    moved = x.acc_delta * c.rho + delta * delta * c.new
    return {"p": x.p - delta * c.lr, "square_avg": square, "acc_delta": moved}


def rmsprop(x: Any, c: Any, on: Any) -> Values:
    """The gradient divided by the root of its mean square (or of its variance)."""
    g = _gradient(x, c, on)
    square = x.square_avg * c.alpha + g * g * c.new
    changed = {"square_avg": square}
    spread = square
    if on.centered:
        mean = _toward(x.grad_avg, g, c.new, c.alpha, on.far)
        changed["grad_avg"] = mean
        spread = square - mean * mean
    step = g / (spread.sqrt() + c.eps)
    if on.momentum:
        step = changed["momentum_buffer"] = x.momentum_buffer * c.momentum + step
    changed["p"] = x.p - step * c.lr
    return changed


def rprop(x: Any, c: Any, on: Any) -> Values:
    """Only signs count: steps grow while the sign stays and shrink when it turns."""
    g = -x.g if on.maximize else x.g
    agreement = g * x.prev
    turned = agreement < 0.0
    size = select(agreement > 0.0, x.step_size * c.grow, x.step_size)
    size = select(turned, x.step_size * c.shrink, size).clamp(c.smallest, c.largest)
    used = select(turned, 0.0, g)
    return {"p": x.p - used.sign() * size, "prev": used, "step_size": size}


def asgd(x: Any, c: Any, on: Any) -> Values:
    """Gradient descent whose averaged path is kept in `ax`."""
    g = _gradient(x, c, on)
    p = x.p * c.keep - g * c.eta
    return {"p": p, "ax": x.ax + (p - x.ax) * c.mu if on.averaging else p}


def lion(x: Any, c: Any, on: Any) -> Values:
    """The sign of an interpolated momentum (Chen et al. 2023)."""
    g = -x.g if on.maximize else x.g
    p = x.p * c.keep if on.decay else x.p
    direction = x.exp_avg * c.beta1 + g * c.new1
    mean = x.exp_avg * c.beta2 + g * c.new2
    return {"p": p - direction.sign() * c.lr, "exp_avg": mean}
