"""`.safetensors` files: the same as the safetensors library's, both ways."""

import io
import json
import struct

import ml_dtypes
import numpy as np
import pytest
import safetensors.numpy

import chainrule as torch
from saving.cases import CASES, described, numbers


def tensors() -> dict:
    made = CASES["types"](torch)
    del made["complex128"]  # the format lacks it
    return {**made, "scalar": torch.tensor(2.5), "empty": torch.zeros(0, 3), "ключ": torch.ones(1)}


def file_of(header, data=b"") -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_a_round_trip_changes_nothing(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save(tensors(), path, metadata={"format": "pt"})
    for options in ({}, {"mmap": True}):
        found = torch.load(path, **options)
        assert {k: described(v) for k, v in found.items()} == {
            k: described(v) for k, v in tensors().items()
        }
    assert torch.serialization.read_metadata(path) == {"format": "pt"}


def test_the_library_reads_what_is_written(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save(tensors(), path)
    found = safetensors.numpy.load_file(path)
    for name, t in tensors().items():
        expected = t.numpy(force=True)
        assert found[name].dtype == expected.dtype and found[name].shape == expected.shape
        assert np.array_equal(found[name], expected), name


def test_what_the_library_writes_is_read(tmp_path):
    path = tmp_path / "a.safetensors"
    arrays = {"a": np.arange(6.0).reshape(2, 3), "b": np.ones(3, ml_dtypes.bfloat16)}
    safetensors.numpy.save_file(arrays, path, metadata={"k": "v"})
    found = torch.load(path)
    assert torch.equal(found["a"], torch.from_numpy(arrays["a"]))
    assert found["b"].dtype is torch.bfloat16 and found["b"].tolist() == [1.0, 1.0, 1.0]
    assert torch.serialization.read_metadata(path) == {"k": "v"}


def test_the_content_is_recognised_without_a_name(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save({"x": numbers(torch, 3)}, path)
    assert torch.equal(torch.load(io.BytesIO(path.read_bytes()))["x"], numbers(torch, 3))


def test_order_is_kept_within_a_type_and_tensors_are_aligned(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save({"z": torch.ones(3), "a": torch.ones(1).half(), "m": torch.tensor(1)}, path)
    found = torch.load(path, mmap=True)
    assert list(found) == ["m", "z", "a"]
    assert all(t.data_ptr() % t.element_size() == 0 for t in found.values())


def test_a_tensor_of_two_names_is_stored_once_and_shared_again(tmp_path):
    path = tmp_path / "tied.safetensors"
    weight = torch.nn.Parameter(numbers(torch, 100, 100))
    torch.save({"embedding": weight, "head": weight}, path)
    assert path.stat().st_size < 1.1 * 40_000
    found = torch.load(path)
    found["embedding"][0, 0] = 9.0
    assert found["head"][0, 0] == 9.0
    assert torch.serialization.read_metadata(path) == {"head": "embedding"}


def test_overlapping_tensors_are_refused_by_name(tmp_path):
    whole = numbers(torch, 4, 4)
    with pytest.raises(RuntimeError, match=r"share memory.*'whole' and 'part'"):
        torch.save({"whole": whole, "part": whole[1:]}, tmp_path / "a.safetensors")
    torch.save({"even": whole[:, ::2], "odd": whole[:, 1::2]}, tmp_path / "a.safetensors")
    assert torch.equal(torch.load(tmp_path / "a.safetensors")["odd"], whole[:, 1::2])


@pytest.mark.parametrize(
    ("made", "phrase"),
    [
        (torch.ones(2), "got a Tensor instead of a dict"),
        ({"a": {"b": torch.ones(2)}}, "'a' is a dict, not a tensor"),
        ({"epoch": 3}, "'epoch' is a int, not a tensor"),
        ({3: torch.ones(2)}, "the key 3 is not a name"),
        ({"a": torch.ones(2, dtype=torch.complex128)}, "'a' has the type torch.complex128"),
        ({"a": torch.ones(2, device="meta")}, "'a' is a meta tensor"),
    ],
)
def test_what_the_format_cannot_hold_is_refused(made, phrase, tmp_path):
    with pytest.raises(ValueError, match="holds a dict of names and tensors") as caught:
        torch.save(made, tmp_path / "a.safetensors")
    assert phrase in str(caught.value) and "ends in .pt" in str(caught.value)
    assert not (tmp_path / "a.safetensors").exists()


def test_metadata_needs_a_place_and_text(tmp_path):
    with pytest.raises(ValueError, match=r"kept in \.safetensors files only"):
        torch.save({}, tmp_path / "a.pt", metadata={"a": "b"})
    with pytest.raises(ValueError, match="is not text for text"):
        torch.save({}, tmp_path / "a.safetensors", metadata={"a": 1})


ONE = {"dtype": "F32", "shape": [2], "data_offsets": [0, 8]}


TWICE = b'{"a":ONE,"a":ONE}'.replace(b"ONE", json.dumps(ONE).encode())


@pytest.mark.parametrize(
    ("content", "phrase"),
    [
        (b"\x01\x02", "too few for a header"),
        (struct.pack("<Q", 2**62) + b"{}", "its header should have"),
        (file_of(b'{"a": '), "its header is damaged"),
        (file_of(b"[1, 2]"), "its header is damaged"),
        (file_of(TWICE), "the name 'a' occurs twice"),
        (file_of(b'{"__metadata__":{"a":"b","a":"c"}}'), "the name 'a' occurs twice"),
        (file_of(b'{"__metadata__":{},"__metadata__":{}}'), "occurs twice"),
        (file_of(b"{} x"), "something follows the table"),
        (file_of({"a": {**ONE, "shape": [2**62, 4]}}, b"0" * 8), "of shape [461"),
        (file_of({"a": {**ONE, "shape": [2**61 + 2]}}, b"0" * 8), "of shape [230"),
        (file_of({"a": {**ONE, "shape": [0, 2**62], "data_offsets": [0, 0]}}), "of shape [0, 461"),
        (file_of({"a": {**ONE, "shape": [1] * 65}}, b"0" * 8), "has the shape [1, 1"),
        (file_of({"a": {**ONE, "shape": [True, 2]}}, b"0" * 8), "has the shape [True"),
        (file_of({"a": {**ONE, "data_offsets": [0, 8.0]}}, b"0" * 8), "lies at 0:8.0"),
        (file_of({"a": ONE, "b": ONE}, b"0" * 8), "starts at 0, the one before it ends at 8"),
        (file_of({"a": 3}), "the entry of 'a'"),
        (file_of({"a": ONE}), "tensors have 8 bytes, but 0 follow"),
        (file_of({"a": ONE}, b"0" * 9), "tensors have 8 bytes, but 9 follow"),
        (file_of({"a": {**ONE, "shape": [3]}}, b"0" * 8), "of shape [3] (F32) has 8 bytes"),
        (file_of({"a": {**ONE, "shape": [-2]}}, b"0" * 8), "has the shape [-2]"),
        (file_of({"a": {**ONE, "dtype": "F8_E4M3"}}, b"0" * 8), "type 'F8_E4M3'"),
        (file_of({"a": {**ONE, "data_offsets": [4, 12]}}, b"0" * 12), "starts at 4"),
        (file_of({"__metadata__": {"a": 1}}), "its metadata is not text"),
    ],
)
def test_damage_is_named(content, phrase, tmp_path):
    path = tmp_path / "odd.safetensors"
    path.write_bytes(content)
    with pytest.raises(RuntimeError) as caught:
        torch.load(path)
    assert phrase in str(caught.value) and "odd.safetensors" in str(caught.value)


def test_places_are_respected(tmp_path):
    path = tmp_path / "a.safetensors"
    torch.save({"x": numbers(torch, 3)}, path)
    assert torch.load(path, map_location="meta")["x"].is_meta
    with pytest.raises(RuntimeError, match="CUDA device"):
        torch.load(path, map_location="cuda:0")
