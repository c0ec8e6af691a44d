"""The errors of the tape: what happened with the values, on which line, why, and the fix.

Each starts with the phrase people search for.
"""

from __future__ import annotations

from typing import Any

from . import refusal, source
from .value import TensorBase

USED_UP = "Trying to backward through the graph a second time"  # PyTorch's words


def freed(node: Any) -> RuntimeError:
    return RuntimeError(
        f"{USED_UP} (or directly access saved tensors after they have already been freed).\n"
        f"  {node.name()}, recorded at {node.where()}, has dropped its saved values: the first "
        "backward() used them.\n"
        "  Fix: Specify retain_graph=True in the first backward(), add the losses before one "
        "backward(), or compute the forward pass again."
    )


def too_long(op: Any, value: int) -> OverflowError:
    return refusal.of_kind(
        OverflowError, f"int too big to convert: {value} has no place in 64 bits", f"{op.name}"
    )


def out_of_range(op: Any, value: int, target: Any) -> RuntimeError:
    negative = "Integers to negative integer powers are not allowed. " if value < 0 else ""
    return refusal.runtime(
        f"{negative}value cannot be converted to type {target.name} without overflow: {value}",
        f"{op.name} with a tensor of {target!r}",
        fix="convert the tensor first, with .float() or .long().",
    )


def modified(node: Any, position: int) -> RuntimeError:
    from .op_rules import saved_names

    op = node.op
    names = [n for n in saved_names(op) if op.classify(n)[0] in ("in", "out")]
    name = names[position]
    index = saved_names(op).index(name)
    count = len(saved_names(op))
    version, then = node.s[count + 2 * position], node.s[count + 2 * position + 1]
    value = node.s[index]
    shape = list(getattr(value, "shape", ()))
    what = "result" if op.classify(name)[0] == "out" else f"input '{name}'"
    writer = "an in-place operation"
    if len(version) >= 4:
        writer = f"{version[1]} at {source.describe(version[2], version[3])}"
    kind = getattr(value, "dtype", "")
    return RuntimeError(
        "one of the variables needed for gradient computation has been modified by an inplace "
        f"operation: [{kind} {shape}], the {what} of {node.name()}, is at version {version[0]}; "
        f"expected version {then} instead.\n"
        f"  needed by:   {op.name} ({node.name()}) at {node.where()}\n"
        f"  modified by: {writer}\n"
        "  Fix: use the out-of-place form of the modifying operation, or modify a .clone()."
    )


def wrong_gradient_shape(node: Any, index: int, got: Any, want: Any) -> RuntimeError:
    return RuntimeError(
        f"Function {node.name()} returned an invalid gradient at index {index} - got "
        f"{list(got)} but expected shape compatible with {list(want)}\n"
        f"  recorded at {node.where()}"
    )


def inference_saved() -> RuntimeError:
    return refusal.runtime(
        "Inference tensors cannot be saved for backward. Please do not use Tensors created in "
        "inference mode in computation tracked by autograd.",
        fix="clone() it outside inference_mode to get a normal tensor, or create it under "
        "no_grad() instead of inference_mode().",
    )


def inference_inplace() -> RuntimeError:
    return refusal.runtime(
        "Inplace update to inference tensor outside InferenceMode is not allowed.",
        fix="clone() the tensor first, or do the update inside inference_mode().",
    )


def inference_requires_grad() -> RuntimeError:
    return refusal.runtime(
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.",
        fix="clone() the tensor outside inference_mode and set requires_grad on the clone.",
    )


def leaf_in_place(is_view: bool, op_name: str, shape: Any) -> RuntimeError:
    what = "a view of a leaf Variable" if is_view else "a leaf Variable"
    return refusal.runtime(
        f"{what} that requires grad is being used in an in-place operation.",
        f"{op_name} on a tensor of shape {list(shape)}",
        why="A leaf's value is what you differentiate with respect to; overwriting it while "
        "recording would lose it.",
        fix="wrap the update in `with torch.no_grad():`, or use the out-of-place form.",
    )


def moved_leaf(leaf: Any) -> RuntimeError:
    return refusal.runtime(
        "leaf variable has been moved into the graph interior: a gradient arrives for a tensor of "
        f"shape {list(leaf.shape)} that was a leaf when the graph was recorded and has been "
        "computed from others in place since.",
        fix="use the out-of-place form, or clone() the leaf before modifying it.",
    )


def not_a_leaf(requires_grad: bool) -> RuntimeError:
    advice = (
        ""
        if requires_grad
        else (
            " If you want to use a computed variable in a subgraph that doesn't require "
            "differentiation use var_no_grad = var.detach()."
        )
    )
    return refusal.runtime(
        f"you can only change requires_grad flags of leaf variables.{advice}",
        why="This tensor was computed from others that require grad.",
    )


def view_in_place(reason: str, op_name: str) -> RuntimeError:
    return refusal.runtime(
        f"{reason}",
        f"{op_name}",
        fix="clone() the view before the in-place operation, or use the out-of-place form.",
    )


def too_large(name: str, value: Any, target: Any) -> RuntimeError:
    word = {"float16": "c10::Half", "bfloat16": "c10::BFloat16"}[target.name]
    return refusal.runtime(
        f"value cannot be converted to type {word} without overflow: {name} got {value!r}, and "
        f"the tensor is {target!r}.",
        fix="convert the tensor with .float() first, or use infinity for a limit that is not to "
        "hold.",
    )


def not_scalar(shape: Any) -> RuntimeError:
    return refusal.runtime(
        "grad can be implicitly created only for scalar outputs, but this one has shape "
        f"{list(shape)}.",
        fix="reduce it first (.sum() or .mean()), or pass gradient= a tensor of that shape "
        "(backward then computes the vector-Jacobian product).",
    )


def no_graph(what: str = "element 0 of tensors") -> RuntimeError:
    return refusal.runtime(
        f"{what} does not require grad and does not have a grad_fn.",
        why="Nothing was recorded that leads here: no input has requires_grad=True, it was "
        "computed under no_grad(), or it was detached.",
        fix="set requires_grad_() on the inputs before computing it.",
    )


def unused_input(position: int) -> RuntimeError:
    return refusal.runtime(
        "One of the differentiated Tensors appears to not have been used in the graph. Set "
        f"allow_unused=True if this is the desired behavior. It is input number {position}.",
        fix="use the tensor in computing the output, differentiate with respect to the tensor "
        "that was used (not a copy of it), or pass allow_unused=True (its gradient is then None) "
        "or materialize_grads=True (then zeros).",
    )


def number_for_tensor(name: str, position: int, args: tuple[Any, ...]) -> TypeError:
    """A number where only a tensor may stand."""
    argument = ("input", "other")[position] if position < 2 else "argument"
    value = args[position]
    return refusal.wrong_type(
        f"{name}(): argument '{argument}' (position {position + 1}) must be Tensor, not "
        f"{type(value).__name__}",
        f"{value!r} was given",
        fix=f"wrap it, torch.tensor({value!r}).",
    )


def no_such_combination(name: str, args: tuple[Any, ...]) -> TypeError:
    """Operands of which too many are numbers."""
    kinds = ", ".join("Tensor" if isinstance(a, TensorBase) else type(a).__name__ for a in args)
    return refusal.wrong_type(
        f"{name}() received an invalid combination of arguments - got ({kinds}), but expected a "
        "Tensor among them, in a place where a number is not allowed.",
        fix="make the first operand a tensor, torch.tensor(...).",
    )


_TYPE_WORDS = {
    "float32": "Float", "float64": "Double", "float16": "Half", "bfloat16": "BFloat16",
    "int64": "Long", "int32": "Int", "int16": "Short", "int8": "Char", "uint8": "Byte",
    "bool": "Bool", "complex64": "ComplexFloat", "complex128": "ComplexDouble",
}  # fmt: skip


def type_word(dtype: Any) -> str:
    """PyTorch's name of a type in messages: Float, Double, Long..."""
    name: str = dtype.name
    return _TYPE_WORDS.get(name, name)


def refused_type(op: Any, dtype: Any) -> NotImplementedError:
    """An op met a type it is not defined for."""
    word = type_word(dtype)
    phrase = op.refuses[dtype.np.kind] or f"\"{op.name}_cpu\" not implemented for '{word}'"
    return refusal.not_implemented(
        f"{phrase}", f"{op.name}() on {dtype!r}", fix=f"{_OTHER_TYPES[dtype.category]}."
    )


def refused_operand(op: Any, args: tuple[Any, ...]) -> RuntimeError:
    """An op met a bool beside numbers that it would have to count as 0 and 1."""
    kinds = ", ".join(
        f"{a.dtype!r} {list(a.shape)}" if hasattr(a, "shape") else repr(a) for a in args
    )
    return refusal.runtime(
        f"{op.refuses_operands['b']}",
        f"{op.name}() of {kinds}",
        fix="~mask, mask.logical_not(), or count with mask.to(x.dtype).",
    )


_OTHER_TYPES = (
    "convert the bool tensor first, e.g. x.int() or x.float()",
    "convert the integers first, e.g. x.float()",
    "compare first (x > 0), or convert with x.to(torch.int64)",
    "take x.real, x.imag or x.abs() first",
)


def exchanged_leaf(node: Any) -> RuntimeError:
    """A backward pass reaches a leaf that is another tensor by now."""
    return RuntimeError(
        "Trying to execute AccumulateGrad node that was poisoned by swap_tensors: "
        f"{node.name()} was recorded at {node.where()}, and its leaf was exchanged with another "
        "tensor since.\n  Fix: convert or load the module before forward, or after backward."
    )
