"""PyTorch's archives: what real PyTorch wrote is read, and what is written is what PyTorch writes.

The files and descriptions are recorded by tools/record/record_saving.py. That PyTorch loads our
files follows from the records being equal byte by byte; the tool checks it with PyTorch itself.
"""

import io
import json
import pickle
import pickletools
import struct
import zipfile
from pathlib import Path

import numpy as np
import pytest

import chainrule as torch
from chainrule.serialization import archive as archives
from saving.cases import CASES, described, model, numbers, output, sequence_models

RECORDED = Path(__file__).parents[1] / "recorded" / "saving"
SAID = json.loads((RECORDED / "described.json").read_text(encoding="utf-8"))


def saved(obj, **options) -> io.BytesIO:
    file = io.BytesIO()
    torch.save(obj, file, **options)
    file.seek(0)
    return file


def as_json(said):
    return json.loads(json.dumps(said))


def records(path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as opened:
        return {i.filename: opened.read(i) for i in opened.infolist()}


@pytest.mark.parametrize("mmap", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_files_of_real_pytorch_are_read(name, mmap):
    found = torch.load(RECORDED / f"{name}.pt", mmap=mmap)
    assert as_json(described(found)) == SAID[name]


@pytest.mark.parametrize("name", CASES)
def test_written_records_are_pytorchs_byte_by_byte(name, tmp_path):
    torch.save(CASES[name](torch), tmp_path / f"{name}.pt")
    ours, theirs = records(tmp_path / f"{name}.pt"), records(RECORDED / f"{name}.pt")
    identity = f"{name}/.data/serialization_id"
    assert list(ours) == list(theirs)
    assert len(ours.pop(identity)) == len(theirs.pop(identity))
    assert ours == theirs


@pytest.mark.parametrize("name", CASES)
def test_a_round_trip_changes_nothing(name):
    made = CASES[name](torch)
    assert described(torch.load(saved(made))) == described(made)


@pytest.mark.parametrize("name", ["views", "checkpoint"])
def test_files_older_than_pytorch_1_6_are_read(name):
    found = torch.load(RECORDED / f"{name}_legacy.pt")
    assert as_json(described(found)) == SAID[name]


@pytest.mark.parametrize("name", ["conj", "conj_legacy"])
def test_lazy_conjugation_is_done_when_loading(name):
    expected = (numbers(torch, 3).to(torch.complex64) * (1 + 2j)).conj()
    assert torch.equal(torch.load(RECORDED / f"{name}.pt"), expected)


def test_sparse_tensors_are_exchanged(tmp_path):
    torch.save(torch.eye(2).to_sparse(), tmp_path / "sparse.pt")
    assert (
        records(tmp_path / "sparse.pt")["sparse/data.pkl"]
        == (records(RECORDED / "sparse.pt")["sparse/data.pkl"])
    )
    for folder in (tmp_path, RECORDED):
        found = torch.load(folder / "sparse.pt")
        assert found.is_sparse and torch.equal(found.to_dense(), torch.eye(2))


def test_files_without_checksums_are_read_and_written(tmp_path):
    assert torch.equal(torch.load(RECORDED / "no_checksums.pt"), numbers(torch, 5))
    torch.serialization.set_crc32_options(False)
    try:
        torch.save(numbers(torch, 5), tmp_path / "a.pt")
        assert not torch.serialization.get_crc32_options()
    finally:
        torch.serialization.set_crc32_options(True)
    assert torch.equal(torch.load(tmp_path / "a.pt"), numbers(torch, 5))


def test_loaded_views_share_memory_and_tensors_can_be_written():
    found = torch.load(RECORDED / "views.pt")
    found["whole"][1, 2] = 50.0
    assert found["part"][0, 0] == 50.0 and found["transposed"][2, 1] == 50.0
    assert found["other memory"][1, 2] != 50.0


def test_a_mapped_file_is_not_changed_by_writing_to_its_tensors(tmp_path):
    path = tmp_path / "a.pt"
    torch.save(torch.zeros(1000), path)
    before = path.read_bytes()
    mapped = torch.load(path, mmap=True)
    mapped += 1
    assert mapped.sum() == 1000 and path.read_bytes() == before


def test_storages_start_at_multiples_of_64(tmp_path):
    torch.save([torch.ones(n) for n in (1, 3, 100)], tmp_path / "a.pt")
    raw = (tmp_path / "a.pt").read_bytes()
    with zipfile.ZipFile(tmp_path / "a.pt") as opened:
        assert opened.testzip() is None
        for info in opened.infolist():
            name, extra = struct.unpack_from("<HH", raw, info.header_offset + 26)
            assert (info.header_offset + 30 + name + extra) % 64 == 0


def test_files_beyond_4_gigabytes_use_the_wide_fields(tmp_path, monkeypatch):
    """With the limit lowered: the same code writes a small file as it would a large one."""
    monkeypatch.setattr(archives, "ZIP64_FROM", 1000)
    tensors = [torch.arange(float(n)) for n in (10, 300, 20)]
    torch.save(tensors, tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "a.pt") as opened:
        assert opened.testzip() is None
        assert opened.getinfo("a/data/1").file_size == 1200
    assert described(torch.load(tmp_path / "a.pt")) == described(tensors)
    assert described(torch.load(tmp_path / "a.pt", mmap=True)) == described(tensors)


def test_files_of_the_other_byte_order_are_read(tmp_path):
    values = {"f": numbers(torch, 3), "c": numbers(torch, 2).to(torch.complex64) * 1j,
              "h": numbers(torch, 3).half()}  # fmt: skip
    torch.save(values, tmp_path / "a.pt")
    with zipfile.ZipFile(tmp_path / "big.pt", "w") as big:
        for name, data in records(tmp_path / "a.pt").items():
            if name == "a/byteorder":
                data = b"big"
            elif name.startswith("a/data/"):
                width = 2 if name.endswith("2") else 4
                data = np.frombuffer(data, f"u{width}").byteswap().tobytes()
            big.writestr(name, data)
    assert described(torch.load(tmp_path / "big.pt")) == described(values)


def test_compressed_archives_are_read(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.pt", "w", zipfile.ZIP_DEFLATED) as squeezed:
        for name, data in records(RECORDED / "views.pt").items():
            squeezed.writestr(name, data)
    assert as_json(described(torch.load(tmp_path / "a.pt"))) == SAID["views"]


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
def test_every_pickle_protocol_round_trips(protocol):
    made = CASES["checkpoint"](torch)
    assert described(torch.load(saved(made, pickle_protocol=protocol))) == described(made)


def test_protocol_0_cannot_name_storages():
    with pytest.raises(pickle.PicklingError, match="persistent IDs in protocol 0"):
        torch.save({}, io.BytesIO(), pickle_protocol=0)


def test_large_numbers_of_values_round_trip():
    made = {i: [float(i)] * 3 for i in range(3000)}
    assert torch.load(saved(made)) == made


def test_file_objects_are_written_and_read(tmp_path):
    with open(tmp_path / "a.bin", "wb") as file:
        torch.save(numbers(torch, 3), file)
    with open(tmp_path / "a.bin", "rb") as file:
        assert torch.equal(torch.load(file), numbers(torch, 3))
    behind = io.BytesIO(b"head" + saved(numbers(torch, 3)).getvalue())
    behind.seek(4)
    assert torch.equal(torch.load(behind), numbers(torch, 3))


def test_equal_content_gives_equal_files():
    made = CASES["checkpoint"]
    assert saved(made(torch)).getvalue() == saved(made(torch)).getvalue()


def test_a_result_is_saved_as_a_leaf():
    found = torch.load(saved(numbers(torch, 2).requires_grad_() * 2))
    assert found.is_leaf and found.requires_grad


def test_tensors_whose_memory_has_gaps_or_runs_backwards_are_copied():
    backwards = torch.from_numpy(np.arange(6.0)[::-1].copy())
    backwards._a = np.arange(6.0)[::-1]
    bytes_apart = np.zeros(3, [("a", "u1"), ("b", "<f4")])["b"]
    bytes_apart[:] = [1, 2, 3]
    odd = torch.zeros(3)
    odd._a = bytes_apart
    assert torch.load(saved(backwards)).tolist() == [5.0, 4.0, 3.0, 2.0, 1.0, 0.0]
    assert torch.load(saved(odd)).tolist() == [1.0, 2.0, 3.0]


def test_one_memory_with_two_types_cannot_be_saved():
    whole = torch.ones(4)
    phrase = "Cannot save multiple tensors or storages that view the same data as different types"
    with pytest.raises(RuntimeError, match=phrase) as caught:
        torch.save([whole, whole.view(torch.int32)], io.BytesIO())
    assert "test_archives.py" in str(caught.value) and ".clone()" in str(caught.value)


# ---- what needs trust ----------------------------------------------------------------------------


def names_in(path) -> list[str]:
    text = next(data for name, data in records(path).items() if name.endswith("data.pkl"))
    return [argument for code, argument, _ in pickletools.genops(text) if code.name == "GLOBAL"]


def layers_in(path) -> set[str]:
    return {name for name in names_in(path) if name.startswith("torch.nn.modules.")}


def test_a_whole_module_of_real_pytorch_is_loaded_when_trusted():
    net = torch.load(RECORDED / "module.pt", weights_only=False)
    assert type(net) is torch.nn.Sequential
    output = net(numbers(torch, 2, 1, 4, 4))
    assert np.allclose(output.tolist(), SAID["module output"], atol=1e-6)
    assert repr(net) == repr(model(torch))


def test_a_whole_module_is_saved_under_pytorchs_names(tmp_path):
    torch.save(model(torch), tmp_path / "module.pt")
    assert names_in(tmp_path / "module.pt") == names_in(RECORDED / "module.pt")
    net = torch.load(tmp_path / "module.pt", weights_only=False)
    inputs = numbers(torch, 2, 1, 4, 4)
    assert torch.equal(net(inputs), model(torch)(inputs))


def test_layers_over_sequences_are_exchanged_when_trusted(tmp_path):
    made = sequence_models(torch)
    torch.save({name: layer for name, (layer, _) in made.items()}, tmp_path / "sequences.pt")
    assert layers_in(tmp_path / "sequences.pt") == layers_in(RECORDED / "sequences.pt")
    for path in (tmp_path, RECORDED):
        found = torch.load(path / "sequences.pt", weights_only=False)
        for name, layer in found.items():
            result = output(layer, made[name][1])
            assert np.allclose(result.tolist(), SAID["sequence outputs"][name], atol=1e-5), name


def test_functions_and_generators_are_loaded_when_trusted():
    functions = torch.load(RECORDED / "functions.pt", weights_only=False)
    assert functions == {"act": torch.nn.functional.gelu, "f": torch.tanh}
    generator = torch.load(RECORDED / "generator.pt", weights_only=False)
    expected = torch.rand(3, generator=torch.Generator().manual_seed(7))
    assert torch.equal(torch.rand(3, generator=generator), expected)


class Net(torch.nn.Module):
    """A class of the user's."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 1)
        self.activation = torch.nn.functional.relu

    def forward(self, x):
        return self.activation(self.layer(x))


def test_a_module_of_the_users_own_class_round_trips_when_trusted():
    net = Net()
    found = torch.load(saved(net), weights_only=False)
    assert type(found) is Net and torch.equal(found(torch.ones(2)), net(torch.ones(2)))


def test_a_trusted_file_that_needs_what_is_not_here_says_so(tmp_path):
    text = b"ctorch.nn.modules.linear\nNoSuchLayer\n."
    with zipfile.ZipFile(tmp_path / "a.pt", "w") as opened:
        opened.writestr("a/data.pkl", text)
    phrase = "needs torch.nn.modules.linear.NoSuchLayer, which chainrule does not have"
    with pytest.raises(pickle.UnpicklingError, match=phrase) as caught:
        torch.load(tmp_path / "a.pt", weights_only=False)
    assert "a.pt" in str(caught.value)


def test_loading_with_ones_own_pickle_module_is_trusting():
    made = saved({"a": numbers(torch, 2), "p": Net})
    found = torch.load(made, pickle_module=pickle)
    assert found["p"] is Net
    with pytest.raises(RuntimeError, match="explicit pickle_module is specified"):
        torch.load(made, pickle_module=pickle, weights_only=True)
