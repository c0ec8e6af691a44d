"""Names and spellings that libraries of others use, found by running their own tests."""

import pytest

import chainrule as torch


def test_typed_storages_are_made_of_lengths_numbers_and_buffers():
    made = torch.FloatStorage([1.0, 2.0])
    assert made.tolist() == [1.0, 2.0] and made.dtype is torch.float32
    assert len(torch.LongStorage(3)) == 3
    assert isinstance(torch.zeros(2).storage(), torch.FloatStorage)
    assert not isinstance(torch.zeros(2).storage(), torch.DoubleStorage)
    bytes_ = torch.ByteStorage.from_buffer(b"abc")
    assert torch.ByteTensor(bytes_).tolist() == [97, 98, 99]
    swapped = torch.ShortStorage.from_buffer(b"\x01\x02\x03\x04", byte_order="big")
    assert swapped.tolist() == [0x0102, 0x0304]
    part = torch.ByteStorage.from_buffer(bytearray(b"abcdef"), "native", count=2, offset=3)
    assert part.tolist() == [100, 101]


def test_storages_are_cast():
    given = torch.tensor([1.5, -2.0]).storage()
    assert given.long().tolist() == [1, -2] and given.double().dtype is torch.float64
    assert given.float().data_ptr() != given.data_ptr()  # a copy, always
    assert given.untyped().int().tolist() == [0, 0, 192, 63, 0, 0, 0, 192]
    assert given.untyped().get_device() == -1


@pytest.mark.parametrize(
    "arguments", [{"count": 9}, {"offset": 5}, {"offset": -1}, {"byte_order": "middle"}]
)
def test_a_buffer_that_does_not_fit_is_refused(arguments):
    with pytest.raises(ValueError, match=r"buffer size|byte_order"):
        torch.ShortStorage.from_buffer(b"abcd", **arguments)


def test_a_meta_tensor_has_the_storage_size_of_its_shape():
    t = torch.zeros((2, 2), device="meta")
    assert t.untyped_storage().nbytes() == t.untyped_storage().size() == 16
    assert len(t.storage()) == 4
    assert t.untyped_storage().data_ptr() == t.data_ptr() == 0


def test_set_takes_its_source_by_name():
    m, n = torch.arange(10.0), torch.empty(())
    n.set_(source=m.untyped_storage()[:16])
    assert n.tolist() == [0.0, 1.0, 2.0, 3.0] and n.data_ptr() == m.data_ptr()


def test_an_empty_sparse_tensor_of_a_size():
    t = torch.sparse_coo_tensor(size=(2, 3))
    assert t.is_sparse and t.shape == (2, 3) and t.to_dense().abs().sum() == 0
    with pytest.raises(TypeError, match="invalid combination of arguments"):
        torch.sparse_coo_tensor()


def test_standard_normal_of_distributions_takes_a_device():
    from chainrule.distributions.utils import _standard_normal

    assert _standard_normal((2, 3), dtype=torch.float64, device=torch.device("cpu")).shape == (2, 3)


def test_what_reduces_the_rate_on_a_plateau_can_be_replaced():
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, patience=0)
    seen = []
    scheduler._reduce_lr = seen.append
    for _ in range(3):
        scheduler.step(1.0)
    assert seen == [2, 3]


def test_classes_of_libraries_that_are_not_loaded():
    assert torch.classes.some_library is torch.classes.some_library
    with pytest.raises(RuntimeError, match=r"some_library\.Thing', but it does not exist"):
        torch.classes.some_library.Thing()
    with pytest.raises(NotImplementedError, match="loads no C"):
        torch.classes.load_library("x.so")


def test_front_ends_of_torchscript_are_refused_on_use():
    from chainrule.jit.frontend import get_jit_def

    with pytest.raises(NotImplementedError, match="no TorchScript"):
        get_jit_def(len, "len")


def test_callbacks_run_when_the_backward_pass_has_ended():
    from chainrule.autograd import Variable

    x = torch.tensor([1.0, 2.0], requires_grad=True)
    seen = []
    queue = Variable._execution_engine.queue_callback
    y = x * 2
    y.register_hook(lambda g: queue(lambda: seen.append(x.grad.tolist())))
    y.sum().backward()
    assert seen == [[2.0, 2.0]]
    with pytest.raises(RuntimeError, match="only be installed during backward pass"):
        queue(print)


def test_private_names_that_libraries_import():
    from chainrule.distributed.distributed_c10d import _get_global_rank

    from chainrule._dynamo.utils import warn_once
    from chainrule.nn.parameter import _ParameterMeta

    assert isinstance(torch.nn.Parameter, _ParameterMeta)
    assert _get_global_rank is torch.distributed.get_global_rank
    with pytest.warns(UserWarning, match="said in this test alone"):
        warn_once("said in this test alone")
    warn_once("said in this test alone")  # a second warning would be an error here


def test_a_storage_wraps_another_and_is_copied_from_buffers():
    x = torch.arange(3.0)
    made = torch.TypedStorage(wrap_storage=x.untyped_storage(), dtype=x.dtype, _internal=True)
    assert made.tolist() == [0.0, 1.0, 2.0] and made.data_ptr() == x.data_ptr()
    plain = torch.UntypedStorage.from_buffer(b"\x01\x02", "big", dtype=torch.int16)
    assert plain.tolist() == [2, 1]
    assert torch.ByteStorage._from_buffer(b"ab").tolist() == [97, 98]
    assert torch.Storage is torch.FloatStorage
    with pytest.raises(TypeError, match="needs the dtype"):
        torch.UntypedStorage.from_buffer(b"ab")


def test_products_with_packed_weights():
    torch.manual_seed(0)
    x = torch.randn(3, 64)
    small = torch.randint(-100, 100, (8, 64), dtype=torch.int8)
    scales = torch.rand(8)
    wanted = (x @ small.float().T) * scales
    torch.testing.assert_close(torch._weight_int8pack_mm(x, small, scales), wanted)
    numbers = torch.randint(0, 16, (8, 64), dtype=torch.int32)
    packed = torch._convert_weight_to_int4pack_for_cpu(numbers, 1)
    assert packed.shape == (8, 32) and packed.dtype is torch.uint8
    table = torch.randn(2, 8, 2)
    weight = (numbers.float() - 8).view(8, 2, 32) * table[:, :, 0].T[..., None]
    weight = (weight + table[:, :, 1].T[..., None]).view(8, 64)
    got = torch._weight_int4pack_mm_for_cpu(x, packed, 32, table)
    torch.testing.assert_close(got, x @ weight.T)


@pytest.mark.parametrize("norm_first", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_a_whole_encoder_layer_in_one_call(norm_first, masked):
    torch.manual_seed(0)
    layer = torch.nn.TransformerEncoderLayer(
        8, 2, 16, activation="gelu", batch_first=True, norm_first=norm_first
    ).eval()
    x = torch.randn(3, 5, 8)
    padding = torch.arange(5) >= torch.tensor([[5], [3], [2]]) if masked else None
    attention = layer.self_attn
    got = torch._transformer_encoder_layer_fwd(
        x, 8, 2, attention.in_proj_weight, attention.in_proj_bias, attention.out_proj.weight,
        attention.out_proj.bias, True, norm_first, layer.norm1.eps, layer.norm1.weight,
        layer.norm1.bias, layer.norm2.weight, layer.norm2.bias, layer.linear1.weight,
        layer.linear1.bias, layer.linear2.weight, layer.linear2.bias, padding,
        1 if masked else None,
    )  # fmt: skip
    torch.testing.assert_close(got, layer(x, src_key_padding_mask=padding))


def test_sequences_are_cut_by_a_mask():
    x = torch.arange(6.0).view(1, 3, 2)
    mask = torch.tensor([[True, True, False]])
    assert torch._nested_tensor_from_mask_left_aligned(x, mask)
    assert torch._nested_tensor_from_mask(x, mask).unbind()[0].tolist() == [[0, 1], [2, 3]]
    with pytest.raises(RuntimeError, match="left-aligned"):
        torch._nested_tensor_from_mask(x, mask.flip(1))


def test_a_device_is_set_for_a_function():
    from chainrule.utils._device import DeviceContext, set_device

    assert set_device("meta")(torch.zeros)(2).is_meta
    with DeviceContext("meta"):
        assert torch.ones(2).is_meta
    assert not torch.ones(2).is_meta


def test_optimizers_of_old_imports_work_on_lists():
    from chainrule.optim import _multi_tensor

    weight = torch.tensor([1.0], requires_grad=True)
    optimizer = _multi_tensor.SGD([weight], lr=0.5)
    assert isinstance(optimizer, torch.optim.SGD) and optimizer.defaults["foreach"] is True
    weight.sum().backward()
    optimizer.step()
    assert weight.item() == 0.5


def test_files_answer_what_they_are(tmp_path):
    from chainrule import serialization

    path = tmp_path / "x.pt"
    torch.save({"a": torch.ones(2)}, path)
    with serialization._open_file_like(path, "rb") as file:
        assert serialization._is_zipfile(file) and file.tell() == 0
        with serialization._open_file_like(file, "rb") as same:
            assert same is file
        assert not file.closed
