"""A fused loop nest as data.

A `Kernel` runs over a space of axes, the last of which (the *inner* axis) is vectorised.  Its
nodes are one scalar program; each either varies along the inner axis or is computed once per row:

    load    an element of a kernel argument (strides per axis; stride 0 = broadcast)
    const   a number
    index   the position along an axis
    take    an element of an argument at places given by index nodes
    check   an index into an axis of known length; a wrong one is noted in an argument
    fold    the inner axis folded to one number per row, usable by later nodes
    others  scalar functions of earlier nodes

`stores` put a node's value into an argument; `accumulates` fold it over the axes along which the
argument has stride 0.  A fold ends a *phase*: what needs its result runs in another loop over the
same row (softmax is three phases: maximum, sum of exponentials, division).
"""

from __future__ import annotations

from typing import NamedTuple

from ..scalars.functions import Node

# Code for any length of its one axis expects at least this length.
GENERIC_LENGTH = 64


class Access(NamedTuple):
    """How a kernel argument is addressed: element strides along the axes of the space."""

    argument: int
    strides: tuple[int, ...]


class Put(NamedTuple):
    """`argument[places] += node`; places are index nodes times strides plus the access."""

    node: int
    to: Access
    indices: tuple[int, ...]
    strides: tuple[int, ...]
    size: int  # elements of the whole argument, which starts as zeros
    along: bool  # whether there is something to add at every place of the inner axis, or once a row


class Kernel(NamedTuple):
    """See the module's docstring; a kernel is its own key for reuse of the compiled code."""

    space: tuple[int, ...]
    arguments: tuple[str, ...]  # dtype of each pointer
    nodes: tuple[Node, ...]
    stores: tuple[tuple[int, Access], ...]
    # (fold kind, node, where, whether the fold also runs along the inner axis)
    accumulates: tuple[tuple[str, int, Access, bool], ...]
    scatters: tuple[Put, ...] = ()

    def checks(self) -> list[tuple[int, int]]:
        """(size, argument) of the index checks; the argument is a word that is set on failure."""
        return [n.value for n in self.nodes if n.op == "check"]

    def generic(self) -> bool:
        """Whether the one axis may have any length, so that the code serves all lengths."""
        if (
            len(self.space) != 1
            or self.space[0] < GENERIC_LENGTH
            or self.accumulates
            or self.scatters
        ):
            return False
        if any(n.op == "take" for n in self.nodes):
            return False
        loads = [n.value for n in self.nodes if n.op == "load"]
        return all(a.strides[0] in (0, 1) for a in [*loads, *(to for _, to in self.stores)])

    def code(self) -> Kernel:
        """What its machine code depends on: kernels for which this is equal share one."""
        return self._replace(space=(GENERIC_LENGTH,)) if self.generic() else self


def format_kernel(kernel: Kernel) -> str:
    """The kernel as text, for `explain` and golden tests."""
    lines = [f"loop over {list(kernel.space)} ({', '.join(kernel.arguments)})"]
    for i, node in enumerate(kernel.nodes):
        args = [f"n{a}" for a in node.args]
        if node.op == "load":
            args = [f"a{node.value.argument}{list(node.value.strides)}"]
        elif node.value is not None:
            args.append(repr(node.value))
        lines.append(f"  n{i}: {node.dtype} = {node.op}({', '.join(args)})")
    lines += [f"  a{to.argument}{list(to.strides)} = n{n}" for n, to in kernel.stores]
    lines += [
        f"  a{to.argument}{list(to.strides)} {kind}= n{n}" for kind, n, to, _ in kernel.accumulates
    ]
    for put in kernel.scatters:
        places = ", ".join(f"n{i}*{s}" for i, s in zip(put.indices, put.strides, strict=True))
        once = "" if put.along else " once a row"
        access = f"a{put.to.argument}{list(put.to.strides)}[{places}]"
        lines.append(f"  {access} add= n{put.node}{once}")
    return "\n".join(lines)
