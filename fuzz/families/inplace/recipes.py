"""How each in-place method of a tensor is called in a program.

`{t}` is what is written to. Other slots are filled by the writer: `{b}` an operand that broadcasts
to the target, `{c}` a copy of one, `{p}` a positive one, `{e}` one of the target's own shape, `{d}`
a dimension, `{mask}`, `{index}` and so on. Before a colon stands the domain the target is brought
into first. A method that is missing here fails a test (`tests/test_fuzz_families.py`).
"""

from __future__ import annotations

DOMAINS = {
    "unit": "{t}.sin_().mul_(0.9)",
    "positive": "{t}.square_().add_(0.3)",
    "above": "{t}.square_().add_(1.2)",
    "share": "{t}.sin_().mul_(0.4).add_(0.5)",
}

REAL: dict[str, tuple[str, ...]] = {
    "acos_": ("unit: {t}.acos_()",), "arccos_": ("unit: {t}.arccos_()",),
    "acosh_": ("above: {t}.acosh_()",), "arccosh_": ("above: {t}.arccosh_()",),
    "asin_": ("unit: {t}.asin_()",), "arcsin_": ("unit: {t}.arcsin_()",),
    "atanh_": ("unit: {t}.atanh_()",), "arctanh_": ("unit: {t}.arctanh_()",),
    "abs_": ("{t}.abs_()",), "absolute_": ("{t}.absolute_()",),
    "ceil_": ("{t}.ceil_()",), "floor_": ("{t}.floor_()",), "frac_": ("{t}.frac_()",),
    "fix_": ("{t}.fix_()",), "trunc_": ("{t}.trunc_()",),
    "round_": ("{t}.round_()", "{t}.round_(decimals=1)"),
    "digamma_": ("positive: {t}.digamma_()",), "lgamma_": ("positive: {t}.lgamma_()",),
    "polygamma_": ("positive: {t}.polygamma_(1)",), "mvlgamma_": ("above: {t}.mvlgamma_(2)",),
    "erf_": ("{t}.erf_()",), "erfc_": ("{t}.erfc_()",), "erfinv_": ("unit: {t}.erfinv_()",),
    "exp2_": ("{t}.exp2_()",), "expm1_": ("{t}.expm1_()",), "i0_": ("{t}.i0_()",),
    "log10_": ("positive: {t}.log10_()",), "log1p_": ("positive: {t}.log1p_()",),
    "log2_": ("positive: {t}.log2_()",), "logit_": ("share: {t}.logit_()", "{t}.logit_(0.1)"),
    "nan_to_num_": ("{t}.nan_to_num_()", "{t}.nan_to_num_(0.5, 2.0, -2.0)"),
    "relu_": ("{t}.relu_()",), "sign_": ("{t}.sign_()",), "sinc_": ("{t}.sinc_()",),
    "deg2rad_": ("{t}.deg2rad_()",), "rad2deg_": ("{t}.rad2deg_()",),
    "clamp_": ("{t}.clamp_(-0.5013, 0.7017)", "{t}.clamp_(max={b})", "{t}.clamp_({b}, {b} + 1)"),
    "clip_": ("{t}.clip_(-0.5013, 0.7017)", "{t}.clip_(min={b})"),
    "clamp_max_": ("{t}.clamp_max_(0.4013)", "{t}.clamp_max_({b})"),
    "clamp_min_": ("{t}.clamp_min_(-0.4013)", "{t}.clamp_min_({b})"),
    "atan2_": ("{t}.atan2_({p})",), "arctan2_": ("{t}.arctan2_({p})",),
    "copysign_": ("{t}.copysign_({b})", "{t}.copysign_(-1.0)"),
    "hypot_": ("{t}.hypot_({p})",), "xlogy_": ("{t}.xlogy_({p})", "{t}.xlogy_(1.5)"),
    "float_power_": ("positive: {t}.float_power_(1.5)", "positive: {t}.float_power_({b})"),
    "floor_divide_": ("{t}.floor_divide_({p})", "{t}.floor_divide_(0.7)"),
    "fmod_": ("{t}.fmod_({p})", "{t}.fmod_(0.7)"),
    "remainder_": ("{t}.remainder_({p})", "{t}.remainder_(0.7)"),
    "igamma_": ("positive: {t}.igamma_({p})",), "igammac_": ("positive: {t}.igammac_({p})",),
    "ge_": ("{t}.ge_({c})", "{t}.ge_(0.1)"), "greater_equal_": ("{t}.greater_equal_({c})",),
    "gt_": ("{t}.gt_({c})",), "greater_": ("{t}.greater_(0.2)",), "le_": ("{t}.le_({c})",),
    "less_equal_": ("{t}.less_equal_(0.1)",), "lt_": ("{t}.lt_(0.3)",),
    "less_": ("{t}.less_({c})",),
    "renorm_": ("{t}.renorm_(2, {d}, 0.9)",),
    "index_reduce_": ("{t}.index_reduce_({d}, {index}, {source}, {how})",),
    "scatter_reduce_": ("{t}.scatter_reduce_({d}, {places}, {scattered}, {how2})",),
}  # fmt: skip

# What other ways than the plain one refuse, draw anew or see otherwise: in wild programs only.
# The logical methods leave the tape as it is, as in PyTorch, though what they write is constant.
PLAIN_ONLY: dict[str, tuple[str, ...]] = {
    "logical_and_": ("{t}.logical_and_({c})",), "logical_or_": ("{t}.logical_or_({c})",),
    "logical_not_": ("{t}.logical_not_()",), "logical_xor_": ("{t}.logical_xor_({c})",),
    "nextafter_": ("{t}.nextafter_({e})",), "heaviside_": ("{t}.heaviside_({e})",),
    "bernoulli_": ("torch.manual_seed(3); {t}.bernoulli_(0.4)",),
    "cauchy_": ("torch.manual_seed(3); {t}.cauchy_(0.5, 0.2)",),
    "exponential_": ("torch.manual_seed(3); {t}.exponential_(1.5)",),
    "geometric_": ("torch.manual_seed(3); {t}.geometric_(0.4)",),
    "log_normal_": ("torch.manual_seed(3); {t}.log_normal_(0.1, 0.3)",),
    "normal_": ("torch.manual_seed(3); {t}.normal_(0.5, 2.0)",),
    "random_": ("torch.manual_seed(3); {t}.random_(2, 9)",),
    "uniform_": ("torch.manual_seed(3); {t}.uniform_(-1, 2)",),
    "apply_": ("{t}.apply_(lambda q: q * 2)",), "map_": ("{t}.map_({e}, lambda p, q: p + q)",),
    "map2_": ("{t}.map2_({e}, {e}, lambda p, q, r: p + q * r)",),
}  # fmt: skip

ANY: dict[str, tuple[str, ...]] = {
    "add_": ("{t}.add_(0.1)", "{t}.add_({b})", "{t}.add_({b}, alpha=0.5)", "{t} += {b}"),
    "sub_": ("{t}.sub_({b})", "{t}.sub_(0.2, alpha=2)", "{t} -= {b}"),
    "subtract_": ("{t}.subtract_({b})",),
    "mul_": ("{t}.mul_(0.9)", "{t}.mul_({b})", "{t} *= {b}"), "multiply_": ("{t}.multiply_({b})",),
    "div_": ("{t}.div_({p})", "{t}.div_(1.5)", "{t} /= {p}"), "divide_": ("{t}.divide_({p})",),
    "true_divide_": ("{t}.true_divide_({p})",),
    "pow_": ("{t}.pow_(2)", "positive: {t}.pow_({b})", "{t} **= 2", "positive: {t}.pow_(0.5)"),
    "square_": ("{t}.square_()",), "neg_": ("{t}.neg_()",), "negative_": ("{t}.negative_()",),
    "sin_": ("{t}.sin_()",), "cos_": ("{t}.cos_()",), "tan_": ("unit: {t}.tan_()",),
    "sinh_": ("{t}.sinh_()",), "cosh_": ("{t}.cosh_()",), "tanh_": ("{t}.tanh_()",),
    "exp_": ("{t}.mul_(0.3).exp_()",), "log_": ("positive: {t}.log_()",),
    "sqrt_": ("positive: {t}.sqrt_()",), "rsqrt_": ("positive: {t}.rsqrt_()",),
    "reciprocal_": ("above: {t}.reciprocal_()",), "sigmoid_": ("{t}.sigmoid_()",),
    "sgn_": ("{t}.sgn_()",), "atan_": ("{t}.mul_(0.4).atan_()",),
    "arctan_": ("{t}.mul_(0.4).arctan_()",), "asinh_": ("{t}.mul_(0.4).asinh_()",),
    "arcsinh_": ("{t}.mul_(0.4).arcsinh_()",), "conj_physical_": ("{t}.conj_physical_()",),
    "zero_": ("{t}.zero_()",), "fill_": ("{t}.fill_(0.5)", "{t}.fill_({scalar})"),
    "copy_": ("{t}.copy_({b})", "{t}[...] = {b}", "{t}[...] = 0.3"),
    "lerp_": ("{t}.lerp_({e}, 0.3)", "{t}.lerp_({e}, {e})"),
    "ldexp_": ("{t}.ldexp_(torch.tensor(2))",),
    "addcmul_": ("{t}.addcmul_({b}, {b}, value=0.5)",), "addcdiv_": ("{t}.addcdiv_({b}, {p})",),
    "addmm_": ("{t}.addmm_({left}, {right}, beta=0.5)", "{t}.addmm_({left}, {right})"),
    "addmv_": ("{t}.addmv_({matrix}, {vector})",), "addr_": ("{t}.addr_({column}, {row})",),
    "addbmm_": ("{t}.addbmm_({lefts}, {rights}, beta=0.5)",),
    "baddbmm_": ("{t}.baddbmm_({batch_left}, {batch_right}, alpha=0.5)",),
    "cumsum_": ("{t}.cumsum_({d})",), "cumprod_": ("{t}.cumprod_({d})",),
    "tril_": ("{t}.tril_()", "{t}.tril_(-1)"), "triu_": ("{t}.triu_()", "{t}.triu_(1)"),
    "fill_diagonal_": ("{t}.fill_diagonal_(0.4)",),
    "eq_": ("{t}.eq_({c})",), "ne_": ("{t}.ne_({c})",), "not_equal_": ("{t}.not_equal_(0.5)",),
    "masked_fill_": ("{t}.masked_fill_({mask}, 0.5)", "{t}.masked_fill_({mask}, {scalar})",
                     "{t}[{mask}] = 0.25", "{t}[{mask}] = {scalar}"),
    "masked_scatter_": ("{t}.masked_scatter_({mask}, {e} * 1)",),
    "index_add_": ("{t}.index_add_({d}, {index}, {source})",
                   "{t}.index_add_({d}, {index}, {source}, alpha=0.5)"),
    "index_copy_": ("{t}.index_copy_({d}, {index}, {source})",),
    "index_fill_": ("{t}.index_fill_({d}, {index}, 0.5)",
                    "{t}.index_fill_({d}, {index}, {scalar})"),
    "index_put_": ("{t}.index_put_(({index0},), {source0})", "{t}[{index0}] = {source0}",
                   "{t}.index_put_(({index0},), {source0}, accumulate=True)"),
    "put_": ("{t}.put_(torch.tensor([0]), {scalar}.reshape(1))",
             "{t}.put_(torch.tensor([0]), {scalar}.reshape(1), accumulate=True)"),
    "scatter_": ("{t}.scatter_({d}, {places}, {scattered})", "{t}.scatter_({d}, {places}, 0.5)"),
    "scatter_add_": ("{t}.scatter_add_({d}, {places}, {scattered})",),
}  # fmt: skip

INTEGER: dict[str, tuple[str, ...]] = {
    "bitwise_and_": ("{t}.bitwise_and_({b})", "{t} &= 3"),
    "bitwise_or_": ("{t}.bitwise_or_({b})", "{t} |= {b}"),
    "bitwise_xor_": ("{t}.bitwise_xor_({b})", "{t} ^= 5"),
    "bitwise_not_": ("{t}.bitwise_not_()",),
    "bitwise_left_shift_": ("{t}.bitwise_left_shift_(2)", "{t} <<= 1"),
    "bitwise_right_shift_": ("{t}.bitwise_right_shift_(1)", "{t} >>= 1"),
    "gcd_": ("{t}.gcd_({b})",), "lcm_": ("{t}.lcm_({b})",),
    "floor_divide_": ("{t}.floor_divide_(3)", "{t} //= 2"),
    "remainder_": ("{t}.remainder_(3)", "{t} %= 4"), "fmod_": ("{t}.fmod_(3)",),
    "add_": ("{t}.add_({b})", "{t}.add_(0.5)"), "mul_": ("{t}.mul_({b})", "{t}.mul_(1.5)"),
    "div_": ("{t}.div_({b})", "{t}.div_(2, rounding_mode='floor')"), "abs_": ("{t}.abs_()",),
    "clamp_": ("{t}.clamp_(-2, 5)",), "neg_": ("{t}.neg_()",), "pow_": ("{t}.pow_(2)",),
    "sin_": ("{t}.sin_()",), "fill_": ("{t}.fill_(2)", "{t}.fill_(1.5)"), "eq_": ("{t}.eq_({c})",),
    "random_": ("torch.manual_seed(3); {t}.random_(2, 9)",), "zero_": ("{t}.zero_()",),
    "cumsum_": ("{t}.cumsum_({d})",), "cumprod_": ("{t}.cumprod_({d})",),
    "copy_": ("{t}.copy_({b})",), "sign_": ("{t}.sign_()",), "square_": ("{t}.square_()",),
    "apply_": ("{t}.apply_(lambda q: q * 2)",), "round_": ("{t}.round_()",),
    "index_add_": ("{t}.index_add_({d}, {index}, {source})",),
    "masked_fill_": ("{t}.masked_fill_({mask}, 4)", "{t}.masked_fill_({mask}, 1.5)"),
    "scatter_add_": ("{t}.scatter_add_({d}, {places}, {scattered})",), "tril_": ("{t}.tril_()",),
    "logical_not_": ("{t}.logical_not_()",), "nan_to_num_": ("{t}.nan_to_num_()",),
    "clamp_min_": ("{t}.clamp_min_(1)",), "addcmul_": ("{t}.addcmul_({b}, {b})",),
}  # fmt: skip

# Methods that give the same elements another shape, layout or standing in the graph; the writer
# knows what becomes of the target.
CHANGES = (
    "t_", "transpose_", "swapaxes_", "swapdims_", "squeeze_", "unsqueeze_", "as_strided_",
    "requires_grad_", "detach_", "resize_", "resize_as_", "set_",
)  # fmt: skip

# In-place forms of functions that are no methods.
FUNCTIONS = (
    "torch.nn.functional.relu({t}, inplace=True)",
    "torch.nn.functional.elu({t}, 0.7, inplace=True)",
    "torch.nn.functional.leaky_relu_({t}, 0.2)", "torch.nn.functional.celu({t}, 1.5, inplace=True)",
    "torch.nn.functional.hardtanh({t}, -0.8013, 0.6013, inplace=True)", "torch.selu_({t})",
    "torch.nn.functional.threshold({t}, 0.1013, 0.2, inplace=True)", "torch.relu_({t})",
    "torch.nn.functional.silu({t}, inplace=True)", "torch.nn.functional.mish({t}, inplace=True)",
    "torch.nn.functional.hardswish({t}, inplace=True)",
    "torch.nn.functional.hardsigmoid({t}, inplace=True)",
    "torch.nn.functional.relu6({t}, inplace=True)",
    "torch.celu_({t})", "torch.threshold_({t}, 0.1013, 0.2)",
)  # fmt: skip

WILD_FUNCTIONS = (
    *FUNCTIONS, "torch.nn.functional.dropout({t}, 0.0, inplace=True)",
    "torch.nn.functional.rrelu({t}, 0.2, 0.2, inplace=True)", "torch.add({e}, {e}, out={t})",
    "torch.mul({b}, {b}, out={t}.detach())", "torch.sin({e}, out={t})",
)  # fmt: skip

EXCLUDED = {
    "share_memory_": "moves memory between processes and changes nothing else",
    "resize_as_sparse_": "of sparse tensors only",
    "sparse_resize_": "of sparse tensors only",
    "sparse_resize_and_clear_": "of sparse tensors only",
}


def recipes(kind: str, wild: bool) -> dict[str, tuple[str, ...]]:
    """The methods for tensors of a kind: real, complex or integer."""
    if kind == "integer":
        return INTEGER
    if kind == "complex":
        return ANY
    return {**ANY, **REAL, **PLAIN_ONLY} if wild else {**ANY, **REAL}
