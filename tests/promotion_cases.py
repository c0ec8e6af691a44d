"""Which calls the promotion tests make, for the recorder and for the tests alike.

A result type is one letter per dtype; a row of letters stands for one left operand, one letter
per right operand; "-" where the call raises.
"""

LETTERS = {
    "bool": "b", "uint8": "u", "int8": "c", "int16": "s", "int32": "i", "int64": "l",
    "float16": "h", "bfloat16": "t", "float32": "f", "float64": "d", "complex64": "F",
    "complex128": "D",
}  # fmt: skip

OPS = (
    "add", "sub", "mul", "div", "true_divide", "floor_divide", "remainder", "fmod", "pow",
    "float_power", "maximum", "minimum", "fmax", "fmin", "atan2", "hypot", "copysign", "xlogy",
    "logaddexp", "ldexp", "eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_xor",
    "bitwise_and", "bitwise_or", "bitwise_left_shift", "gcd", "nextafter", "rsub", "where",
    "clamp_min", "clamp_max", "__rpow__", "__rmod__",
)  # fmt: skip

UNARY = (
    "abs", "neg", "sign", "sgn", "exp", "log", "sqrt", "rsqrt", "reciprocal", "sin", "tanh",
    "sigmoid", "floor", "ceil", "round", "trunc", "frac", "square", "angle", "real", "isnan",
    "isfinite", "isposinf", "signbit", "logical_not", "bitwise_not", "deg2rad", "exp2", "expm1",
    "log1p", "sinc", "logit", "nan_to_num", "positive", "relu",
)  # fmt: skip

NUMBERS = {"True": True, "2": 2, "1.5": 1.5, "2j": 2j}

FORMS = ("tensor, tensor", "tensor, 0-dim", "0-dim, tensor", "tensor, number", "0-dim, number")


def rows(package, resolve, name: str, form: str) -> list[str]:
    """The result types of an op for every left operand."""
    left, right = form.split(", ")
    return [
        "".join(letter(package, resolve, name, a, b) for b in operands(package, right))
        for a in operands(package, left)
    ]


def operands(package, kind: str) -> list:
    if kind == "number":
        return list(NUMBERS.values())
    shape = (2,) if kind == "tensor" else ()
    return [package.ones(shape, dtype=getattr(package, name)) for name in LETTERS]


def letter(package, resolve, name: str, *arguments) -> str:
    if name == "where":
        arguments = (package.ones((2,), dtype=package.bool), *arguments)
    try:
        result = resolve(package, name)(*arguments)
    except (RuntimeError, TypeError):
        return "-"
    # complex32 exists in PyTorch only as a type without arithmetic.
    return LETTERS.get(str(result.dtype).removeprefix("torch."), "-")
