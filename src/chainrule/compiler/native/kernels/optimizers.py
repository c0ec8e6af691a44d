"""Steps of optimizers: kernels written from the programs of their rules (`optim/program.py`).

One call updates all parameters of a group: the arrays come as lists, and large ones are shared
among threads. The operations are those of the NumPy form in the same order, each rounded by itself,
so both give the same bits.
"""

from __future__ import annotations

from ....optim.program import KNOWN, Program
from ..language.source import kernel_of, statements
from ..language.words import Kernel, native


@native("list f32 step[], f64 count")
def steps_are_single(step, count):
    """Whether every parameter has made so many steps."""
    if step[0] != count:
        return False


@native("list f64 step[], f64 count")
def steps_are_double(step, count):
    """As above, for counters in double precision."""
    if step[0] != count:
        return False


def step_kernel(name: str) -> Kernel:
    """The kernel of a program by name: the program's, `__`, the type of the arrays and, after `_`,
    that of the counters of steps, if the kernel is to set them. One whose name ends in `_fits` does
    nothing but look at its arguments."""
    stem, _, types = name.removeprefix("step_").partition("__")
    program = KNOWN[stem]
    dtype, *more = types.split("_")
    only_looks = more[-1:] == ["fits"]
    counters = "".join(more[:-1] if only_looks else more)
    declaration, text = kernel_source(program, dtype, counters, only_looks)
    return kernel_of(name, declaration, text, exact=True)


def kernel_source(
    program: Program, dtype: str, counters: str = "", only_looks: bool = False
) -> tuple[str, str]:
    """The declaration and the Python text of a program's kernel."""
    lists = [f"list {dtype} {name}[*n]" for name in program.arrays]
    names = list(program.arrays)
    if counters:
        lists += [f"list {counters} step[]", "f64 count"]
        names += ["step", "count"]
    declaration = ", ".join([*lists, *(f"{dtype} {name}" for name in program.scalars)])
    lines = [f"def written({', '.join([*names, *program.scalars, 'n'])}):"]
    if only_looks:  # what would be written must be writable, but n is no negative number
        written = [*program.results, *(["step"] if counters else [])]
        lines += ["    if n < 0:", *(f"        {name}[0] = 0" for name in written)]
        return declaration, "\n".join(lines) + "\n"
    if counters:
        lines.append("    step[0] = count")
    lines.append("    for i in shared(n):")
    place = {id(program.values[name]): f"{name}[i]" for name in program.arrays}
    lines += [f"        {line}" for line in statements(program.operations, place, dtype)]
    # Inputs are overwritten only after everything was computed.
    lines += [f"        {n}[i] = {place[id(s)]}" for n, s in program.results.items()]
    return declaration, "\n".join(lines) + "\n"
