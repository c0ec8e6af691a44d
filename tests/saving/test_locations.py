"""Where loaded tensors go: map_location in all its forms."""

import io
import zipfile

import pytest

import chainrule as torch
from saving.cases import numbers
from saving.test_archives import records, saved


def moved_to(place: str, tmp_path) -> io.BytesIO:
    """A file that says its tensors lay elsewhere."""
    torch.save({"x": numbers(torch, 3)}, tmp_path / "a.pt")
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as opened:
        for name, data in records(tmp_path / "a.pt").items():
            text = b"X" + len(place).to_bytes(4, "little") + place.encode()
            opened.writestr(name, data.replace(b"X\x03\x00\x00\x00cpu", text))
    file.seek(0)
    return file


def test_a_cuda_tensor_needs_a_place(tmp_path):
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device but"):
        torch.load(moved_to("cuda:1", tmp_path))
    with pytest.raises(RuntimeError, match="don't know how to restore data location"):
        torch.load(moved_to("mps", tmp_path))
    with pytest.raises(RuntimeError, match="Attempting to deserialize object on a CUDA device"):
        torch.load(saved(numbers(torch, 3)), map_location="cuda")


@pytest.mark.parametrize(
    "place",
    ["cpu", torch.device("cpu"), {"cuda:1": "cpu"}, lambda storage, location: storage],
    ids=["text", "device", "dict", "function"],
)
def test_a_cuda_tensor_is_loaded_to_the_cpu(place, tmp_path):
    found = torch.load(moved_to("cuda:1", tmp_path), map_location=place)
    assert torch.equal(found["x"], numbers(torch, 3)) and found["x"].device.type == "cpu"


@pytest.mark.parametrize("place", ["meta", torch.device("meta"), {"cpu": "meta"}])
def test_shapes_are_loaded_without_data(place):
    found = torch.load(saved([numbers(torch, 2, 3), torch.ones(2).bfloat16()]), map_location=place)
    assert found[0].is_meta and found[0].shape == (2, 3) and found[1].dtype is torch.bfloat16


def test_a_function_sees_each_storage_and_its_place():
    seen = []

    def place(storage, location):
        seen.append((storage.nbytes(), location))

    whole = numbers(torch, 2, 3)
    found = torch.load(saved([whole, whole.t(), torch.ones(2)]), map_location=place)
    assert seen == [(24, "cpu"), (8, "cpu")] and torch.equal(found[0], whole)


def test_errors_of_the_function_are_its_own():
    def place(storage, location):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        torch.load(saved(numbers(torch, 2)), map_location=place)
