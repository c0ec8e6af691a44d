"""The PyTorch programs of tests/programs, and how their output is compared with PyTorch's.

`tools/record/record_programs.py` runs each with PyTorch and stores what it prints. Here only the
standard library is imported.
"""

from __future__ import annotations

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "programs"
RECORDED = Path(__file__).resolve().parents[1] / "recorded" / "programs.json"
_NUMBER = re.compile(r"-?(?:\d+\.\d+(?:e[+-]?\d+)?|nan|inf)\b")


@dataclass(frozen=True)
class Program:
    """A program and how closely its numbers must be met.

    first       how many of the first numbers must agree to 1e-3
    final       relative tolerance of the last number: the loss that training reaches
    absolute    absolute tolerance of the last number
    own_process run by the command line in a process of its own
    text        compare the words between the numbers too
    """

    name: str
    first: int = 6
    final: float = 0.02
    absolute: float = 2e-3
    own_process: bool = False
    text: bool = True
    arguments: tuple[str, ...] = ()

    @property
    def path(self) -> Path:
        return FOLDER / f"{self.name}.py"


PROGRAMS = [
    Program("amp_training", first=2, final=0.15),
    Program("char_gpt", final=0.1, text=False),
    Program("checkpointing"),
    Program("cnn_digits", final=0.1, absolute=0.05, own_process=True, arguments=("--epochs", "4")),
    Program("custom_function"),
    Program("dataloader_workers", first=4, own_process=True),
    Program("dcgan", final=0.1),
    Program("distillation"),
    Program("dqn", text=False, final=0.1),
    Program("gcn_sparse"),
    Program("graph_attention"),
    Program("gru_packed", final=0.1),
    Program("hooks_gradcam"),
    Program("lbfgs_fit", final=0.1),
    Program("lstm_sine"),
    Program("maml_sine"),
    Program("matrix_factorization"),
    Program("mixture_density"),
    Program("mlp_spirals", final=0.1),
    Program("old_style"),
    Program("realnvp"),
    Program("reinforce", final=0.2, text=False),
    Program("schedulers_ema"),
    Program("seq2seq_attention"),
    Program("siamese_triplet"),
    Program("single_process_ddp", first=5),
    Program("siren_pinn", final=0.1),
    Program("transfer_frozen", first=4),
    Program("transformer_encoder", final=0.1),
    Program("unet_denoise"),
    Program("vae", final=0.05),
    Program("wgan_gp"),
    Program("word_language_model"),
]


def numbers(text: str) -> list[float]:
    """The decimal numbers that a program prints, in order."""
    return [float(n) for n in _NUMBER.findall(text)]


def words(text: str) -> str:
    """What it prints besides them."""
    return _NUMBER.sub("#", text)


def digest(program: Program) -> str:
    """A short mark of a program's text, to notice that it changed after it was recorded."""
    return hashlib.sha256(program.path.read_bytes()).hexdigest()[:16]
