"""Record what PyTorch counts in the programs of tests/profiler/flop_cases.py. Needs torch."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "profiler"))


def main() -> None:
    import torch
    from flop_cases import cases
    from torch.utils.flop_counter import FlopCounterMode

    found = {}
    for name, run in cases(torch).items():
        with FlopCounterMode(display=False) as counter:
            run()
        modules = {m: sum(c.values()) for m, c in counter.get_flop_counts().items()}
        found[name] = {"total": counter.get_total_flops(), "modules": modules}
    path = ROOT / "tests" / "recorded" / "flops.json"
    path.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
