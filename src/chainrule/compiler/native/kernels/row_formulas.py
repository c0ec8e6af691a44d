"""Kernels of formulas over rows (`ops/row_formulas.py`): passes over each row, no more than needed.

A pass computes the sums and maxima whose terms are known by then; the last one writes the results.
A costly term of an earlier pass that is needed again waits in the result's memory. Sums are made in
blocks whose sums are added as doubles; gradients of columns in one row for each chunk of rows, so
that they do not depend on the number of threads.
"""

from __future__ import annotations

from collections.abc import Iterable

from ....ir import Expr, operations
from ....ops.row_formulas import ROWS, N, RowFormula
from ..language.source import kernel_of, operand, statements
from ..language.words import Kernel
from .row_helpers import BLOCK, FEW, SHORT

_COSTLY = frozenset(("exp", "expm1", "log", "log1p", "tanh", "sigmoid"))
_SHARE = Expr("param", (), "share")  # 1 / n
_COUNT = Expr("param", (), "T(n)")

Places = dict[int, str]  # where values are, by the identity of their expressions


def row_kernel(formula: RowFormula) -> Kernel:
    """The kernel of a formula."""
    return kernel_of(formula.name, declaration(formula), RowWriter(formula).text())


def declaration(f: RowFormula) -> str:
    """What a formula's kernel takes and makes."""
    column, row = ("[*n]", "[*size]") if f.sized or f.is_flat else ("[n]", "[*rows, n]")
    dims = {n: row if ROWS in s else column if s else "[]" for n, s in f.arrays.items()}
    parts = [f"T {name}{dim}" for name, dim in dims.items()]
    parts += ["i64 rows", "i64 n"] if f.sized else []
    parts += [f"T {name}" for name in f.numbers]
    columns = [name for name, e in f.results.items() if is_column(e)]
    parts += ["i64 chunks"] if columns else []
    role = "wanted" if len(f.made) > 1 else "out"
    whole = [name for name, dim in dims.items() if dim == (column if f.is_flat else row)][-1]
    for name, e in f.results.items():
        dim = "chunks, n" if name in columns else f"like {whole}" if varies(e) else ""
        parts.append(f"{role} T {name}[{dim}]")
    return ", ".join(parts)


def is_column(e: Expr) -> bool:
    """Whether a result is one number for each column."""
    return e.op == "column_add"


def is_of_row(e: Expr) -> bool:
    """Whether it is made of all elements of a row."""
    return e.op in ("row_add", "row_max")


def varies(e: Expr) -> bool:
    """Whether it differs between the elements of a row."""
    return e.op == "arg" or (not is_of_row(e) and any(map(varies, e.args)))


def multiplied(e: Expr, done: dict[int, Expr], is_flat: bool) -> Expr:
    """The same with products in place of quotients by what is one number for the row."""
    if id(e) not in done:
        args = tuple(multiplied(a, done, is_flat) for a in e.args)
        new = Expr(e.op, args, e.value) if e.args else e
        if e.op == "div" and _is_length(args[1]):
            new = Expr("div", (args[0], _COUNT)) if is_flat else Expr("mul", (args[0], _SHARE))
        elif e.op == "div" and varies(args[0]) and not varies(args[1]):
            new = Expr("mul", (args[0], Expr("reciprocal", (args[1],))))
        done[id(e)] = new
    return done[id(e)]


def _is_length(e: Expr) -> bool:
    return e.op == "param" and e.value == N.value


class RowWriter:
    """Writes the text of a formula's kernel."""

    def __init__(self, formula: RowFormula) -> None:
        self.formula = formula
        self.columns = [name for name, e in formula.results.items() if is_column(e)]
        done: dict[int, Expr] = {}
        self.terms = {
            name: multiplied(e.args[0] if is_column(e) else e, done, formula.is_flat)
            for name, e in formula.results.items()
        }
        self.passes = _passes(list(self.terms.values()))
        self.kept = self._dear() if len(self.terms) == 1 else None
        self.lines: list[str] = []

    def _dear(self) -> Expr | None:
        """What shall wait in the memory of the only result: costly, and made before it."""
        early = {id(e) for sums in self.passes for s in sums for e in _made(s.args, {})}
        found = [e for e in _made(self.terms.values(), {}) if id(e) in early and e.op in _COSTLY]
        return found[0] if len(found) == 1 else None

    def text(self) -> str:
        """The kernel as Python text: a function called `written`."""
        f = self.formula
        names = [*f.arrays, *(["rows", "n"] if f.sized else []), *f.numbers]
        names += [*(["chunks"] if self.columns else []), *f.made]
        names += ["size"] if f.sized else ["n"] if f.is_flat else ["rows", "n"]
        self.write(0, f"def written({', '.join(names)}):")
        if f.sized:
            self.write(1, "if rows * n != size:", "    return False")
        if any(e.op == "row_max" for sums in self.passes for e in sums):
            self.write(1, "if n == 0:", "    return")
        if any(a is _SHARE for e in operations(*self.terms.values()) for a in e.args):
            self.write(1, "share = 1.0 / T(n)")
        if f.is_flat:
            self._row(1)
        elif not self.columns:
            self.write(1, "for r in shared(rows):")
            self._row(2)
        else:
            self.write(1, "for c in shared(chunks):")
            for name in self.columns:
                self.write(2, f"own_{name} = {name}[c * n :]", f"if {name} is not None:")
                self.write(3, "for j in range(n):", f"    own_{name}[j] = 0.0")
            self.write(2, "for r in range(rows * c // chunks, rows * (c + 1) // chunks):")
            self._row(3)
        return "\n".join(self.lines) + "\n"

    def write(self, depth: int, *lines: str) -> None:
        """Lines of the kernel."""
        self.lines += ["    " * depth + line for line in lines]

    def _row(self, depth: int) -> None:
        rows = [name for name, shape in self.formula.arrays.items() if ROWS in shape]
        rows += [name for name in self.terms if name not in self.columns] if rows else []
        self.write(depth, *(f"row_{name} = {name}[r * n :]" for name in rows))
        place = {
            id(a): f"row_{a.value}[j]" if a.value in rows else f"{a.value}[j]"
            for e in (*operations(*self.terms.values()), Expr("", tuple(self.terms.values())))
            for a in e.args
            if a.op == "arg"
        }
        for number, sums in enumerate(self.passes):
            self._pass(depth, number, sums, place)
        self._results(depth, place)

    # ---- sums and maxima -----------------------------------------------------------------------

    def _pass(self, depth: int, number: int, sums: list[Expr], place: Places) -> None:
        """One pass over the row; one that a single result needs is left out without it."""
        self._numbers(depth, [e.args[0] for e in sums], place)
        users = [name for name, e in self.terms.items() if _uses(e, sums)]
        if len(users) == 1 < len(self.terms):
            self.write(depth, f"if {users[0]} is not None:")
            depth += 1
        inside = dict(place)
        body = statements(_made([e.args[0] for e in sums], place), inside, "T", f"p{number}_")
        if self.kept is not None and id(self.kept) in inside and id(self.kept) not in place:
            body.append(f"row_{self.formula.made[0]}[j] = {inside[id(self.kept)]}")
            place[id(self.kept)] = f"row_{self.formula.made[0]}[j]"
        names = [f"s{number}_{k}" for k in range(len(sums))]
        for e, name in zip(sums, names, strict=True):
            term = operand(e.args[0], inside, "T")
            how = "accumulate" if e.op == "row_add" else "maximum"
            body.append(f"{name} = {how}({name}, {term})")
            place[id(e)] = name
        if sums[0].op == "row_max":
            first = operand(sums[0].args[0], inside, "T").replace("[j]", "[0]")
            self.write(depth, f"{names[0]} = {first}")
            self._loop(depth, body)
        else:
            self._blocks(depth, names, body)

    def _blocks(self, depth: int, names: list[str], body: list[str]) -> None:
        """Sums of blocks, added as doubles where there are several."""
        zeros = [f"{name} = T(0.0)" for name in names]
        self.write(depth, *zeros, "start = 0")
        if self.formula.few:
            self.write(depth, f"if n > {FEW} and n <= {SHORT}:", "    for j in short(n):")
            self.write(depth + 2, *body)
            self.write(depth + 1, "start = n")
        elif not self.formula.is_flat:  # conversions would cost as much as the sum of a short row
            self.write(depth, f"if n <= {BLOCK}:", "    for j in range(n):")
            self.write(depth + 2, *body)
            self.write(depth + 1, "start = n")
        self.write(depth, *(f"{name}_all: f64 = 0.0" for name in names), "while start < n:")
        self.write(depth + 1, *zeros, f"for j in range(start, min(start + {BLOCK}, n)):")
        self.write(depth + 2, *body)
        added = [f"{name}_all += f64({name})" for name in names]
        kept = [f"{name} = T({name}_all)" for name in names]
        self.write(depth + 1, f"start += {BLOCK}")
        if self.formula.is_flat:
            self.write(depth + 1, *added)
            self.write(depth, *kept)
        else:
            self.write(depth + 1, f"if n > {BLOCK}:", *(f"    {line}" for line in added))
            self.write(depth, f"if n > {BLOCK}:", *(f"    {line}" for line in kept))

    def _loop(self, depth: int, body: list[str]) -> None:
        if self.formula.few:
            self.write(depth, f"if n > {FEW} and n <= {SHORT}:", "    for j in short(n):")
            self.write(depth + 2, *body)
            self.write(depth, "else:")
            depth += 1
        self.write(depth, "for j in range(n):")
        self.write(depth + 1, *body)

    def _numbers(self, depth: int, terms: Iterable[Expr], place: Places) -> None:
        """Compute what is one number for the row in these terms."""
        for e in operations(*terms):
            if varies(e) or is_of_row(e) or id(e) in place:
                continue
            if all(_known(a, place) for a in e.args):
                self.write(depth, *statements([e], place, "T", f"u{len(place)}_"))

    # ---- results -------------------------------------------------------------------------------

    def _results(self, depth: int, place: Places) -> None:
        """All results in one pass where all are wanted, else each in its own."""
        if len(self.terms) > 1:
            everything = " and ".join(f"{name} is not None" for name in self.terms)
            self.write(depth, f"if {everything}:")
            self._written(depth + 1, self.terms, dict(place))
            self.write(depth + 1, "continue")
            for name, e in self.terms.items():
                self.write(depth, f"if {name} is not None:")
                self._written(depth + 1, {name: e}, dict(place))
        else:
            self._written(depth, self.terms, place)

    def _written(self, depth: int, terms: dict[str, Expr], place: Places) -> None:
        self._numbers(depth, list(terms.values()), place)
        body = statements(_made(terms.values(), place), place, "T", "w_")
        if self.formula.is_flat:
            ((name, e),) = terms.items()
            loop = ["for j in shared(n):", *(f"    {line}" for line in body)]
            self.write(depth, *(loop if varies(e) else []))
            at = "    " * varies(e) + f"{name}[{'j' if varies(e) else 0}]"
            self.write(depth, f"{at} = {operand(e, place, 'T')}")
            return
        for name, e in terms.items():
            value = operand(e, place, "T")
            if name in self.columns:
                body.append(f"own_{name}[j] = own_{name}[j] + {value}")
            else:
                body.append(f"row_{name}[j] = {value}")
        self._loop(depth, body)


def _made(terms: Iterable[Expr], place: Places) -> list[Expr]:
    """What varies in these terms and is nowhere yet, each after its operands."""
    found: dict[int, Expr] = {}

    def visit(e: Expr) -> None:
        if e.args and varies(e) and id(e) not in place and id(e) not in found:
            for a in e.args:
                visit(a)
            found[id(e)] = e

    for e in terms:
        visit(e)
    return list(found.values())


def _known(e: Expr, place: Places) -> bool:
    return id(e) in place or e.op in ("const", "param")


def _uses(e: Expr, some: list[Expr]) -> bool:
    return any(found is one for found in operations(e) for one in some)


def _passes(terms: list[Expr]) -> list[list[Expr]]:
    """The sums and maxima of each pass over a row, as late as what needs them allows."""
    sums = [e for e in operations(*terms) if is_of_row(e)]
    depth: dict[int, int] = {}  # how many passes follow it
    for e in reversed(sums):
        users = [u for u in sums if u is not e and _uses(u.args[0], [e])]
        depth[id(e)] = 1 + max((depth[id(u)] for u in users), default=0)
    last = max(depth.values(), default=0)
    return [[e for e in sums if depth[id(e)] == last - k] for k in range(last)]
