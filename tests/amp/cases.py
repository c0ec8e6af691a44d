"""Expressions evaluated under autocast; the type of each result was recorded with PyTorch.

`a`, `b`, `c` are 4x4 matrices, `p` a positive definite one, `x`, `y` batches of three of them,
`v` a vector, `s` positive, `i`/`t` integers. In a case they are all float32 ("full"), all of
autocast's type ("low"), or `a`, `x`, `v`, `image` of autocast's type and the others float32
("mixed").
"""

EXPRESSIONS = """
a @ b | a @ v | v @ v | x @ y | x @ a | torch.matmul(a, b) | torch.mm(a, b) | a.mm(b)
torch.bmm(x, y) | torch.addmm(c, a, b) | torch.addbmm(c, x, y) | torch.baddbmm(y, x, y)
torch.mv(a, v) | torch.addmv(v, a, v) | torch.dot(v, v) | torch.outer(v, v) | torch.addr(a, v, v)
torch.einsum('ij,jk->ik', a, b) | torch.einsum('bij,bjk->bik', x, y) | torch.einsum('ij->ji', a)
torch.einsum('ij,ij->ij', a, b) | torch.einsum('ij,ij', a, b) | torch.einsum('i,j', v, v)
torch.tensordot(a, b, 1) | torch.chain_matmul(a, b, c) | torch.linalg.multi_dot([a, b, c])
torch.linalg.vecdot(a, b) | torch.inner(a, b) | torch.kron(a, b) | torch.linalg.matrix_power(a, 2)
torch.matrix_exp(a) | F.linear(a, b) | F.linear(a, b, v) | F.bilinear(a, b, x) | F.embedding(i, a)
F.conv1d(x, y) | F.conv2d(image, kernel) | F.conv_transpose1d(x, y)
F.conv_transpose2d(image, kernel) | F.prelu(a, s[0, :1]) | F.scaled_dot_product_attention(x, y, y)
F.layer_norm(a, (4,)) | F.layer_norm(a, (4,), v, v) | F.group_norm(image, 1)
F.batch_norm(a, v * 0, v * 0 + 1) | F.rms_norm(a, (4,)) | F.softmax(a, -1) | F.log_softmax(a, -1)
F.gelu(a) | F.relu(a) | F.silu(a) | F.dropout(a, 0.5) | F.normalize(a) | F.cosine_similarity(a, b)
F.pairwise_distance(a, b) | F.mse_loss(a, b) | F.l1_loss(a, b) | F.smooth_l1_loss(a, b)
F.huber_loss(a, b) | F.cross_entropy(a, t) | F.nll_loss(a, t) | F.binary_cross_entropy(s, s)
F.binary_cross_entropy_with_logits(a, s) | F.kl_div(a, s) | F.poisson_nll_loss(a, s)
F.hinge_embedding_loss(a, signs) | F.margin_ranking_loss(v, v, signs[0])
F.cosine_embedding_loss(a, b, signs[0]) | F.triplet_margin_loss(a, b, c)
F.multi_margin_loss(a, t) | F.multilabel_margin_loss(a, i) | F.soft_margin_loss(a, signs)
F.gaussian_nll_loss(a, b, s) | F.max_pool2d(image, 2) | F.avg_pool2d(image, 2)
F.avg_pool3d(image[None], 2) | F.max_pool3d(image[None], 2) | F.adaptive_avg_pool2d(image, 1)
F.adaptive_avg_pool3d(image[None], 1) | F.interpolate(image, scale_factor=2)
F.interpolate(image, scale_factor=2, mode='bilinear') | F.pad(a, (1, 1))
F.pad(x, (1, 1), mode='reflect') | F.pad(x, (1, 1), mode='replicate')
F.pad(image, (1, 1), mode='circular') | F.grid_sample(image, grid) | F.unfold(image, 2)
torch.cdist(a, b) | torch.norm(a) | torch.linalg.norm(a) | torch.linalg.vector_norm(a)
torch.dist(a, b) | torch.cat([a, b]) | torch.stack([a, b]) | torch.hstack([a, b])
torch.where(a > 0, a, b) | torch.index_copy(a, 0, i[0], b) | torch.prod(s) | torch.prod(s, 0)
torch.trace(a) | torch.sum(a) | torch.mean(a) | torch.cumsum(a, 0) | torch.var(a)
torch.logsumexp(a, 0) | torch.quantile(v, 0.5) | torch.exp(a) | torch.log(s) | torch.pow(s, 2)
torch.pow(s, s) | torch.rsqrt(s) | torch.tanh(a) | torch.sigmoid(a) | torch.erfinv(a)
torch.acos(a) | torch.tan(a) | torch.softmax(a, 0) | a + b | a * b | a / b | a - v | a > b
torch.addcmul(a, b, c) | torch.lerp(a, b, 0.5) | a.float() @ b | a.sum() + 1 | torch.fft.fft(v)
torch.fft.rfft(v) | torch.fft.irfft(v) | torch.polar(s, s) | torch.linalg.inv(p)
torch.inverse(p) | torch.linalg.solve(p, b) | torch.linalg.cholesky(p) | torch.linalg.qr(p)[0]
torch.linalg.svd(p)[1] | torch.linalg.svdvals(p) | torch.linalg.eigvalsh(p)
torch.linalg.eigh(p)[0] | torch.linalg.eigvals(p) | torch.linalg.cond(p) | torch.pinverse(p)
torch.linalg.matrix_rank(p) | torch.linalg.lstsq(p, b)[0] | torch.linalg.householder_product(a, v)
torch.cholesky_inverse(p) | torch.cholesky_solve(b, p) | torch.linalg.inv_ex(p)[0]
torch.linalg.tensorinv(p.reshape(4, 2, 2), 1) | torch.linalg.tensorsolve(p, v)
a.double() @ b.double() | torch.cat([a.double(), b]) | a.half() @ b | i @ i
torch.cat([a.half(), b.half()]) | torch.cat([a.bfloat16(), b.bfloat16()]) | torch.cat([i, a])
torch.nn.Linear(4, 2)(a) | torch.nn.Conv1d(4, 2, 1)(x) | torch.nn.LayerNorm(4)(a)
torch.nn.BatchNorm1d(4)(a) | torch.nn.Embedding(4, 2)(i) | torch.nn.GroupNorm(2, 4)(x)
torch.nn.RMSNorm(4)(a)
"""

KINDS = ("full", "low", "mixed")
LOWER = ("bfloat16", "float16")


def all_cases():
    """(expression, kind, autocast's type)"""
    parts = [e.strip() for line in EXPRESSIONS.strip().splitlines() for e in line.split(" | ")]
    return [(e, k, d) for e in parts for k in KINDS for d in LOWER]


def names(torch, kind, low):
    """The variables of the expressions."""
    low = getattr(torch, low)
    first = torch.float32 if kind == "full" else low
    rest = low if kind == "low" else torch.float32
    base = torch.linspace(-0.8, 0.8, 16).reshape(4, 4)
    symmetric = base @ base.T + torch.eye(4)
    made = {
        "a": base.to(first), "b": base.T.contiguous().to(rest), "c": base.flip(0).to(rest),
        "p": symmetric.to(first), "v": torch.linspace(-0.5, 0.7, 4).to(first),
        "s": (base.abs() + 0.1).to(rest),
        "x": torch.linspace(-1, 1, 64).reshape(4, 4, 4).to(first),
        "y": torch.linspace(1, -1, 64).reshape(4, 4, 4).to(rest),
        "image": torch.linspace(-1, 1, 32).reshape(1, 2, 4, 4).to(first),
        "kernel": torch.linspace(-1, 1, 16).reshape(2, 2, 2, 2).to(rest),
        "grid": torch.zeros(1, 2, 2, 2).to(rest), "signs": torch.ones(4, 4).to(rest),
        "i": torch.arange(16).reshape(4, 4) % 4, "t": torch.arange(4),
    }  # fmt: skip
    return {**made, "torch": torch, "F": torch.nn.functional}


def outcome(torch, expression, kind, low):
    """The type of the result, or the name of the error."""
    torch.manual_seed(0)
    given = names(torch, kind, low)
    with torch.autocast("cpu", dtype=getattr(torch, low)):
        try:
            return str(eval(expression, given).dtype).split(".")[-1]
        except Exception as problem:
            return type(problem).__name__
