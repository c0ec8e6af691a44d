"""torchvision's operators are ours: PyTorch's numbers and gradients, pictures through Pillow."""

import json
from pathlib import Path

import pytest

import chainrule as torch

from . import vision_cases

RECORDED = json.loads(
    (Path(__file__).parent.parent / "recorded" / "vision.json").read_text(encoding="utf-8")
)


@pytest.fixture(autouse=True)
def operators():
    torch.ops.load_library("/anywhere/torchvision/_C.so")


@pytest.mark.parametrize("name", vision_cases.CASES)
def test_results_and_gradients_are_torchvisions(name):
    found = vision_cases.CASES[name](torch)
    for ours, theirs in zip(found, RECORDED[name], strict=True):
        assert torch.allclose(
            torch.tensor(ours, dtype=torch.float64), torch.tensor(theirs, dtype=torch.float64),
            rtol=1e-4, atol=2e-5,
        )  # fmt: skip


def test_position_sensitive_pooling_differentiates_what_it_computes():
    x = torch.randn(1, 4, 5, 6, dtype=torch.float64, requires_grad=True)
    rois = torch.tensor([[0, 0.0, 1.0, 5.0, 4.0]], dtype=torch.float64)

    def pool(x):
        return torch.ops.torchvision.ps_roi_pool(x, rois, 1.0, 2, 2)[0]

    assert torch.autograd.gradcheck(pool, (x,)) and torch.autograd.gradgradcheck(pool, (x,))


def test_no_boxes_and_no_regions():
    empty = torch.ops.torchvision.nms(torch.zeros(0, 4), torch.zeros(0), 0.5)
    assert empty.shape == (0,) and empty.dtype is torch.int64
    x, none = torch.ones(1, 4, 3, 3), torch.zeros(0, 5)
    assert torch.ops.torchvision.roi_align(x, none, 1.0, 2, 2, -1, False).shape == (0, 4, 2, 2)
    assert torch.ops.torchvision.roi_pool(x, none, 1.0, 2, 2)[0].shape == (0, 4, 2, 2)


def test_formulas_of_others_do_not_replace_ours():
    torch.library.register_autograd("torchvision::roi_align", lambda ctx, g: 1 / 0)
    x = torch.ones(1, 1, 3, 3, requires_grad=True)
    rois = torch.tensor([[0, 0.0, 0.0, 2.0, 2.0]])
    torch.ops.torchvision.roi_align(x, rois, 1.0, 1, 1, 2, True).sum().backward()
    assert x.grad.sum().item() == pytest.approx(1.0)


def test_compiled_code_of_others_is_never_loaded():
    with pytest.raises(OSError, match=r"compiled against PyTorch's C\+\+ library"):
        torch.ops.load_library("/anywhere/torch_scatter/_scatter.so")


def test_pictures_go_through_pillow(tmp_path):
    pytest.importorskip("PIL")
    image = torch.arange(3 * 4 * 5, dtype=torch.uint8).reshape(3, 4, 5)
    data = torch.ops.image.encode_png(image, 6)
    assert torch.equal(torch.ops.image.decode_png(data, 0, False), image)
    assert torch.ops.image.decode_image(data, 1, False).shape == (1, 4, 5)
    torch.ops.image.write_file(str(tmp_path / "a.png"), data)
    assert torch.equal(torch.ops.image.read_file(str(tmp_path / "a.png")), data)
