"""CUDA, honestly: there is none. Programs that ask get a clear no; those that use it, an error."""

from __future__ import annotations

from typing import Any, NoReturn

from ..standins import add_to as _add_stand_ins
from ..tensor.device import DeviceUnavailable
from ..tensor.device import device as _device
from ..tensor.legacy import LEGACY_TYPES
from . import memory

_MESSAGE = (
    "Torch not compiled with CUDA enabled: chainrule computes on the CPU. "
    "Fix: guard the call with torch.cuda.is_available()."
)


class OutOfMemoryError(RuntimeError):
    """What a GPU that runs out of memory raises; never raised here."""


def is_available() -> bool:
    """Whether a CUDA GPU can be used: never."""
    return False


def is_initialized() -> bool:
    """Whether CUDA has been started: never."""
    return False


def is_bf16_supported(including_emulation: bool = True) -> bool:
    """Whether the GPU computes in bfloat16: there is none."""
    return False


def is_current_stream_capturing() -> bool:
    """Whether work is being captured into a graph: never."""
    return False


def device_count() -> int:
    """The number of CUDA GPUs: 0."""
    return 0


def manual_seed(seed: int) -> None:
    """Seeds the GPU's random numbers, of which there are none."""


def manual_seed_all(seed: int) -> None:
    """Seeds every GPU's random numbers, of which there are none."""


def seed() -> None:
    """Seeds the GPU's random numbers, of which there are none."""


def seed_all() -> None:
    """Seeds every GPU's random numbers, of which there are none."""


def get_rng_state_all() -> list[Any]:
    """The random states of all GPUs: none."""
    return []


def set_rng_state_all(new_states: Any) -> None:
    """Sets the random states of all GPUs: none."""


empty_cache = memory.empty_cache
max_memory_allocated = memory.max_memory_allocated
max_memory_cached = memory.max_memory_cached
max_memory_reserved = memory.max_memory_reserved
mem_get_info = memory.mem_get_info
memory_allocated = memory.memory_allocated
memory_cached = memory.memory_cached
memory_reserved = memory.memory_reserved
memory_stats = memory.memory_stats
memory_summary = memory.memory_summary
reset_accumulated_memory_stats = memory.reset_accumulated_memory_stats
reset_max_memory_allocated = memory.reset_max_memory_allocated
reset_max_memory_cached = memory.reset_max_memory_cached
reset_peak_memory_stats = memory.reset_peak_memory_stats


def set_device(device: Any) -> None:
    """Chooses the GPU: refused, there is none."""
    wanted = device if isinstance(device, int) else _device(device)
    if isinstance(wanted, _device) and wanted.type != "cuda":
        raise ValueError(f"Expected a cuda device, but got: {wanted}")
    raise DeviceUnavailable(_MESSAGE)


def _refuse(*args: Any, **kwargs: Any) -> NoReturn:
    """Always an error: it needs a GPU."""
    raise DeviceUnavailable(_MESSAGE)


current_device = synchronize = init = ipc_collect = get_device_name = _refuse
get_device_properties = get_device_capability = current_stream = default_stream = _refuse
get_rng_state = set_rng_state = initial_seed = _refuse
utilization = temperature = can_device_access_peer = stream = _refuse


class _NeedsGpu:
    """A class whose objects need a GPU."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise DeviceUnavailable(_MESSAGE)


class Stream(_NeedsGpu):
    """A queue of GPU work: refused."""


class Event(_NeedsGpu):
    """A mark in a queue of GPU work: refused."""


class CUDAGraph(_NeedsGpu):
    """Recorded GPU work: refused."""


class DeferredCudaCallError(Exception):
    """What a call that waited for the GPU raises; never raised here."""


class device(_NeedsGpu):
    """Chooses a GPU for a block: refused."""


def _legacy_type(name: str) -> Any:
    """`torch.cuda.FloatTensor`: no tensor is one, and none can be made."""

    def __new__(cls: type, *args: Any, **kwargs: Any) -> NoReturn:
        raise TypeError(f"type torch.cuda.{name} not available. {_MESSAGE}")

    return type(name, (), {"__new__": __new__, "__module__": __name__, "__doc__": "Of a GPU."})


globals().update({name: _legacy_type(name) for name in LEGACY_TYPES})


_SUBMODULES = frozenset(
    "amp comm gds graphs green_contexts jiterator nccl nvtx profiler random sparse streams "
    "tunable".split()
)


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        import importlib

        return importlib.import_module(f".{name}", __name__)
    raise AttributeError(f"module 'chainrule.cuda' has no attribute {name!r}")


_add_stand_ins(globals())
