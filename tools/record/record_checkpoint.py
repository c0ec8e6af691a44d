"""Record what PyTorch does in the programs of tests/checkpoint/scenarios.py. Needs torch."""

from __future__ import annotations

import sys
from pathlib import Path

import torch
import torch.utils.checkpoint

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import scenario
from checkpoint import scenarios, selective

scenario.record(scenarios, "checkpoint", torch)
scenario.record(selective, "checkpoint_selective", torch)
