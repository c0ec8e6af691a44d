"""Environments: one with chainrule and what it needs, and one per library that looks into it."""

import json
import os
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from .table import HERE, Library

ROOT = HERE.parent.parent
# The release whose place chainrule takes. The label makes it newer than PyTorch's own file of that
# release, so that pip chooses the empty one below while it resolves what the others need.
STANDS_FOR = "2.13.0+chainrule"
# What comes with PyTorch, and the compiler of its GPU code, which needs it.
NOT_INSTALLED = ("torch==", "triton==", "nvidia-")
PIP = ("-m", "pip", "--quiet", "--disable-pip-version-check")


class Environments:
    """The folder that holds them; nothing in it is made twice."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def python(self, library: Library) -> Path:
        """The interpreter that has the library, without torch; made on the first call."""
        home = self.folder / library.name
        if not is_made_from(home, library.lock):
            self.base()
            self.create(home)
            # Compiled when imported: most of what is installed never is.
            run(interpreter(home), *PIP, "install", "--no-compile", "--no-deps",
                "--requirement", library.lock)  # fmt: skip
            refuse_torch(home)
            (home / "made_from.txt").write_text(library.lock.read_text(encoding="utf-8"))
        return interpreter(home)

    def base(self) -> Path:
        """What all share: pip, chainrule from this tree and its dependencies."""
        home = self.folder / "base"
        lock = HERE / "locked" / "base.txt"
        if not is_made_from(home, lock):
            run(sys.executable, "-m", "venv", "--clear", home)
            run(interpreter(home), *PIP, "install", "--requirement", lock)
            run(interpreter(home), *PIP, "install", "--no-deps", "--editable", ROOT)
            (home / "made_from.txt").write_text(lock.read_text(encoding="utf-8"))
        return home

    def create(self, home: Path) -> None:
        """An empty environment that sees the base behind its own packages."""
        run(sys.executable, "-m", "venv", "--clear", "--without-pip", home)
        link = f"import site; site.addsitedir({str(packages(self.base()))!r})\n"
        (packages(home) / "base.pth").write_text(link)

    def lock(self, library: Library) -> None:
        """Write the versions of all that the library needs besides torch."""
        with tempfile.TemporaryDirectory(dir=self.base()) as place:
            home, report = Path(place) / "empty", Path(place) / "report.json"
            self.create(home)
            asked = (*library.requires, f"torch=={STANDS_FOR}")
            run(interpreter(home), *PIP, "install", "--dry-run", "--report", report,
                "--find-links", empty_torch(Path(place)), *asked)  # fmt: skip
            found = json.loads(report.read_text(encoding="utf-8"))["install"]
        pins = (f"{one['metadata']['name']}=={one['metadata']['version']}" for one in found)
        kept = sorted((pin for pin in pins if not pin.startswith(NOT_INSTALLED)), key=str.lower)
        library.lock.write_text("\n".join(kept) + "\n", encoding="utf-8")


def interpreter(home: Path) -> Path:
    return home / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def packages(home: Path) -> Path:
    if os.name == "nt":
        return home / "Lib" / "site-packages"
    return (
        home / "lib" / f"python{sys.version_info.major}.{sys.version_info.minor}" / "site-packages"
    )


def is_made_from(home: Path, lock: Path) -> bool:
    made = home / "made_from.txt"
    return made.exists() and made.read_text() == lock.read_text(encoding="utf-8")


def refuse_torch(home: Path) -> None:
    if (packages(home) / "torch").exists():
        raise RuntimeError(f"{home} has PyTorch itself in it: its lock file must not name torch")


def empty_torch(folder: Path) -> Path:
    """A folder with a wheel that says it is torch and has no file: pip is content, no more."""
    about = f"torch-{STANDS_FOR}.dist-info"
    with zipfile.ZipFile(folder / f"torch-{STANDS_FOR}-py3-none-any.whl", "w") as wheel:
        wheel.writestr(
            f"{about}/METADATA", f"Metadata-Version: 2.1\nName: torch\nVersion: {STANDS_FOR}\n"
        )
        wheel.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nTag: py3-none-any\n")
        wheel.writestr(f"{about}/RECORD", "")
    return folder


def run(*command: object) -> None:
    """Run quietly; what it wrote is shown only when it fails."""
    made = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if made.returncode:
        shown = " ".join(str(part) for part in command)
        raise RuntimeError(f"{shown}\nended with {made.returncode}:\n{made.stdout}{made.stderr}")
