"""bfloat16 as pairs in 32-bit words: widened to float32 and rounded from it."""

from __future__ import annotations

from ..language.words import bits, from_bits, i32, inlined, native, shared, u32


@native("u32 x[*pairs], i64 size, out f32 y[size]")
def widen_pairs(x, size, y, pairs):
    """Both halves of every word as floats, of which they are the upper half."""
    if 2 * pairs != size:
        return False
    for i in shared(pairs):
        y[2 * i] = from_bits(i32(x[i] << 16))
        y[2 * i + 1] = from_bits(i32(x[i] & 0xFFFF0000))


@inlined
def upper_half(v):
    """The bits of a float rounded to bfloat16, to even at a tie; what is no number stays so."""
    b = u32(bits(v))
    rounded = (b + 0x7FFF + ((b >> 16) & 1)) >> 16
    none = ((b >> 16) & 0x8000) | 0x7FC0
    return none if v != v else rounded


@native("f32 x[*size], i64 pairs, out u32 y[pairs]")
def round_pairs(x, pairs, y, size):
    """Floats rounded to bfloat16, two in every word."""
    if 2 * pairs != size:
        return False
    for i in shared(pairs):
        y[i] = upper_half(x[2 * i]) | (upper_half(x[2 * i + 1]) << 16)
