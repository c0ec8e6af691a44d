"""Write every case with chainrule, for tools/record/record_saving.py to load with real PyTorch."""

import sys
from pathlib import Path

import chainrule as torch
from saving.cases import CASES, model


def main(folder: Path) -> None:
    for name, build in CASES.items():
        torch.save(build(torch), folder / f"{name}.pt")
    torch.save(model(torch), folder / "module.pt")
    torch.save({"act": torch.nn.functional.gelu, "f": torch.tanh}, folder / "functions.pt")
    torch.save(torch.Generator().manual_seed(7), folder / "generator.pt")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
