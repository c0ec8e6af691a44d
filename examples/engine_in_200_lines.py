"""Reverse-mode automatic differentiation in pure Python, small enough to read in one sitting.

The whole idea: while numbers are computed, write down for each result what it was made of and how
a small change of each part would move it. To differentiate, walk that record backwards once: each
number hands its gradient on to its parts, times the local slope. That is the chain rule.

    python examples/engine_in_200_lines.py     trains a small network and prints its loss
"""

import math
import random


class Array:
    """A number, a vector or a matrix of floats (nested lists), and where it came from."""

    def __init__(self, data, parents=(), backward=None):
        self.data = data
        self.shape = shape_of(data)
        self.grad = None  # filled by backward(): how the final result answers to each entry
        self.parents = parents
        self.hand_on = backward  # gradient of this -> list of gradients, one per parent

    # ---- what can be done with arrays: compute, and say how gradients pass through ----

    def __add__(self, other):
        return combined(self, other, lambda a, b: a + b, lambda g, a, b: g, lambda g, a, b: g)

    def __mul__(self, other):
        times = lambda a, b: a * b
        return combined(self, other, times, lambda g, a, b: g * b, lambda g, a, b: g * a)

    __radd__, __rmul__ = __add__, __mul__

    def __sub__(self, other):
        return self + other * -1.0

    def relu(self):
        data = mapped(lambda v: max(v, 0.0), self.data)
        slope = mapped(lambda v: 1.0 if v > 0 else 0.0, self.data)  # the gate: open or shut
        return Array(data, (self,), lambda g: [mapped(lambda a, b: a * b, g, slope)])

    def __matmul__(self, other):
        a, b = self.data, other.data
        if len(self.shape) != 2 or len(other.shape) != 2 or self.shape[1] != other.shape[0]:
            raise ValueError(f"cannot multiply shapes {self.shape} and {other.shape}")
        # C = A B moves by dA B + A dB; so A receives g B', and B receives A' g.
        back = lambda g: [product(g, transposed(b)), product(transposed(a), g)]
        return Array(product(a, b), (self, other), back)

    def mean(self):
        values = flattened(self.data)
        share = 1.0 / len(values)  # every entry moves the mean by its share
        data = self.data
        return Array(sum(values) * share, (self,), lambda g: [mapped(lambda _: g * share, data)])

    # ---- the engine ----

    def backward(self):
        """Fill .grad of everything this was computed from. Call it on a single number."""
        if self.shape != ():
            raise ValueError(f"backward() starts at a single number, not at shape {self.shape}")
        gradients = {id(self): 1.0}  # d self / d self
        for array in reversed(in_order(self)):  # whatever used an array comes before it here
            gradient = gradients.pop(id(array))
            if array.hand_on is None:  # a leaf: keep it, on top of earlier backward passes
                array.grad = gradient if array.grad is None else added(array.grad, gradient)
                continue
            for parent, part in zip(array.parents, array.hand_on(gradient)):
                known = gradients.get(id(parent))
                gradients[id(parent)] = part if known is None else added(known, part)


def in_order(result):
    """Everything behind a result, parents first; a loop, so depth does not matter."""
    order, seen, stack = [], set(), [(result, False)]
    while stack:
        array, parents_done = stack.pop()
        if parents_done:
            order.append(array)
        elif id(array) not in seen:
            seen.add(id(array))
            stack.append((array, True))
            stack += [(parent, False) for parent in array.parents]
    return order


# ---- lists of lists ----


def shape_of(data):
    return (len(data), *shape_of(data[0])) if isinstance(data, list) else ()


def mapped(function, *data):
    """A function of numbers, entry by entry."""
    if isinstance(data[0], list):
        return [mapped(function, *rows) for rows in zip(*data)]
    return function(*data)


def flattened(data):
    return [v for row in data for v in flattened(row)] if isinstance(data, list) else [data]


def transposed(matrix):
    return [list(column) for column in zip(*matrix)]


def product(a, b):
    columns = transposed(b)
    return [[sum(x * y for x, y in zip(row, column)) for column in columns] for row in a]


def added(a, b):
    return mapped(lambda x, y: x + y, a, b)


def common_shape(a, b):
    """The shape both can be stretched to: sizes are equal, or one of them is 1 or missing."""
    longest = max(len(a), len(b))
    pairs = list(zip((1,) * (longest - len(a)) + a, (1,) * (longest - len(b)) + b))
    if any(m != n and 1 not in (m, n) for m, n in pairs):
        raise ValueError(f"shapes {a} and {b} do not go together")
    return tuple(n if m == 1 else m for m, n in pairs)


def stretched(data, shape):
    """Repeat a number or a row until it has the given shape (broadcasting)."""
    if shape == ():
        return data
    once = len(shape_of(data)) < len(shape)
    rows = [data] * shape[0] if once else data * shape[0] if len(data) == 1 else data
    return [stretched(row, shape[1:]) for row in rows]


def gathered(gradient, shape):
    """The way back: what was repeated receives the sum over its copies."""
    while len(shape_of(gradient)) > len(shape):
        gradient = summed(gradient)
    if shape == ():
        return gradient
    rows = [summed(gradient)] if shape[0] == 1 else gradient
    return [gathered(row, shape[1:]) for row in rows]


def summed(rows):
    total = rows[0]
    for row in rows[1:]:
        total = added(total, row)
    return total


def combined(x, y, compute, first, second):
    """An operation on two arrays, entry by entry, the smaller one stretched to the larger."""
    y = y if isinstance(y, Array) else Array(y)
    shape = common_shape(x.shape, y.shape)
    a, b = stretched(x.data, shape), stretched(y.data, shape)

    def hand_on(g):
        return [
            gathered(mapped(first, g, a, b), x.shape),
            gathered(mapped(second, g, a, b), y.shape),
        ]

    return Array(mapped(compute, a, b), (x, y), hand_on)


# ---- a network that learns ----


def weights(rows, columns, draw):
    return Array(
        [[draw.gauss(0, math.sqrt(2 / rows)) for _ in range(columns)] for _ in range(rows)]
    )


def train(steps=200, rate=0.05, seed=0):
    """Fit y = x1 * x2 with one hidden layer of 8; returns the loss of every step."""
    draw = random.Random(seed)
    points = [[draw.uniform(-1, 1), draw.uniform(-1, 1)] for _ in range(32)]
    x, y = Array(points), Array([[a * b] for a, b in points])
    w1, b1, w2, b2 = weights(2, 8, draw), Array([[0.0] * 8]), weights(8, 1, draw), Array([[0.0]])
    losses = []
    for _ in range(steps):
        error = (x @ w1 + b1).relu() @ w2 + b2 - y
        loss = (error * error).mean()
        for p in (w1, b1, w2, b2):
            p.grad = None
        loss.backward()
        for p in (w1, b1, w2, b2):
            p.data = mapped(lambda v, g: v - rate * g, p.data, p.grad)
        losses.append(loss.data)
    return losses


if __name__ == "__main__":
    for step, loss in enumerate(train()):
        if step % 20 == 0 or step == 199:
            print(f"step {step:3}  loss {loss:.5f}")
