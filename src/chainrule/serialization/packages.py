"""Where storages lie and how PyTorch names them: there is one device."""

from __future__ import annotations

from typing import Any

from ..autograd import refusal


def location_tag(storage: Any) -> str:
    """The name of the place of a storage."""
    return "meta" if storage.device.type == "meta" else "cpu"


def default_restore_location(storage: Any, location: str) -> Any:
    """The storage at the place of a name."""
    if location == "cpu":
        return storage
    raise refusal.runtime(
        f"don't know how to restore data location of {type(storage).__name__} (tagged with "
        f"{location})",
        "there is one device here, the CPU",
        fix='torch.load(file, map_location="cpu").',
    )


def storage_to_tensor_type(storage: Any) -> Any:
    """The class of tensors whose storage is of this type."""
    import chainrule

    return getattr(chainrule, type(storage).__name__.replace("Storage", "Tensor"))


def normalize_storage_type(storage_type: type) -> Any:
    """The storage class of this name in `torch`."""
    import chainrule

    return getattr(chainrule, storage_type.__name__)


def check_module_version_greater_or_equal(
    module: Any, req_version_tuple: tuple[int, ...], error_if_malformed: bool = True
) -> bool:
    """Whether a module's version is not older than one given."""
    try:
        parts = module.__version__.split(".")
        found = tuple(
            type(wanted)(part) for wanted, part in zip(req_version_tuple, parts, strict=False)
        )
    except (AttributeError, ValueError) as problem:
        if not error_if_malformed:
            return True
        raise RuntimeError(f"{module.__name__!r} has a version that is no number") from problem
    return found >= req_version_tuple


def validate_cuda_device(location: str) -> int:
    """Refused: there is no such device."""
    raise refusal.runtime(
        f"Attempting to deserialize object on a CUDA device ({location}) but "
        "torch.cuda.is_available() is False",
        fix='torch.load(file, map_location="cpu").',
    )


validate_hpu_device = validate_cuda_device
