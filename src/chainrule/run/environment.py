"""`chainrule install-as-torch`: chainrule under the name `torch` for a whole environment.

What is installed is a folder `torch` of a few lines, which hands `import torch` on to chainrule,
and an entry in the list of installed distributions, so that tools that ask for torch's version find
one and `pip install` of a library that needs torch does not fetch PyTorch. The entry lists its
files, so `pip uninstall torch` takes all of it away, as `chainrule uninstall-as-torch` does.
"""

from __future__ import annotations

import argparse
import base64
import csv
import hashlib
import io
import os
import shutil
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution, distributions
from pathlib import Path

STAND_IN = Path(__file__).resolve().parent / "for_children"
_INSTALLER = "chainrule"


class Refused(Exception):
    """Why nothing was changed, and what to do."""


def install_command(argv: Sequence[str]) -> int:
    """`chainrule install-as-torch`."""
    parser = argparse.ArgumentParser(
        prog="chainrule install-as-torch",
        description="Let `import torch` mean chainrule in this whole virtual environment: under "
        "pytest, in notebooks, for the libraries installed there. `chainrule uninstall-as-torch` "
        "or `pip uninstall torch` takes it back.",
    )
    parser.add_argument("--undo", action="store_true", help="take it back")
    parser.add_argument(
        "--force", action="store_true", help="also into an interpreter that is no environment"
    )
    options = parser.parse_args(argv)
    if options.undo:
        return uninstall_command([])
    try:
        written = install(force=options.force)
    except Refused as problem:
        print(f"chainrule install-as-torch: {problem}", file=sys.stderr)
        return 1
    version = _names()[0].partition("-")[2].removesuffix(".dist-info")
    print(f"`import torch` is chainrule now in {sys.prefix}, and reports {version}.")
    for path in written:
        print(f"  wrote {path}")
    print("Take it back with: python -m chainrule uninstall-as-torch (or pip uninstall torch)")
    return 0


def uninstall_command(argv: Sequence[str]) -> int:
    """`chainrule uninstall-as-torch`."""
    argparse.ArgumentParser(
        prog="chainrule uninstall-as-torch",
        description="Take back what `chainrule install-as-torch` installed.",
    ).parse_args(argv)
    try:
        removed = uninstall()
    except Refused as problem:
        print(f"chainrule uninstall-as-torch: {problem}", file=sys.stderr)
        return 1
    print(f"`import torch` is not chainrule's any more in {sys.prefix}.")
    for path in removed:
        print(f"  removed {path}")
    return 0


def install(*, force: bool = False) -> list[Path]:
    """Put the stand-in beside the other packages of this interpreter; the folders written."""
    if sys.prefix == sys.base_prefix and not force:
        raise Refused(
            f"this interpreter is no virtual environment ({sys.prefix}): every program that uses "
            "it would get chainrule for torch.\n"
            "  Fix: make one (python -m venv folder), install chainrule in it, and use its Python. "
            "--force installs here all the same."
        )
    site = site_packages()
    _refuse_others(site)
    _remove(site)
    names = [*_names(), *_packages()]
    for name in names:
        shutil.copytree(STAND_IN / name, site / name, ignore=shutil.ignore_patterns("__pycache__"))
    _write_record(site, names)
    return [site / name for name in names]


def uninstall() -> list[Path]:
    """Remove the stand-in from this interpreter's packages; the folders removed."""
    site = site_packages()
    removed = _remove(site)
    if not removed:
        others = [d for d in _installed_torch() if not _is_ours(d)]
        what = f"torch {others[0].version} is PyTorch's own" if others else "there is no torch"
        raise Refused(f"nothing to take back in {site}: {what}")
    return removed


def site_packages() -> Path:
    """Where this interpreter keeps packages in plain Python."""
    return Path(sysconfig.get_path("purelib"))


def _names() -> list[str]:
    return [p.name for p in STAND_IN.iterdir() if p.name.endswith(".dist-info")]


def _packages() -> list[str]:
    return sorted(p.parent.name for p in STAND_IN.glob("*/__init__.py"))


def _installed_torch() -> Iterator[Distribution]:
    where = dict.fromkeys((str(site_packages()), sysconfig.get_path("platlib")))
    return (d for d in distributions(name="torch", path=list(where)))


def _is_ours(found: Distribution) -> bool:
    return (found.read_text("INSTALLER") or "").strip() == _INSTALLER


def _refuse_others(site: Path) -> None:
    for found in _installed_torch():
        if not _is_ours(found):
            raise Refused(
                f"torch {found.version} is installed in {sys.prefix}, and one name cannot mean "
                "both.\n  Fix: pip uninstall torch first, or use another environment. "
                "`chainrule run script.py` needs neither."
            )
    for name in _packages():
        init = site / name / "__init__.py"
        if (site / name).exists() and not _is_stand_in(init):
            raise Refused(
                f"{site / name} exists and is not chainrule's.\n"
                "  Fix: look what it is, and move it away."
            )


def _is_stand_in(init: Path) -> bool:
    return init.is_file() and init.read_text().startswith('"""Stands in for')


def _remove(site: Path) -> list[Path]:
    """Take away the folders of ours that are there."""
    entries = [p for p in site.glob("torch-*.dist-info") if _marked(p)]
    packages = [site / n for n in _packages() if _is_stand_in(site / n / "__init__.py")]
    for path in (*entries, *packages):
        shutil.rmtree(path)
    return [*entries, *packages]


def _marked(entry: Path) -> bool:
    mark = entry / "INSTALLER"
    return mark.is_file() and mark.read_text().strip() == _INSTALLER


def _write_record(site: Path, names: list[str]) -> None:
    """The list of files with their hashes, which `pip uninstall` goes by."""
    entry = next(n for n in names if n.endswith(".dist-info"))
    rows = io.StringIO()
    writer = csv.writer(rows, lineterminator="\n")
    for name in sorted(names):
        for path in sorted((site / name).rglob("*")):
            if path.is_file():
                digest = base64.urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest())
                hashed = f"sha256={digest.decode().rstrip('=')}"
                shown = path.relative_to(site).as_posix()
                writer.writerow((shown, hashed, os.path.getsize(path)))
    writer.writerow((f"{entry}/RECORD", "", ""))
    (site / entry / "RECORD").write_text(rows.getvalue())
