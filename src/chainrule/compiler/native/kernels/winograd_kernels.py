"""Kernels of 3x3 as the 16 numbers that Winograd's products multiply, and back (see
`winograd_jobs.py`)."""

from __future__ import annotations

from ..language.words import T, inlined, maximum, native, shared, stack


@native("T w[outputs, inputs, 9], out T u[16, outputs, inputs], out T largest[outputs]")
def kernel_numbers(w, u, largest, outputs, inputs):
    """G g G^T of every kernel, and the largest amount among those of each output."""
    step = outputs * inputs
    lines = stack("T", 1152)
    for o in shared(outputs):
        top = T(0.0)
        start = 0
        while start < inputs:
            count = min(128, inputs - start)
            source = w[(o * inputs + start) * 9 :]
            for j in range(count * 9):
                top = maximum(top, abs(source[j]))
            for c in range(count):
                for k in range(9):
                    lines[k * 128 + c] = source[9 * c + k]
            into = u[o * inputs + start :]
            for a in range(4):
                whole = T(0.5) if a == 1 or a == 2 else T(1.0)
                s = T(0.0) if a == 3 else whole
                m = T(0.0) if a == 0 or a == 3 else (T(0.5) if a == 1 else T(-0.5))
                t = T(0.0) if a == 0 else whole
                kernel_line(
                    into[4 * a * step :], into[(4 * a + 1) * step :], into[(4 * a + 2) * step :],
                    into[(4 * a + 3) * step :], lines, s, m, t, count,
                )  # fmt: skip
            start += count
        largest[o] = top


@inlined(apart=True)
def kernel_line(o0, o1, o2, o3, lines, s, m, t, count):
    """One line of G g G^T: s, m and t times the lines of g."""
    for c in range(count):
        d0 = s * lines[c] + m * lines[384 + c] + t * lines[768 + c]
        d1 = s * lines[128 + c] + m * lines[512 + c] + t * lines[896 + c]
        d2 = s * lines[256 + c] + m * lines[640 + c] + t * lines[1024 + c]
        both = d0 + d2
        o0[c] = d0
        o1[c] = (both + d1) * 0.5
        o2[c] = (both - d1) * 0.5
        o3[c] = d2


@native("T u[16, outputs, inputs], out T w[outputs, inputs, 9]")
def kernels_of_numbers(u, w, outputs, inputs):
    """G^T u G: the gradients of kernels from those of their numbers."""
    step = outputs * inputs
    lines = stack("T", 1152)
    for o in shared(outputs):
        start = 0
        while start < inputs:
            count = min(128, inputs - start)
            source = u[o * inputs + start :]
            for r in range(3):
                sign = T(-0.5) if r == 1 else T(0.5)
                one = T(0.0) if r == 1 else T(1.0)
                end = 12 * step if r == 2 else 0
                gradient_line(
                    lines[3 * r * 128 :], source[end:], source[4 * step :], source[8 * step :],
                    step, one, sign, count,
                )  # fmt: skip
            into = w[(o * inputs + start) * 9 :]
            for c in range(count):
                for k in range(9):
                    into[9 * c + k] = lines[k * 128 + c]
            start += count


@inlined(apart=True)
def gradient_line(into, outer, second, third, step, one, sign, count):
    """A line of G^T u G: `one` times the outer line, half of the second, `sign` times the third."""
    for c in range(count):
        d0 = one * outer[c] + 0.5 * second[c] + sign * third[c]
        d1 = one * outer[step + c] + 0.5 * second[step + c] + sign * third[step + c]
        d2 = one * outer[2 * step + c] + 0.5 * second[2 * step + c] + sign * third[2 * step + c]
        d3 = one * outer[3 * step + c] + 0.5 * second[3 * step + c] + sign * third[3 * step + c]
        both = 0.5 * (d1 + d2)
        into[c] = d0 + both
        into[128 + c] = 0.5 * (d1 - d2)
        into[256 + c] = both + d3
