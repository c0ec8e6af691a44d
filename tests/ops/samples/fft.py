"""Samples of Fourier transforms, short-time transforms and windows."""

import numpy as np

from ..sample import Sample, cplx, dtype, ints, normal, uniform


def forward_one() -> list[Sample]:
    """Complex transforms along one dimension."""
    return [Sample(cplx(3, 4)), Sample(normal(5)), Sample(normal(3, 4), n=6),
            Sample(cplx(4, 3), n=2, dim=0), Sample(cplx(5), norm="ortho"),
            Sample(normal(4), norm="forward"), Sample(ints(4))]  # fmt: skip


def real_one() -> list[Sample]:
    """Half transforms of real signals along one dimension."""
    return [Sample(normal(3, 4)), Sample(normal(5)), Sample(normal(4), n=7),
            Sample(normal(6, 2), n=4, dim=0), Sample(normal(5), norm="ortho"),
            Sample(normal(4), norm="forward"), Sample(ints(4))]  # fmt: skip


def inverse_one() -> list[Sample]:
    """Half transforms back to real signals along one dimension."""
    return [Sample(cplx(3, 4)), Sample(cplx(4), n=5), Sample(cplx(3), n=8),
            Sample(cplx(4, 2), dim=0), Sample(cplx(4), norm="ortho"),
            Sample(cplx(4), norm="forward"), Sample(normal(4))]  # fmt: skip


def several(make) -> list[Sample]:
    """Transforms over several dimensions."""
    return [Sample(make(3, 4)), Sample(make(2, 3, 4), norm="ortho"),
            Sample(make(3, 4), s=(4, 5)), Sample(make(3, 2, 4), s=(2, -1), dim=(0, 2)),
            Sample(make(2, 3, 4), dim=(2, 0), norm="forward")]  # fmt: skip


def window(*extra: Sample) -> list[Sample]:
    """Windows of several lengths, symmetric and periodic."""
    return [Sample(n) for n in (0, 1, 5)] + [
        Sample(2, dtype=dtype("float64")),
        Sample(6, sym=False), Sample(5, dtype=dtype("float64")), *extra]  # fmt: skip


def frames(rows: int, columns: int) -> np.ndarray:
    """Half spectra of real frames: real where a real signal's must be."""
    z = np.array(cplx(rows, columns))
    z[0] = z[0].real
    z[-1] = z[-1].real
    return z


SIGNAL = normal(24)
HANN = 0.2 + 0.5 * (1 - np.cos(2 * np.pi * np.arange(8) / 8))

SAMPLES = {
    "fft.fft": forward_one(),
    "fft.ifft": forward_one(),
    "fft.rfft": real_one(),
    "fft.ihfft": real_one(),
    "fft.irfft": inverse_one(),
    "fft.hfft": inverse_one(),
    "fft.fft2": several(cplx),
    "fft.ifft2": several(normal),
    "fft.rfft2": several(normal),
    "fft.ihfft2": several(normal),
    "fft.irfft2": several(cplx),
    "fft.hfft2": several(cplx),
    "fft.fftn": [*several(cplx), Sample(normal(2, 3, 4), s=(3,))],
    "fft.ifftn": several(cplx),
    "fft.rfftn": several(normal),
    "fft.ihfftn": several(normal),
    "fft.irfftn": several(cplx),
    "fft.hfftn": several(cplx),
    "fft.fftshift": [Sample(normal(5)), Sample(cplx(3, 4)), Sample(normal(3, 4), dim=0)],
    "fft.ifftshift": [Sample(normal(5)), Sample(cplx(3, 4)), Sample(normal(3, 4), dim=(0, 1))],
    "fft.fftfreq": [Sample(5), Sample(6, 0.5), Sample(4, dtype=dtype("float64"))],
    "fft.rfftfreq": [Sample(5), Sample(6, 0.5), Sample(4, dtype=dtype("float64"))],
    "stft": [Sample(SIGNAL, 8, return_complex=True),
             Sample(SIGNAL, 8, 3, 6, uniform(6, low=0.2), return_complex=True, normalized=True),
             Sample(normal(2, 20), 7, center=False, return_complex=True, onesided=False),
             Sample(cplx(20), 4), Sample(SIGNAL, 8, return_complex=False),
             Sample(SIGNAL, 8, pad_mode="constant", return_complex=True)],
    "istft": [Sample(frames(5, 9), 8), Sample(frames(5, 9), 8, window=HANN, length=12),
              Sample(frames(5, 9), 8, normalized=True, hop_length=1),
              Sample(frames(5, 9), 8, length=30), Sample(cplx(8, 6), 8, return_complex=True)],
    "signal.windows.bartlett": window(),
    "signal.windows.blackman": window(),
    "signal.windows.cosine": window(),
    "signal.windows.exponential": window(Sample(6, tau=2.0), Sample(6, center=1.0, sym=False)),
    "signal.windows.gaussian": window(Sample(6, std=2.0)),
    "signal.windows.general_cosine": [Sample(5, a=[0.4, 0.3, 0.3]), Sample(6, a=[1.0], sym=False)],
    "signal.windows.general_hamming": window(Sample(6, alpha=0.7)),
    "signal.windows.hamming": window(),
    "signal.windows.hann": window(),
    "signal.windows.kaiser": window(Sample(6, beta=3.0)),
    "signal.windows.nuttall": window(),
    "hann_window": [Sample(n) for n in (0, 1, 5)] + [Sample(6, False)],
    "hamming_window": [Sample(5), Sample(6, False, 0.5, 0.4)],
    "blackman_window": [Sample(5), Sample(6, False)],
    "bartlett_window": [Sample(5), Sample(6, False)],
    "kaiser_window": [Sample(5), Sample(6, False, 4.0)],
}  # fmt: skip

ERRORS = {
    "fft.fft": [
        (Sample(normal(3), n=0), RuntimeError, "Invalid number of data points (0) specified"),
        (Sample(normal(3), norm="bad"), RuntimeError, 'Invalid normalization mode: "bad"'),
        (Sample(normal(3), dim=2), IndexError, "Dimension out of range"),
        (Sample(normal(3).astype("float16")), RuntimeError, "Unsupported dtype Half"),
        (Sample(normal()), IndexError, "but tensor has no dimensions"),
    ],
    "fft.rfft": [(Sample(cplx(3)), RuntimeError,
                  "rfft expects a real input tensor, but got ComplexDouble")],
    "fft.fftn": [
        (Sample(normal(3, 4), s=(2, 2), dim=(0,)), RuntimeError,
         "When given, dim and shape arguments must have the same length"),
        (Sample(normal(3, 4), dim=(0, 0)), RuntimeError, "FFT dims must be unique"),
        (Sample(normal(3), s=(2, 2)), RuntimeError,
         "Got shape with 2 values but input tensor only has 1 dimensions."),
    ],
    "stft": [
        (Sample(SIGNAL, 8), RuntimeError, "stft requires the return_complex parameter be given"),
        (Sample(SIGNAL, 8, 0, return_complex=True), RuntimeError,
         "expected hop_length > 0, but got hop_length=0"),
        (Sample(SIGNAL, 8, win_length=9, return_complex=True), RuntimeError,
         "expected 0 < win_length <= n_fft, but got win_length=9"),
        (Sample(SIGNAL, 50, center=False, return_complex=True), RuntimeError,
         "expected 0 < n_fft < 24, but got n_fft=50"),
    ],
    "istft": [
        (Sample(SIGNAL, 8), RuntimeError, "istft requires a complex-valued input tensor"),
        (Sample(frames(5, 9), 8, window=0 * HANN), RuntimeError, "window overlap add min: 1"),
    ],
    "signal.windows.hann": [
        (Sample(-1), ValueError, "requires non-negative window length, got M=-1"),
        (Sample(3, dtype=dtype("int64")), ValueError, "expects float32 or float64 dtypes"),
    ],
    "signal.windows.gaussian": [(Sample(3, std=0.0), ValueError,
                                 "Standard deviation must be positive")],
    "hann_window": [(Sample(-1), RuntimeError, "hann_window requires non-negative window_length")],
}  # fmt: skip
