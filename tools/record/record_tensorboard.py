"""Record the event records that PyTorch's SummaryWriter makes for tests/data/board_cases.py.

Runs in an interpreter with torch and tensorboard; chainrule is not imported.
"""

from __future__ import annotations

import json
import struct
import sys
import tempfile
from pathlib import Path

import torch
from torch.utils.tensorboard import SummaryWriter

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "data"))

from board_cases import calls, charts, embeddings, hparams, plugins  # noqa: E402


def records(path: Path) -> list[str]:
    """The records of a file; the first nine bytes of each, a time, are left out of some."""
    data, found, position = path.read_bytes(), [], 0
    while position < len(data):
        (length,) = struct.unpack_from("<Q", data, position)
        found.append(data[position + 12 : position + 12 + length].hex())
        position += length + 16
    return found


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        with SummaryWriter(folder) as writer:
            calls(writer, torch)
            hparams(writer)
        for name, add in (("plugins", lambda w: plugins(w, torch)), ("charts", charts)):
            with SummaryWriter(f"{folder}/{name}") as writer:
                add(writer)
        made = {
            str(path.parent.relative_to(folder)): records(path)
            for path in sorted(Path(folder).rglob("events.*"))
        }
        with SummaryWriter(f"{folder}/projector") as writer:
            embeddings(writer, torch)
        home = Path(folder) / "projector"
        made["projector"] = {
            str(path.relative_to(home)): path.read_text()
            for path in sorted(home.rglob("*"))
            if path.suffix in (".tsv", ".pbtxt")
        }
    target = ROOT / "tests" / "recorded" / "tensorboard.json"
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print({name: len(found) for name, found in made.items()})


if __name__ == "__main__":
    main()
