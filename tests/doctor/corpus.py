"""The corpus of the doctor: broken scripts, each with its repaired twin, and healthy ones.

A broken script is one file that holds both forms:

    loss.backward()            the same in both
    optimizer.zero_grad()  #+  only in the repaired twin
    lr = 10.0  #-              only in the broken script
    loss.backward()  #!        the line that a finding should name (`#-!`: only there when broken)

Its name begins with the rule's id: `missing-zero-grad.plain_loop.py`.
"""

from __future__ import annotations

import contextlib
import io
import linecache
import re
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
_MARK = re.compile(r"\s*#([+-]?!?)$")


@dataclass(frozen=True)
class Script:
    """A program of the corpus."""

    name: str
    text: str
    rule: str = ""  # the rule that has to speak; "" for a healthy one
    lines: tuple[int, ...] = ()  # the lines that it may name

    def seeded(self, seed: int) -> Script:
        """The same program with another seed."""
        text = re.sub(r"manual_seed\(\d+\)", f"manual_seed({seed})", self.text)
        text = re.sub(r"default_rng\(\d+\)", f"default_rng({seed})", text)
        return Script(self.name, text, self.rule, self.lines)


def broken() -> list[Script]:
    """The broken scripts."""
    return [_variant(path, "-") for path in sorted((HERE / "broken").glob("*.py"))]


def repaired() -> list[Script]:
    """Their repaired twins: nothing is wrong with these."""
    return [_variant(path, "+") for path in sorted((HERE / "broken").glob("*.py"))]


def healthy() -> list[Script]:
    """Scripts that look odd and are fine."""
    return [Script(p.stem, p.read_text("utf-8")) for p in sorted((HERE / "healthy").glob("*.py"))]


def programs() -> list[Script]:
    """The programs of other tests and the examples: healthy as well."""
    root = HERE.parents[1]
    paths = [*(root / "tests" / "programs").glob("*.py"), *(root / "examples").glob("*.py")]
    return [Script(p.stem, p.read_text("utf-8")) for p in sorted(paths)]


def _variant(path: Path, sign: str) -> Script:
    kept: list[str] = []
    lines: list[int] = []
    for line in path.read_text("utf-8").splitlines():
        found = _MARK.search(line)
        mark = found[1] if found else ""
        if {"+", "-"} & set(mark) and sign not in mark:
            continue
        kept.append(line[: found.start()] if found else line)
        if "!" in mark:
            lines.append(len(kept))
    if sign == "+":
        return Script(f"{path.stem} (repaired)", "\n".join(kept) + "\n")
    return Script(path.stem, "\n".join(kept) + "\n", path.stem.split(".")[0], tuple(lines))


def diagnose(script: Script, folder: Path, **options: Any) -> Any:
    """Run a script under the doctor's watch; returns the diagnosis."""
    import chainrule.run
    from chainrule.doctor import watch

    path = folder / f"{script.name.replace(' ', '_')}.py"
    path.write_text(script.text, "utf-8")
    linecache.checkcache()
    space = ModuleType("__main__")
    space.__file__ = str(path)
    before, state = sys.modules["__main__"], _random_state()
    with (
        chainrule.run.installed(),
        warnings.catch_warnings(),
        contextlib.redirect_stdout(io.StringIO()),
    ):
        warnings.simplefilter("ignore")
        watched = watch(**options)
        sys.modules["__main__"] = space
        try:
            with watched:
                exec(compile(script.text, str(path), "exec"), vars(space))
        except Exception as problem:
            if not script.rule:
                raise AssertionError(f"{script.name} is meant to run") from problem
        finally:
            sys.modules["__main__"] = before
            _put_back(state)
    return watched.diagnosis


def _random_state() -> Any:
    import chainrule

    enabled = chainrule.is_grad_enabled()
    return chainrule.get_rng_state(), enabled, chainrule.get_default_dtype()


def _put_back(state: Any) -> None:
    import chainrule

    chainrule.set_rng_state(state[0])
    chainrule.set_grad_enabled(state[1])
    chainrule.set_default_dtype(state[2])
