"""Calls of torchvision's operators; what they give is in tests/recorded/vision.json."""

from typing import Any


def _data(torch: Any, *shape: int) -> Any:
    count = 1
    for n in shape:
        count *= n
    return torch.sin(torch.arange(count, dtype=torch.float64) * 1.7).reshape(shape).float()


def _regions(torch: Any) -> Any:
    return torch.tensor(
        [[0, 1.2, 0.7, 6.9, 5.3], [1, -2.0, 2.5, 3.1, 9.7], [0, 4.0, 4.0, 4.0, 4.0],
         [1, 0.0, 0.0, 12.0, 11.0]]
    )  # fmt: skip


def _with_gradients(torch: Any, result: Any, *inputs: Any) -> list[Any]:
    total = (result * _data(torch, *result.shape)).sum()
    found = torch.autograd.grad(total, inputs)
    return [v.detach().double().flatten().tolist() for v in (result, *found)]


def _region_case(name: str, *options: Any) -> Any:
    def run(torch: Any) -> list[Any]:
        x = _data(torch, 2, 8, 7, 9).requires_grad_(True)
        regions = _regions(torch)
        if name == "ps_roi_align":  # of an empty region torchvision gives NaN, we give 0
            regions = regions[[0, 1, 3]]
        found = getattr(torch.ops.torchvision, name)(x, regions, 0.8, *options)
        return _with_gradients(torch, found[0] if isinstance(found, tuple) else found, x)

    return run


def _deformed(
    groups: int, offset_groups: int, stride: int, use_mask: bool, moved: float = 2.0
) -> Any:
    def run(torch: Any) -> list[Any]:
        x = _data(torch, 2, 4, 6, 7).requires_grad_(True)
        weight = _data(torch, 4, 4 // groups, 3, 3).requires_grad_(True)
        out = (6 + 2 - 3) // stride + 1, (7 + 2 - 3) // stride + 1
        offset = (_data(torch, 2, offset_groups * 18, *out) * moved).requires_grad_(True)
        mask = _data(torch, 2, offset_groups * 9, *out).requires_grad_(use_mask)
        bias = _data(torch, 4).requires_grad_(True)
        found = torch.ops.torchvision.deform_conv2d(
            x, weight, offset, mask, bias, stride, stride, 1, 1, 1, 1, groups, offset_groups,
            use_mask,
        )  # fmt: skip
        inputs = (x, weight, offset, bias, mask) if use_mask else (x, weight, offset, bias)
        return _with_gradients(torch, found, *inputs)

    return run


def _suppressed(torch: Any) -> list[Any]:
    corner = _data(torch, 20, 2).abs() * 10
    boxes = torch.cat([corner, corner + 3 + _data(torch, 20, 2).abs() * 4], 1)
    scores = _data(torch, 20).abs()
    return [torch.ops.torchvision.nms(boxes, scores, 0.3).tolist()]


CASES = {
    "nms": _suppressed,
    "roi_align": _region_case("roi_align", 3, 2, -1, True),
    "roi_align unaligned": _region_case("roi_align", 2, 3, 2, False),
    "roi_pool": _region_case("roi_pool", 2, 3),
    "ps_roi_align": _region_case("ps_roi_align", 2, 2, -1),
    "deform_conv2d": _deformed(1, 1, 1, True),
    "deform_conv2d grouped": _deformed(2, 4, 2, False),
    "deform_conv2d unmoved": _deformed(1, 1, 1, True, 0.0),
}
