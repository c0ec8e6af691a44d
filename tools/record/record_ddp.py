"""What users' scripts of several processes print under PyTorch's gloo, for tests/distributed.

python tools/record/record_ddp.py      (with the Python that has PyTorch)
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RANKS = ROOT / "tests" / "distributed" / "ranks"


def numbers(script: str, ranks: int) -> list[float]:
    """The losses, norms and sums that rank 0 prints."""
    done = subprocess.run(
        [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node",
         str(ranks), str(RANKS / script)], capture_output=True, text=True, check=True,
    )  # fmt: skip
    return [float(found) for found in re.findall(r"\d+\.\d{6,}", done.stdout)]


if __name__ == "__main__":
    path = ROOT / "tests" / "recorded" / "ddp_losses.json"
    found = {
        script: {str(n): numbers(script, n) for n in (2, 3)}
        for script in ("user_ddp.py", "user_gpt.py", "user_sharded.py")
    }
    found["user_meshes.py"] = {"4": numbers("user_meshes.py", 4)}
    path.write_text(json.dumps(found, indent=1) + "\n")
