"""Gradients of gradients through compiled functions equal those of the functions themselves."""

import numpy as np
import pytest

import chainrule as torch

nn = torch.nn
pytestmark = pytest.mark.jit


class Noisy(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        return self.head((x + torch.randn_like(x) * 0.1).exp() + torch.normal(x.tanh(), 1.0))


class Writing(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(4, 1)

    def forward(self, x):
        h = x.sin()
        h[:, 1:3] *= 2
        h[0] = x[0].exp()
        return self.head(h)


def dense(*between):
    return nn.Sequential(nn.Linear(4, 8), *between, nn.Linear(8, 1))


MODELS = {
    "tanh": lambda: dense(nn.Tanh()),
    "dropout": lambda: dense(nn.SiLU(), nn.Dropout(0.3)),
    "batch norm": lambda: dense(nn.BatchNorm1d(8), nn.Tanh()),
    "layer norm": lambda: dense(nn.LayerNorm(8), nn.GELU()),
    "noise": Noisy,
    "writes": Writing,
}


def penalised(make, wrap):
    """Training with a gradient penalty: losses, and what a hook saw."""
    torch.manual_seed(0)
    model = make()
    run = wrap(model)
    optimizer = torch.optim.Adam(model.parameters(), 1e-2)
    losses, seen = [], []
    for _ in range(8):
        x = torch.randn(5, 4, requires_grad=True)
        h = x * 2
        h.register_hook(lambda g: seen.append(g.norm().item()))
        d = run(h)
        (g,) = torch.autograd.grad(d.sum(), x, create_graph=True)
        loss = d.mean() + 10 * ((g.norm(2, dim=1) - 1) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses, seen, torch.get_rng_state().tolist()


@pytest.mark.parametrize("name", MODELS)
def test_a_gradient_penalty(name):
    make = MODELS[name]
    losses, seen, stream = penalised(make, lambda m: torch.compile(m, fullgraph=True))
    want, want_seen, want_stream = penalised(make, lambda m: m)
    np.testing.assert_allclose(losses, want, rtol=1e-5)
    np.testing.assert_allclose(seen, want_seen, rtol=1e-4)  # once per pass, outside
    assert stream == want_stream and len(seen) == 16


def compiled(function, *args):
    run = torch.compile(function, fullgraph=True)
    for _ in range(4):
        out = run(*args)
    return run, out


def test_the_third_derivative_and_numbers_that_changed_since():
    rate = {"k": 1.0}
    run = torch.compile(lambda x: (x**4 * rate["k"]).sum(), fullgraph=True)
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    for k in range(6):
        rate["k"] = float(k)
        out = run(x)
    rate["k"] = 100.0
    for want in ([20.0, 160.0], [60.0, 240.0], [120.0, 240.0]):
        (g,) = torch.autograd.grad(out, x, create_graph=True)
        np.testing.assert_allclose(g.detach(), want)
        out = g.sum()


def test_several_results_of_which_one_is_used():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    _, (_, b, c) = compiled(lambda x: (x**2, {"b": x**3}, x.detach() * 2), x)
    assert not c.requires_grad
    (g,) = torch.autograd.grad(b["b"].sum(), x, create_graph=True)
    g.sum().backward()
    assert x.grad.tolist() == [6.0, 12.0]


def test_batches_of_gradients():
    x = torch.tensor([1.0, 2.0], requires_grad=True)
    _, out = compiled(lambda x: x**3, x)
    rows = torch.eye(2)
    (jacobian,) = torch.autograd.grad(out, x, rows, is_grads_batched=True)
    assert jacobian.tolist() == [[3.0, 0.0], [0.0, 12.0]]


def test_what_was_changed_or_freed_is_an_error():
    w = torch.tensor([1.0, 2.0], requires_grad=True)
    x = torch.ones(2, requires_grad=True)
    run, out = compiled(lambda x: (w + x).exp().sum(), x)
    with torch.no_grad():
        w.add_(1)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        torch.autograd.grad(out, w, create_graph=True)
    out = run(x)
    out.backward()
    with pytest.raises(RuntimeError, match="backward through the graph a second time"):
        torch.autograd.grad(out, w, create_graph=True)


def test_what_the_call_overwrites_is_kept():
    def program(wrap):
        state = torch.ones(2)

        def f(x):
            y = (x + state).sin().sum()
            state.add_(1)
            return y

        run, found = wrap(f), []
        x = torch.ones(2, requires_grad=True)
        for _ in range(5):
            (g,) = torch.autograd.grad(run(x), x, create_graph=True)
            found += torch.autograd.grad(g.sum(), x)[0].tolist()
        return found

    have, want = program(lambda f: torch.compile(f, fullgraph=True)), program(lambda f: f)
    np.testing.assert_allclose(have, want, rtol=1e-6)


def _without_history(x):
    with torch.no_grad():
        s = x.sin()
    return x * s


PARTLY_FOLLOWED = {
    "detached": lambda x: x * x.detach(),
    "detached result": lambda x: (x * 2) * (x * 2).detach(),
    "no_grad": _without_history,
    "detached view": lambda x: x[1:] * x.detach()[1:],
    "clamped norm": lambda x: torch.cosine_similarity(x, torch.tensor([1.0, 2.0, 3.0]), 0, 5.0),
}


@pytest.mark.parametrize("name", PARTLY_FOLLOWED)
def test_what_has_no_history_inside_has_none_in_gradients_of_gradients(name):
    function = PARTLY_FOLLOWED[name]

    def both(run):
        x = torch.tensor([0.3, 0.4, 0.5], requires_grad=True)
        first = torch.autograd.grad((run(x) ** 2).sum(), x, create_graph=True)[0]
        return first, torch.autograd.grad((first**2).sum(), x)[0]

    run = torch.compile(function)
    want = both(function)
    for _ in range(5):
        assert all(torch.allclose(a, b) for a, b in zip(both(run), want, strict=True))


def test_gradients_of_a_silent_write_are_not_differentiated():
    @torch.compile
    def run(x):
        y = x * 2
        with torch.no_grad():
            y.clamp_(min=1.0)
        return x * y

    for k in range(5):
        x = torch.tensor([0.3, 0.4, 0.7], requires_grad=True)
        y = run(x).sum()
        if k > 2:
            with pytest.raises(RuntimeError, match="cannot be differentiated"):
                torch.autograd.grad(y, x, create_graph=True)
        else:
            torch.autograd.grad(y, x)


@pytest.mark.parametrize("eps", (1e-8, 0.9, 5.0))  # below all lengths, between them, above
def test_compiled_similarities_have_second_derivatives(eps):
    x = torch.tensor([[0.3, 0.4, -0.2], [2.0, 1.0, 0.5]], dtype=torch.float64, requires_grad=True)
    y = torch.tensor([1.0, -0.5, 0.7], dtype=torch.float64)

    def similarity(x):
        return torch.nn.functional.cosine_similarity(x, y, dim=-1, eps=eps)

    def second(f):
        (g,) = torch.autograd.grad(f(x).square().sum(), x, create_graph=True)
        return torch.autograd.grad(g.square().sum(), x)[0]

    want, compiled = second(similarity), torch.compile(similarity)
    for _ in range(5):
        torch.testing.assert_close(second(compiled), want)
