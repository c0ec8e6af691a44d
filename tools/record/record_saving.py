"""Write files with real PyTorch for the tests of saving, and check files written by chainrule.

    record_saving.py                writes tests/recorded/saving/
    record_saving.py check FOLDER   loads what `python -m tests.saving.write FOLDER` wrote there

Runs in an interpreter with torch and NumPy; chainrule is not imported.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
TARGET = ROOT / "tests" / "recorded" / "saving"
sys.path.insert(0, str(ROOT / "tests" / "saving"))

from cases import (  # noqa: E402
    CASES,
    described,
    model,
    numbers,
    output,
    sequence_models,
)


def record() -> None:
    """The cases in the current format, some in the old one, and a whole module."""
    said = {}
    for name, build in CASES.items():
        made = build(torch)
        torch.save(made, TARGET / f"{name}.pt")
        said[name] = described(made)
    for name in ("views", "checkpoint"):
        path = TARGET / f"{name}_legacy.pt"
        torch.save(CASES[name](torch), path, _use_new_zipfile_serialization=False)
    lazy = numbers(torch, 3).to(torch.complex64) * (1 + 2j)
    torch.save(lazy.conj(), TARGET / "conj.pt")
    torch.save(lazy.conj(), TARGET / "conj_legacy.pt", _use_new_zipfile_serialization=False)
    torch.save(torch.quantize_per_tensor(torch.ones(2), 0.5, 1, torch.quint8), TARGET / "quant.pt")
    torch.save(torch.eye(2).to_sparse(), TARGET / "sparse.pt")
    torch.save(torch.Generator().manual_seed(7), TARGET / "generator.pt")
    torch.save({"act": torch.nn.functional.gelu, "f": torch.tanh}, TARGET / "functions.pt")
    torch.serialization.set_crc32_options(False)
    torch.save(numbers(torch, 5), TARGET / "no_checksums.pt")
    torch.serialization.set_crc32_options(True)
    net = model(torch)
    torch.save(net, TARGET / "module.pt")
    said["module output"] = net(numbers(torch, 2, 1, 4, 4)).tolist()
    layers = sequence_models(torch)
    torch.save({name: layer for name, (layer, _) in layers.items()}, TARGET / "sequences.pt")
    said["sequence outputs"] = {k: output(*v).tolist() for k, v in layers.items()}
    (TARGET / "described.json").write_text(json.dumps(said) + "\n", encoding="utf-8")


def check(folder: Path) -> None:
    """Load chainrule's files with real PyTorch and compare with what PyTorch would have saved."""
    for name, build in CASES.items():
        for options in ({}, {"mmap": True}):
            found = described(torch.load(folder / f"{name}.pt", weights_only=True, **options))
            assert found == described(build(torch)), (name, found, described(build(torch)))
    net = torch.load(folder / "module.pt", weights_only=False)
    assert repr(net) == repr(model(torch)), net
    inputs = numbers(torch, 2, 1, 4, 4)
    assert torch.allclose(net(inputs), model(torch)(inputs), atol=1e-6)
    net.train()
    net(inputs).sum().backward()
    for name, layer in torch.load(folder / "sequences.pt", weights_only=False).items():
        expected, inputs = sequence_models(torch)[name]
        assert torch.allclose(output(layer, inputs), output(expected, inputs), atol=1e-6), name
        output(layer.train(), inputs).sum().backward()
        assert repr(layer) == repr(expected.train())
    functions = torch.load(folder / "functions.pt", weights_only=False)
    assert functions["f"] is torch.tanh and functions["act"](torch.ones(1)) > 0.8
    generator = torch.load(folder / "generator.pt", weights_only=False)
    assert torch.equal(generator.get_state(), torch.Generator().manual_seed(7).get_state())
    print(f"PyTorch {torch.__version__} loads all {len(CASES) + 4} files")


if __name__ == "__main__":
    if sys.argv[1:2] == ["check"]:
        check(Path(sys.argv[2]))
    else:
        TARGET.mkdir(exist_ok=True)
        record()
