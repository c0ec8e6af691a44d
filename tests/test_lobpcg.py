"""torch.lobpcg against dense eigenpairs and SciPy's function of the same name."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.autograd import gradcheck, gradgradcheck


def definite(m, *lead, seed=0):
    a = np.random.default_rng(seed).standard_normal((*lead, m, m))
    return torch.tensor(a @ np.swapaxes(a, -1, -2) / m + np.eye(m) * 0.5)


@pytest.mark.parametrize("method", ["ortho", "basic"])
@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("general", [False, True], ids=["alone", "with B"])
def test_pairs_are_those_of_dense_functions(method, largest, general):
    from scipy.linalg import eigh

    torch.manual_seed(0)
    A, B = definite(30), definite(30, seed=1) if general else None
    E, X = torch.lobpcg(A, k=3, B=B, largest=largest, method=method)
    values = eigh(A.numpy(), None if B is None else B.numpy())[0]
    assert np.allclose(E, values[::-1][:3] if largest else values[:3])
    image = X if B is None else B @ X
    assert torch.allclose(X.mT @ image, torch.eye(3, dtype=X.dtype))
    assert torch.allclose(A @ X, image * E, atol=1e-6)


def test_as_many_steps_as_scipy():
    from scipy.sparse.linalg import lobpcg

    A = torch.diag(torch.arange(1.0, 101.0, dtype=torch.float64))
    X = torch.tensor(np.random.default_rng(0).standard_normal((100, 2)))
    steps = []
    E, _ = torch.lobpcg(A, X=X, largest=False, tol=1e-10, tracker=lambda s: steps.append(s.E))
    expected, _, history = lobpcg(
        A.numpy(), X.numpy(), largest=False, tol=1e-8, maxiter=200, retResidualNormsHistory=True
    )
    assert np.allclose(E, np.sort(expected))
    assert len(steps) < 1.3 * len(history) + 5


def test_a_preconditioner_saves_steps():
    diagonal = torch.arange(1.0, 61.0, dtype=torch.float64) ** 2
    A, X = torch.diag(diagonal), torch.ones(60, 1, dtype=torch.float64)
    counts = []
    for iK in (None, torch.diag(1 / diagonal)):
        seen = []
        E, _ = torch.lobpcg(A, X=X, iK=iK, largest=False, tracker=seen.append)
        assert torch.allclose(E, torch.ones_like(E))
        counts.append(len(seen))
    assert counts[1] < counts[0] / 4


def test_float32_complex_sparse_and_batches():
    torch.manual_seed(0)
    A = definite(12, 2, 3)
    E, X = torch.lobpcg(A, k=2)
    assert E.shape == (2, 3, 2) and X.shape == (2, 3, 12, 2)
    assert torch.allclose(E, torch.linalg.eigvalsh(A).flip(-1)[..., :2])
    single = torch.lobpcg(A[0, 0].float(), k=2)[0]
    assert single.dtype is torch.float32 and torch.allclose(single.double(), E[0, 0], atol=1e-4)
    H = A[0, 0] + 1j * (A[0, 1].triu(1) - A[0, 1].triu(1).mT)
    assert torch.allclose(torch.lobpcg(H, k=2)[0], torch.linalg.eigvalsh(H).flip(-1)[:2])
    assert torch.allclose(torch.lobpcg(A[0, 0].to_sparse(), k=2)[0], E[0, 0])


def test_more_columns_than_pairs_and_where_the_defaults_come_from():
    A = definite(12)
    assert torch.lobpcg(A)[0].shape == (1,)
    assert torch.lobpcg(A, X=torch.ones(12, 3, dtype=A.dtype).tril())[0].shape == (3,)
    E, X = torch.lobpcg(A, k=2, n=4)
    assert E.shape == (2,) and X.shape == (12, 2)


def test_a_tracker_sees_the_state_and_stops_the_iteration():
    torch.manual_seed(0)
    seen = []

    def tracker(state):
        assert torch.allclose(state.R, state.A @ state.X - state.X * state.E)
        assert state.iparams["k"] == 2 and state.bparams["largest"]
        seen.append((state.ivars["istep"], float(state.tvars["rerr"].max())))
        state.bvars["force_stop"] = state.ivars["istep"] == 4

    torch.lobpcg(definite(40), k=2, tracker=tracker)
    assert [step for step, _ in seen] == [0, 1, 2, 3, 4]
    assert seen[-1][1] < seen[0][1]
    steps = []
    torch.lobpcg(definite(40), k=2, niter=3, tracker=lambda s: steps.append(s.ivars["istep"]))
    assert steps[-1] == 3


@pytest.mark.parametrize("general", [False, True], ids=["alone", "with B"])
def test_derivatives_of_both_matrices(general):
    def pairs(A, B=None):
        start = torch.eye(4, 1, dtype=torch.float64)
        A, B = A + A.mT, None if B is None else B + B.mT
        E, X = torch.lobpcg(A, B=B, X=start)
        return E, X * X.gather(0, X.abs().argmax(0, keepdim=True)).sign()

    given = tuple(definite(4, seed=k).requires_grad_() for k in range(1 + general))
    assert gradcheck(pairs, given, check_forward_ad=True)
    assert gradgradcheck(pairs, given, atol=1e-4)


def test_the_gradient_is_symmetric():
    A = definite(9).requires_grad_()
    E, X = torch.lobpcg(A, k=2)
    (E.sum() + (X**3).sum()).backward()
    assert torch.equal(A.grad, A.grad.mT)


@pytest.mark.parametrize(
    ("arguments", "error", "phrase"),
    [
        ({"A": torch.ones(3, 4)}, RuntimeError, "A must be square"),
        ({"A": torch.eye(5), "k": 2}, ValueError, "not applicable when the number of A rows"),
        ({"A": torch.eye(9), "k": 0}, ValueError, "k must be between"),
        ({"A": torch.eye(9), "k": 2, "n": 1}, ValueError, "k must be between"),
        ({"A": torch.eye(9), "X": torch.ones(9, 1).double()}, RuntimeError, "same dtype"),
        ({"A": torch.eye(9), "X": torch.ones(8, 1)}, RuntimeError, "a row for each row"),
        ({"A": torch.eye(9), "B": torch.eye(8)}, RuntimeError, "the shape of A"),
        ({"A": torch.eye(9).half()}, RuntimeError, "float32, float64 or complex"),
        ({"A": torch.eye(9), "method": "other"}, ValueError, "method must be one of"),
    ],
)
def test_wrong_arguments(arguments, error, phrase):
    with pytest.raises(error, match=phrase):
        torch.lobpcg(**arguments)


def test_complex_matrices_have_no_gradients():
    A = torch.diag(torch.arange(1.0, 7.0)).to(torch.complex64).requires_grad_()
    with pytest.raises(ValueError, match="does not support complex input"):
        torch.lobpcg(A, k=1)[0].sum().backward()
