"""Programs whose operations are counted here and by PyTorch (tools/record/record_flops.py)."""


def cases(torch):
    """Name -> function of no arguments; the same with chainrule and with PyTorch."""
    nn = torch.nn

    def r(*shape):
        return torch.ones(*shape, requires_grad=True)

    def linear(bias, grad):
        layer = nn.Linear(10, 5, bias=bias)
        return lambda: layer(torch.ones(4, 10, requires_grad=grad)).sum().backward()

    def convolution(kind, groups, grad, backward=True, bias=True):
        layer = kind(4, 6, 3, groups=groups, stride=2, padding=1, bias=bias)

        def run():
            result = layer(torch.ones(2, 4, 9, 9, requires_grad=grad))
            if backward:
                result.sum().backward()

        return run

    def model():
        layers = nn.Sequential(nn.Linear(10, 20), nn.ReLU(), nn.Linear(20, 5))
        return lambda: layers(torch.ones(4, 10)).sum().backward()

    def twice():
        w = r(3, 3)
        (g,) = torch.autograd.grad((w @ w).sin().sum(), w, create_graph=True)
        torch.autograd.grad((g * g).sum(), w)

    encoder = nn.TransformerEncoderLayer(16, 2, 32, batch_first=True)
    attention = nn.MultiheadAttention(16, 2)
    x = torch.ones(5, 2, 16)
    return {
        "mm": lambda: r(3, 4).mm(r(4, 5)).sum().backward(),
        "mm, one gradient": lambda: r(3, 4).mm(torch.ones(4, 5)).sum().backward(),
        "mm, the other gradient": lambda: torch.ones(3, 4).mm(r(4, 5)).sum().backward(),
        "mm, forward": lambda: torch.ones(3, 4).mm(torch.ones(4, 5)),
        "addmm": lambda: torch.addmm(r(3, 5), r(3, 4), r(4, 5)).sum().backward(),
        "bmm": lambda: torch.bmm(r(2, 3, 4), r(2, 4, 5)).sum().backward(),
        "baddbmm": lambda: torch.baddbmm(r(2, 3, 5), r(2, 3, 4), r(2, 4, 5)).sum().backward(),
        "matmul, folded": lambda: (r(2, 3, 4) @ r(4, 5)).sum().backward(),
        "matmul, broadcast": lambda: (r(2, 1, 3, 4) @ r(5, 4, 6)).sum().backward(),
        "mv": lambda: (r(3, 4) @ r(4)).sum().backward(),
        "einsum": lambda: torch.einsum("bij,bjk->bik", r(2, 3, 4), r(2, 4, 5)).sum().backward(),
        "elementwise": lambda: (r(3) * r(3) + r(3)).exp().sum().backward(),
        "linear": linear(True, False),
        "linear, no bias, input": linear(False, True),
        "conv": convolution(nn.Conv2d, 1, True),
        "conv, no input gradient": convolution(nn.Conv2d, 1, False),
        "conv, forward": convolution(nn.Conv2d, 1, False, backward=False),
        "conv, groups, no bias": convolution(nn.Conv2d, 2, True, bias=False),
        "transposed conv": convolution(nn.ConvTranspose2d, 1, True),
        "transposed conv, groups": convolution(nn.ConvTranspose2d, 2, False),
        "model": model(),
        "second derivative": twice,
        "transformed": lambda: torch.func.grad(lambda a: (a @ a.T).sin().sum())(torch.ones(4, 3)),
        "encoder": lambda: encoder(torch.ones(2, 5, 16)).sum().backward(),
        "attention with weights": lambda: attention(x, x, x)[0].sum().backward(),
    }
