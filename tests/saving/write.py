"""Write every case with chainrule, for tools/record/record_saving.py to load with real PyTorch."""

import sys
from pathlib import Path

import chainrule as torch
from saving.cases import CASES, model, sequence_models


def main(folder: Path) -> None:
    for name, build in CASES.items():
        torch.save(build(torch), folder / f"{name}.pt")
    torch.save(model(torch), folder / "module.pt")
    layers = {name: layer for name, (layer, _) in sequence_models(torch).items()}
    torch.save(layers, folder / "sequences.pt")
    torch.save({"act": torch.nn.functional.gelu, "f": torch.tanh}, folder / "functions.pt")
    torch.save(torch.Generator().manual_seed(7), folder / "generator.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
