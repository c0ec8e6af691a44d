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
