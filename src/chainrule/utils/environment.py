"""Questions about the machine, as PyTorch's `collect_env` asks them one by one.

Most take `run`: a function that runs a command and gives (return code, output, errors).
"""

from __future__ import annotations

import locale
import os
import platform
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

Run = Callable[[Any], tuple[int, str, str]]
PACKAGES = ("chainrule", "torch", "numpy", "scipy", "llvmlite", "ml_dtypes", "onnx", "mypy")


class SystemEnv(NamedTuple):
    """What PyTorch's report consists of."""

    torch_version: Any
    is_debug_build: Any
    cuda_compiled_version: Any
    gcc_version: Any
    clang_version: Any
    cmake_version: Any
    os: Any
    libc_version: Any
    python_version: Any
    python_platform: Any
    is_cuda_available: Any
    cuda_runtime_version: Any
    cuda_module_loading: Any
    nvidia_driver_version: Any
    nvidia_gpu_models: Any
    cudnn_version: Any
    is_xpu_available: Any
    pip_version: Any
    pip_packages: Any
    conda_packages: Any
    hip_compiled_version: Any
    hip_runtime_version: Any
    miopen_runtime_version: Any
    caching_allocator_config: Any
    is_xnnpack_available: Any
    cpu_info: Any


def run(command: Any) -> tuple[int, str, str]:
    """Run a command: (return code, output, errors); 127 where there is no such command."""
    try:
        done = subprocess.run(command, shell=isinstance(command, str), capture_output=True)
    except OSError as problem:
        return 127, "", str(problem)
    code = locale.getpreferredencoding(False)
    out, err = (text.decode(code, "replace").strip() for text in (done.stdout, done.stderr))
    return done.returncode, out, err


def run_and_read_all(run_lambda: Run, command: Any) -> str | None:
    """All that a command writes; None where it fails."""
    code, out, _ = run_lambda(command)
    return None if code else out


def run_and_parse_first_match(run_lambda: Run, command: Any, regex: str) -> str | None:
    """The first group of the first match in what a command writes."""
    found = re.search(regex, run_and_read_all(run_lambda, command) or "")
    return found.group(1) if found else None


def run_and_return_first_line(run_lambda: Run, command: Any) -> str | None:
    """The first line that a command writes."""
    text = run_and_read_all(run_lambda, command)
    return None if text is None else text.split("\n")[0]


def get_gcc_version(run_lambda: Run) -> str | None:
    """The version of gcc, None without one."""
    return run_and_parse_first_match(run_lambda, "gcc --version", r"gcc (.*)")


def get_clang_version(run_lambda: Run) -> str | None:
    """The version of clang, None without one."""
    return run_and_parse_first_match(run_lambda, "clang --version", r"clang version (.*)")


def get_cmake_version(run_lambda: Run) -> str | None:
    """The version of cmake, None without one."""
    return run_and_parse_first_match(run_lambda, "cmake --version", r"cmake (.*)")


def get_conda_packages(run_lambda: Run, patterns: Any = None) -> str | None:
    """The packages of conda that matter here."""
    listed = run_and_read_all(run_lambda, [os.environ.get("CONDA_EXE", "conda"), "list"])
    return None if listed is None else _chosen(listed, patterns)


def get_pip_packages(run_lambda: Run, patterns: Any = None) -> tuple[str, str | None]:
    """Which pip, and the packages of it that matter here."""
    command = [sys.executable, "-mpip", "list", "--format=freeze"]
    listed = run_and_read_all(run_lambda, command)
    return f"pip{sys.version_info.major}", _chosen(listed or "", patterns)


def _chosen(listed: str, patterns: Any) -> str:
    wanted = tuple(patterns or PACKAGES)
    return "\n".join(line for line in listed.splitlines() if any(p in line for p in wanted))


def get_cpu_info(run_lambda: Run) -> str:
    """What the operating system says about the processor."""
    command = {"darwin": "sysctl -n machdep.cpu.brand_string"}.get(get_platform(), "lscpu")
    return run_lambda(command)[1]


def get_platform() -> str:
    """linux, win32, darwin..."""
    return "linux" if sys.platform.startswith("linux") else sys.platform


def get_python_platform() -> str:
    """The system as Python names it."""
    return platform.platform()


def get_libc_version() -> str:
    """The C library, where it has a name."""
    return "-".join(platform.libc_ver()) if get_platform() == "linux" else "N/A"


def get_mac_version(run_lambda: Run) -> str | None:
    """The version of macOS."""
    return run_and_parse_first_match(run_lambda, "sw_vers -productVersion", r"(.*)")


def get_windows_version(run_lambda: Run) -> str | None:
    """The name of Windows."""
    return platform.platform() if get_platform() == "win32" else None


def get_lsb_version(run_lambda: Run) -> str | None:
    """The name of the Linux distribution, as lsb_release says it."""
    return run_and_parse_first_match(run_lambda, "lsb_release -a", r"Description:\t(.*)")


def check_release_file(run_lambda: Run) -> str | None:
    """The name of the Linux distribution, as its file says it."""
    return run_and_parse_first_match(run_lambda, "cat /etc/*-release", r'PRETTY_NAME="(.*)"')


def get_os(run_lambda: Run) -> str | None:
    """The operating system and the machine."""
    kind, machine = get_platform(), platform.machine()
    if kind == "win32":
        return get_windows_version(run_lambda)
    if kind == "darwin":
        return f"macOS {get_mac_version(run_lambda)} ({machine})"
    name = (
        get_lsb_version(run_lambda) or check_release_file(run_lambda) if kind == "linux" else kind
    )
    return f"{name} ({machine})" if name else kind


def get_linux_pkg_version(run_lambda: Run, pkg_name: str) -> str:
    """The version of a package of Debian's kind, N/A without it."""
    text = run_and_read_all(run_lambda, ["dpkg-query", "-W", "-f=${Version}", pkg_name])
    return text or "N/A"


# ---- what a machine would need a GPU for ----


def get_gpu_info(run_lambda: Run) -> None:
    """None: no GPU is used."""


def get_cudnn_version(run_lambda: Run) -> None:
    """None: cuDNN is not used."""


def get_running_cuda_version(run_lambda: Run) -> None:
    """None: CUDA is not used."""


def get_nvidia_driver_version(run_lambda: Run) -> str | None:
    """The version of NVIDIA's driver, which nothing here uses."""
    command = [get_nvidia_smi(), "--query-gpu=driver_version", "--format=csv,noheader"]
    return run_and_return_first_line(run_lambda, command)


def get_nvidia_smi() -> str:
    """The command that tells about NVIDIA's GPUs."""
    return "nvidia-smi"


def get_intel_gpu_onboard(run_lambda: Run) -> str:
    """N/A: no GPU is used."""
    return "N/A"


get_intel_gpu_detected = get_intel_gpu_driver_version = get_intel_gpu_onboard


def get_cachingallocator_config() -> str:
    """The settings of PyTorch's memory of GPUs, which nothing here reads."""
    return os.environ.get("PYTORCH_CUDA_ALLOC_CONF", "")


def get_cuda_module_loading_config() -> str:
    """N/A: CUDA is not used."""
    return "N/A"


def is_xnnpack_available() -> str:
    """False: XNNPACK is not used."""
    return "False"


def pretty_str(envinfo: Any) -> str:
    """A report as text."""
    found = envinfo._asdict() if hasattr(envinfo, "_asdict") else dict(envinfo)
    return "\n".join(f"{name}: {value}" for name, value in found.items())
