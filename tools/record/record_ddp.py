"""Losses of a user's DDP script under PyTorch's gloo, for tests/distributed.

python tools/record/record_ddp.py      (with the Python that has PyTorch)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests" / "distributed" / "ranks" / "user_ddp.py"


def losses(ranks: int) -> list[float]:
    """The losses that rank 0 prints."""
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
         str(ranks), str(SCRIPT)], capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(found) for found in re.findall(r"loss (\S+)", done.stdout)]


if __name__ == "__main__":
    path = ROOT / "tests" / "recorded" / "ddp_losses.json"
    path.write_text(json.dumps({str(n): losses(n) for n in (2, 3)}, indent=1) + "\n")
