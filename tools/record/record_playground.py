"""Write tests/recorded/playground.json: the losses of exported playground scripts under PyTorch.

    python tools/record/record_playground.py  (with torch and numpy; chainrule's sources are beside)

The scripts are written by chainrule.studio.playground.script; nothing else of chainrule runs here.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CSV = "a,b,c\n1,2,0\n2,1,1\n3,5,0\n4,1,1\n5,9,2\n"
CONFIGS = {
    "first": {"epochs": 3},
    "deep": {
        "layers": [8] * 6,
        "activation": "sigmoid",
        "residual": True,
        "norm": "layer",
        "lr": 0.1,
        "epochs": 2,
    },
    "batch norm": {
        "data": "spiral",
        "norm": "batch",
        "activation": "relu",
        "init": "kaiming",
        "optimizer": "adam",
        "lr": 0.01,
        "epochs": 2,
    },
    "sine": {"data": "sine", "optimizer": "momentum", "lr": 0.05, "epochs": 3},
    "sequence": {
        "data": "first of a sequence",
        "layers": [6],
        "lr": 0.01,
        "length": 10,
        "epochs": 2,
    },
    "saddle": {"data": "saddle", "layers": [], "lr": 0.05, "batch": 1, "epochs": 20},
    "blobs": {
        "data": "blobs",
        "layers": [],
        "lr": 0.5,
        "batch": 7,
        "optimizer": "rmsprop",
        "epochs": 2,
    },
    "csv": {
        "data": "csv",
        "csv": CSV,
        "layers": [4],
        "optimizer": "adamw",
        "lr": 0.02,
        "batch": 2,
        "epochs": 4,
    },
}


def main() -> None:
    """Run every script with this interpreter's PyTorch."""
    sys.path.insert(0, str(ROOT / "src"))
    from chainrule.studio.playground.presets import PRESETS
    from chainrule.studio.playground.script import checked, script

    made = {}
    classics = {p["name"]: {**p["config"], "epochs": 20} for p in PRESETS}
    for name, config in {**CONFIGS, **classics}.items():
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "playground.py"
            file.write_text(script(checked(config)), encoding="utf-8")
            ran = subprocess.run(
                [sys.executable, str(file)], check=True, capture_output=True, text=True
            )
        losses = [float(line.rpartition(" ")[2]) for line in ran.stdout.splitlines()]
        made[name] = {"config": config, "losses": losses}
    target = ROOT / "tests/recorded/playground.json"
    target.write_text(json.dumps(made, indent=1) + "\n", encoding="utf-8")
    print(f"wrote {len(made)} runs")


if __name__ == "__main__":
    main()
