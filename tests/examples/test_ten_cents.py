"""The example answers its question."""

import subprocess
import sys
from pathlib import Path

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "ten_cents.py"


def test_it_tells_how_ten_cents_cost_fifty_thousand_dollars():
    ran = subprocess.run(
        [sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=False
    )
    assert ran.stderr == ""
    assert "d revenue / d material = -500,000" in ran.stdout
    assert "recomputed 1,450,000 (-50,000)" in ran.stdout
    assert "The link that did it: price -> volume, times -200 (ten_cents.py:16)" in ran.stdout
    assert "last chance at price" in ran.stdout
