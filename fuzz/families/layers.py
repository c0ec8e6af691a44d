"""Layers and losses of `nn` with unusual arguments.

Values, gradients of two orders, buffers, tangents and batches by `vmap`; compiled they must be the
same, and with PyTorch at hand its own. In a line, `{a|b}` is one of several words, and what follows
`<-` is the input.
"""

from __future__ import annotations

import random
import re
from typing import Any

import chainrule

from ..script import Raised, Script, code_generation, compare, shown

WEIGHT = 2
SPATIAL = (
    "nn.Conv1d(4, {2|4}, {1|2|3}, stride={1|2|3}, padding={0|1|'valid'}, dilation={1|2}, "
    "groups={1|2}, bias={True|False}, padding_mode='{zeros|reflect|replicate|circular}') <- "
    "randn(2, 4, 7)",
    "nn.Conv2d(2, {2|4}, {1|2|(2, 3)}, stride={1|2|(1, 3)}, padding={0|1|(1, 2)}, "
    "dilation={1|2}, groups={1|2}, bias={True|False}, padding_mode='{zeros|reflect|circular}') "
    "<- randn({1|2}, 2, 6, 7)",
    "nn.Conv2d(2, 2, {1|2|3}, padding='same', dilation={1|2}, bias={True|False}) <- randn(2, 5, "
    "6)",
    "nn.Conv3d(2, 2, {1|2}, stride={1|2}, padding={0|1}, groups={1|2}) <- randn(1, 2, 3, 4, 3)",
    "nn.ConvTranspose1d(2, {2|4}, {1|2|3}, stride=3, padding={0|1}, output_padding={0|1|2}, "
    "dilation={1|2|4}, groups={1|2}, bias={True|False}) <- randn(2, 2, 4)",
    "nn.ConvTranspose2d(2, 2, {1|2|(3, 2)}, stride={1|2}, padding={0|1}, dilation={1|2}) <- "
    "randn(1, 2, 3, 4)",
    "nn.MaxPool{1d|1d}({2|3}, stride={None|1|2}, padding={0|1}, dilation={1|2}, "
    "ceil_mode={True|False}) <- randn(2, 3, 7)",
    "nn.MaxPool2d({2|(3, 2)}, stride={None|1|2}, padding={0|1}, ceil_mode={True|False}) <- "
    "randn(2, 5, 6)",
    "nn.AvgPool2d({2|3}, stride={None|1}, padding={0|1}, ceil_mode={True|False}, "
    "count_include_pad={True|False}, divisor_override={None|5}) <- randn(2, 2, 5, 6)",
    "nn.Adaptive{Max|Avg}Pool2d({1|3|(2, 5)|(None, 3)}) <- randn(2, 2, 4, 6)",
    "nn.LPPool1d({1|2|3.0|2.5}, {2|3}, stride={None|1}, ceil_mode={True|False}) <- rand(2, 2, 6)",
    "Unpool() <- randn(2, 2, 4, 6)",
    "nn.Unfold({2|(2, 3)}, dilation={1|2}, padding={0|1}, stride={1|2}) <- randn(2, 2, 5, 6)",
    "nn.Pixel{Shuffle|Unshuffle}(2) <- randn(2, 8, 4, 6)",
    "Call(lambda x: F.interpolate(x, {size=(3, 9)|scale_factor=0.6|scale_factor=1.7}, "
    "mode='{nearest|bilinear|bicubic|nearest-exact|area}')) <- randn(1, 2, 4, 5)",
    "Call(lambda x: F.interpolate(x, {size=(3, 9)|scale_factor=(0.6, 2)}, "
    "mode='{bilinear|bicubic}', align_corners={True|False}, antialias={True|False})) <- randn(1, "
    "2, 4, 5)",
    "Call(lambda x, g=randn(2, 2, 3, 2): F.grid_sample(x, g, '{bilinear|nearest|bicubic}', "
    "'{zeros|border|reflection}', {True|False})) <- randn(2, 2, 4, 5)",
    "Call(lambda x: F.pad(x, [{-1|0|2}, {0|1}, {-1|1}, 2], "
    "'{constant|reflect|replicate|circular}')) <- randn(2, 2, 4, 5)",
)  # fmt: skip
NORMS = (
    "nn.BatchNorm{1d|1d}(4, momentum={0.1|None}, affine={True|False}, "
    "track_running_stats={True|False}){|.eval()} <- randn({2|3}, 4{|, 3})",
    "nn.InstanceNorm2d(2, affine={True|False}, track_running_stats={True|False}) <- randn(2, 2, "
    "3, 4)",
    "nn.GroupNorm({1|2|4}, 4, affine={True|False}) <- randn(2, 4{|, 3})",
    "nn.{LayerNorm|RMSNorm}({[4]|[3, 4]}, elementwise_affine={True|False}) <- randn(2, 3, 4)",
    "nn.LocalResponseNorm({1|2|5}, alpha={1e-4|0.5}, k={1.0|2.0}) <- randn(2, 3, 4)",
    "Call(lambda x: F.normalize(x, p={1.0|2.0|3.0}, dim={0|1}, eps={1e-12|2.0})) <- randn(3, 4)",
)  # fmt: skip
SEQUENCES = (
    "Joined(nn.{LSTM|GRU|RNN}(3, 4, num_layers={1|2}, bias={True|False}, "
    "batch_first={True|False}, bidirectional={True|False})) <- randn({4, 2|1, 2|5|2, 0}, 3)",
    "Joined(nn.LSTM(3, 4, proj_size=2)) <- randn(4, 2, 3)",
    "Attend(nn.MultiheadAttention(4, {1|2|4}, bias={True|False}, add_bias_kv={True|False}, "
    "add_zero_attn={True|False}), need_weights={True|False}) <- randn({3, 2|5}, 4)",
    "nn.TransformerEncoderLayer(4, 2, 6, dropout=0.0, activation={F.relu|F.gelu|torch.tanh}, "
    "norm_first={True|False}, bias={True|False}){|.eval()} <- randn(3, 2, 4)",
    "Call(lambda x, k=randn(2, {2|4}, 5, 3): F.scaled_dot_product_attention(x, k, k * 2, "
    "is_causal={True|False}, scale={None|0.3}, enable_gqa=True)) <- randn(2, 4, 6, 3)",
    "Rows(nn.Embedding(7, 3, padding_idx={None|0|-1}, max_norm={None|1.0}, "
    "scale_grad_by_freq={True|False})) <- randn(4, 3)",
    "Rows(Bags(nn.EmbeddingBag(7, 3, mode='{sum|mean|max}', padding_idx={None|0}, "
    "include_last_offset={True|False}))) <- randn(4, 3)",
    "nn.{Linear(4, 3)|Linear(4, 3, bias=False)} <- randn({2, 3|0|1}, 4)",
    "Twice(nn.Bilinear(4, 4, 3, bias={True|False})) <- randn(3, 4)",
)  # fmt: skip
LOSSES = (
    "Loss(nn.CrossEntropyLoss({None|rand(3) + 0.5}, ignore_index={-100|1}, reduction={R}, "
    "label_smoothing={0.0|0.7}), torch.tensor([0, 1, 2, 1])) <- randn(4, 3)",
    "Loss(nn.CrossEntropyLoss(reduction={R}, label_smoothing={0.0|0.2}), rand(4, 3)) <- randn(4, "
    "3)",
    "Loss(nn.CrossEntropyLoss(ignore_index=1, reduction={R}), torch.tensor([[0, 1], [1, 1]])) <- "
    "randn(2, 3, 2)",
    "Loss(nn.NLLLoss({None|rand(3)}, ignore_index={-100|0}, reduction={R}), torch.tensor([0, 1, "
    "2])) <- randn(3, 3)",
    "Loss(nn.BCEWithLogitsLoss({None|rand(4)}, pos_weight={None|rand(4) * 3}, reduction={R}), "
    "rand(3, 4)) <- randn(3, 4)",
    "Loss(nn.BCELoss({None|rand(4)}, reduction={R}), rand(3, 4)) <- rand(3, 4)",
    "Loss(nn.SmoothL1Loss(reduction={R}, beta={0.0|0.5|2.0}), randn(3, 4)) <- randn(3, 4)",
    "Loss(nn.HuberLoss(reduction={R}, delta={0.5|2.0}), randn(3, 4)) <- randn(3, 4)",
    "Loss(nn.KLDivLoss(reduction={R}), rand(3, 4)) <- randn(3, 4)",
    "Loss(nn.PoissonNLLLoss({True|False}, {True|False}, reduction={R}), rand(3, 4) * 3) <- "
    "rand(3, 4)",
    "Loss(nn.GaussianNLLLoss(full={True|False}, reduction={R}), randn(3, 4), rand(3, {1|4}) + "
    "0.1) <- randn(3, 4)",
    "Loss(nn.MultiMarginLoss({1|2}, {1.0|0.3}, {None|rand(4)}, reduction={R}), torch.tensor([0, "
    "3, 1])) <- randn(3, 4)",
    "Loss(nn.MultiLabelMarginLoss(reduction={R}), torch.tensor([[0, 2, -1, 1], [3, -1, 0, 0]])) "
    "<- randn(2, 4)",
    "Loss(nn.CosineEmbeddingLoss({0.0|0.3}, reduction={R}), randn(3, 4), torch.tensor([1, -1, "
    "1])) <- randn(3, 4)",
    "Loss(nn.TripletMarginLoss({1.0|0.2}, {1.0|2.0|3.0}, swap={True|False}, reduction={R}), "
    "randn(3, 4), randn(3, 4)) <- randn(3, 4)",
    "Loss(nn.CTCLoss({0|1}, {R}, {True|False}), torch.tensor([[2, 3], [3, 3]]), torch.tensor([6, "
    "5]), torch.tensor([2, 1])) <- randn(6, 2, 4)",
    "Call(lambda x, y=randn({1, 4|3, 4|3, 1}): F.cosine_similarity(x, y, {0|1|-1}, {1e-8|0.5})) "
    "<- randn(3, 4)",
    "Call(lambda x, y=randn(2, 5, 4): torch.cdist(x, y, {1.0|2.0|3.0|math.inf|0.5})) <- randn(2, "
    "3, 4)",
)  # fmt: skip
ACTIVATIONS = (
    "nn.{CELU(0.5)|ELU(0.5)|GELU('tanh')|GELU()|GLU(1)|Hardshrink(0.0)|Hardsigmoid()|"
    "Hardswish()} <- {X}",
    "nn.{Hardtanh(-2, 0.5)|LeakyReLU(-0.5)|LogSigmoid()|LogSoftmax(0)|Mish()|PReLU(4)|ReLU6()} "
    "<- {X}",
    "nn.{SELU()|SiLU()|Softmax(1)|Softmin(0)|Softplus(3.0, 0.5)|Softshrink(0.1)|Softsign()} <- "
    "{X}",
    "nn.{Tanhshrink()|Threshold(0.1, 20.0)|RReLU(0.2, 0.2)|Softmax(-1)} <- {X}",
)  # fmt: skip
WORDS = {"{R}": "'{mean|sum|none}'", "{X}": "randn({2, 4|3, 4, 2|0, 4})"}
PRELUDE = """import math
nn, F = torch.nn, torch.nn.functional
randn, rand = torch.randn, torch.rand
class Call(nn.Module):
    def __init__(self, function, *rest, **named):
        super().__init__()
        self.function, self.rest, self.named = function, rest, named
    def forward(self, x):
        return self.function(x)
class Twice(Call):
    def forward(self, x):
        return self.function(x, x * 2)
class Loss(Call):
    def forward(self, x):
        if isinstance(self.function, (nn.NLLLoss, nn.KLDivLoss, nn.CTCLoss)):
            x = x.log_softmax(-1)
        return self.function(x, *self.rest)
class Joined(Call):
    def forward(self, x):
        y, h = self.function(x)
        return torch.cat([y.flatten(), *(t.flatten() for t in (h if type(h) is tuple else (h,)))])
class Attend(Call):
    def forward(self, x):
        y, weights = self.function(x, x * 2, x + 1, **self.named)
        return y if weights is None else torch.cat([y.flatten(), weights.flatten()])
class Rows(Call):
    def forward(self, x):
        return self.function(torch.tensor([1, 0, 6, 1])) + x
class Bags(Call):
    def forward(self, x):
        last = [8] if self.function.include_last_offset else []
        return self.function(torch.cat([x, x]), torch.tensor([0, 2, 2, 5] + last))
class Unpool(nn.Module):
    def forward(self, x):
        y, places = F.max_pool2d(x, 2, return_indices=True)
        return F.max_unpool2d(y, places, 2)"""
CALLS = (
    "y = f(x)\nshow(y)\nloss = (y * y.detach().cos()).sum()\n"
    "show(lambda: torch.autograd.grad(loss, [x, *layer.parameters()], allow_unused=True))",
    "show([f(x * 1.5), f(x - 0.5), f(x.detach()), f(x)])\nshow([*layer.buffers()])",
    "y = f(x)\ng, = torch.autograd.grad(y.sum() + (y * y).sum(), x, create_graph=True)\n"
    "show(lambda: torch.autograd.grad((g * g).sum(), [x, *layer.parameters()], allow_unused=True, "
    "materialize_grads=True))",
    "show(lambda: torch.func.jvp(f, (x.detach(),), (x.detach().cos(),)))",
    "both = torch.stack([x.detach(), x.detach() * 0.5])\nshow(lambda: torch.func.vmap(f)(both))",
    "layer.train(not layer.training)\nshow(f(x))",
)
# Where PyTorch has no rule.
UNABLE = "not implemented|not support|in-place arith|atching rule|vmap:|derivative for|forward AD"


def generate(seed: int) -> Script:
    rng = random.Random(f"layers {seed}")
    line = rng.choice(rng.choice([SPATIAL, NORMS, SEQUENCES, LOSSES, ACTIVATIONS]))
    for word, meaning in WORDS.items():
        line = line.replace(word, meaning)
    line = re.sub(r"\{([^{}]*)\}", lambda m: rng.choice(m[1].split("|")), line)
    made, source = line.split(" <- ")
    laid = rng.choice(["x", "x", "x.transpose(0, -1).contiguous().transpose(0, -1)"])
    chunks = [
        f"torch.set_default_dtype(torch.float64)\ntorch.manual_seed({seed % 997})", PRELUDE,
        f"layer = {made}", f"x = {source}\nx = {laid}.detach().requires_grad_()",
        "f = compiled(lambda x: layer(x))", *CALLS[:2],
    ]  # fmt: skip
    return Script("layers", seed, (*chunks, *(c for c in CALLS[2:] if rng.random() < 0.3)))


def check(script: Script, torch: Any = chainrule, *, oracle: Any = None, **ways: Any) -> str:
    """Eager code must do as PyTorch does, and compiled code as eager code."""
    want = run(script, torch, lambda f: f)
    if oracle is not None:
        theirs = run(script, oracle, lambda f: f)
        pairs = [(a, b) for a, b in zip(want, theirs, strict=False) if not _leaves_alone(a, b)]
        compare("PyTorch", [a for a, _ in pairs], [b for _, b in pairs], 1e-7, 1e-8)
    with code_generation(script.seed % 3 == 0):
        got = run(script, torch, torch.compile)
    compare("compiled", got, want, 1e-6, 1e-7)
    return "ok"


def _leaves_alone(ours: Any, theirs: Any) -> bool:
    """Whether both raise, or PyTorch has no rule: errors have a family of samples elsewhere."""
    raises = isinstance(theirs, Raised)
    return raises and (isinstance(ours, Raised) or bool(re.search(UNABLE, theirs.words)))


def run(script: Script, torch: Any, compiled: Any) -> list[Any]:
    """What the program shows with its layer wrapped in this way."""
    default = torch.get_default_dtype()
    try:
        return shown(script, {"torch": torch, "compiled": compiled}, _flags)
    finally:
        torch.set_default_dtype(default)


def _flags(tensor: Any) -> tuple[Any, ...]:
    return (tensor.requires_grad,)
