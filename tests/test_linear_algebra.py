"""Linear algebra beyond the op samples: degenerate matrices, phases, names, errors, third order."""

import numpy as np
import pytest

import chainrule as torch
from chainrule.autograd import grad


def t(data, **kwargs):
    return torch.tensor(data, dtype=torch.float64, **kwargs)


def random(*shape, seed=0, imaginary=False):
    r = np.random.RandomState(seed)
    x = r.standard_normal(shape)
    return torch.tensor(x + 1j * r.standard_normal(shape) if imaginary else x)


# ---- node names ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda a: a @ a, "MmBackward0"),
        (lambda a: a @ a[0], "MvBackward0"),
        (lambda a: a[0] @ a[0], "DotBackward0"),
        (lambda a: torch.bmm(a[None], a[None]), "BmmBackward0"),
        (lambda a: a.expand(2, 3, 3) @ a, "UnsafeViewBackward0"),
        (lambda a: torch.addmm(a[0], a, a), "AddmmBackward0"),
        (lambda a: torch.vdot(a[0], a[1]), "VdotBackward0"),
        (lambda a: torch.linalg.inv(a), "LinalgInvExBackward0"),
        (lambda a: torch.linalg.solve(a, a[0]), "LinalgSolveExBackward0"),
        (lambda a: torch.linalg.det(a), "LinalgDetBackward0"),
        (lambda a: torch.linalg.svdvals(a), "LinalgSvdBackward0"),
        (lambda a: torch.linalg.qr(a).Q, "LinalgQrBackward0"),
        (lambda a: torch.linalg.eigvalsh(a), "LinalgEighBackward0"),
        (lambda a: torch.linalg.vector_norm(a), "LinalgVectorNormBackward0"),
        (lambda a: torch.linalg.cholesky(a @ a.mT), "LinalgCholeskyExBackward0"),
        (lambda a: torch.trace(a), "TraceBackward0"),
        (lambda a: torch.fft.fft(a), "FftR2CBackward0"),
        (lambda a: torch.fft.irfft(a), "FftC2RBackward0"),
    ],
)
def test_nodes_have_the_names_of_pytorch(call, name):
    assert call(random(3, 3).requires_grad_()).grad_fn.name() == name


# ---- results -------------------------------------------------------------------------------------


def test_results_have_names_and_print_as_in_pytorch():
    result = torch.linalg.eigh(t([[2.0, 0.0], [0.0, 3.0]]))
    assert result.eigenvalues.tolist() == [2.0, 3.0]
    assert repr(result).startswith("torch.return_types.linalg_eigh(\neigenvalues=tensor([2., 3.]")
    assert torch.linalg.svd(t([[1.0, 0.0], [0.0, 2.0]])).S.tolist() == [2.0, 1.0]


def test_many_matrices_times_one_are_the_products_of_each():
    a, b = random(4, 5, 3), random(3, 2)
    each = torch.stack([m @ b for m in a])
    assert torch.allclose(a @ b, each)


def test_half_precision_is_rounded_once():
    a = torch.full((1, 4096), 0.1, dtype=torch.float16)
    exact = float(np.float16(0.1)) ** 2 * 4096
    assert abs((a @ a.T).item() - exact) <= 2**-10 * exact


# ---- degenerate matrices -------------------------------------------------------------------------


def test_equal_singular_values_and_eigenvalues_have_gradients():
    a = torch.eye(3, dtype=torch.float64).requires_grad_()
    for function in (torch.linalg.svdvals, torch.linalg.eigvalsh):
        assert torch.equal(grad(function(a).sum(), a)[0], torch.eye(3, dtype=torch.float64))
    norm = torch.linalg.matrix_norm(a, "nuc")
    assert torch.equal(grad(norm, a)[0], torch.eye(3, dtype=torch.float64))


def test_a_singular_matrix_has_first_and_second_derivatives_of_its_determinant():
    # ad - bc at a matrix of rank 1: gradient (d, -c; -b, a).
    a = t([[1.0, 2.0], [2.0, 4.0]], requires_grad=True)
    (g,) = grad(torch.linalg.det(a), a, create_graph=True)
    assert torch.allclose(g, t([[4.0, -2.0], [-2.0, 1.0]]))
    (h,) = grad((g * t([[1.0, 2.0], [3.0, 4.0]])).sum(), a)
    assert torch.allclose(h, t([[4.0, -3.0], [-2.0, 1.0]]))
    zero = torch.zeros(3, 3, dtype=torch.float64, requires_grad=True)
    assert grad(torch.linalg.det(zero), zero)[0].abs().sum() == 0


def test_the_determinant_has_a_third_derivative():
    # Along A + s B the determinant of 3x3 matrices is a cubic in s.
    a, b = random(3, 3, seed=1), random(3, 3, seed=2)
    s = t(0.3, requires_grad=True)
    value = torch.linalg.det(a + s * b)
    for _ in range(3):
        (value,) = grad(value, s, create_graph=True)
    assert abs(value.item() - 6 * torch.linalg.det(b).item()) < 1e-9


@pytest.mark.parametrize(
    ("function", "phrase"),
    [
        (lambda a: torch.linalg.svd(a).U, "svd_backward: The singular vectors in the complex case"),
        (lambda a: torch.linalg.eig(a).eigenvectors, "linalg_eig_backward: The eigenvectors in"),
        (lambda a: torch.linalg.eigh(a + a.mH).eigenvectors, "linalg_eigh_backward: The eigenvec"),
    ],
)
def test_a_loss_that_depends_on_a_phase_is_refused(function, phrase):
    a = random(3, 3, imaginary=True).requires_grad_()
    with pytest.raises(RuntimeError, match=phrase):
        function(a).real.sum().backward()
    function(a).abs().sum().backward()  # magnitudes do not depend on it
    assert torch.isfinite(a.grad.abs()).all()


# ---- errors --------------------------------------------------------------------------------------


def test_a_singular_matrix_is_a_linalg_error_that_names_the_line():
    with pytest.raises(torch.linalg.LinAlgError) as caught:
        torch.linalg.inv(torch.zeros(2, 2))  # this line
    assert "test_linear_algebra.py" in str(caught.value)
    assert "# this line" in str(caught.value)
    assert isinstance(caught.value, RuntimeError)


def test_the_ex_functions_say_where_instead_of_raising():
    singular = t([[1.0, 2.0], [2.0, 4.0]])
    inverse, info = torch.linalg.inv_ex(singular)
    assert info.item() == 2
    assert torch.isinf(inverse).all()
    _, info = torch.linalg.cholesky_ex(torch.stack([t([[1.0]]), t([[-1.0]])]))
    assert info.tolist() == [0, 1]
    assert info.dtype is torch.int32


@pytest.mark.parametrize(
    ("mode", "phrase"),
    [
        ("complete", "is not differentiable when mode='complete' and nrows > ncols"),
        ("r", "The derivative of linalg.qr depends on Q, which is not computed when mode='r'"),
    ],
)
def test_qr_refuses_modes_without_derivative(mode, phrase):
    a = random(4, 3).requires_grad_()
    with pytest.raises(RuntimeError, match=phrase):
        torch.linalg.qr(a, mode=mode).R.sum().backward()


def test_a_product_error_names_the_line_and_the_fix():
    with pytest.raises(RuntimeError) as caught:
        torch.ones(2, 3) @ torch.ones(4, 5)  # wrong shapes
    assert "mat1 and mat2 shapes cannot be multiplied (2x3 and 4x5)" in str(caught.value)
    assert "# wrong shapes" in str(caught.value)
    assert "Fix:" in str(caught.value)


# ---- batches and transforms ----------------------------------------------------------------------


def test_decompositions_batch_under_vmap():
    a = random(4, 3, 3)
    definite = a @ a.mT
    assert torch.allclose(
        torch.func.vmap(torch.linalg.cholesky)(definite), torch.linalg.cholesky(definite)
    )
    x = torch.func.vmap(torch.linalg.solve)(a, a[:, 0])
    assert torch.allclose((a @ x.unsqueeze(-1)).squeeze(-1), a[:, 0])


def test_per_example_gradients_of_a_matrix_product():
    w, xs = random(3, 2), random(5, 3)

    def loss(w, x):
        return (x @ w).square().sum()

    found = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0))(w, xs)
    for x, g in zip(xs, found, strict=True):
        assert torch.allclose(g, 2 * torch.outer(x, x @ w))


def test_the_hessian_of_a_quadratic_form_is_its_matrix():
    a = random(3, 3)
    form = torch.func.hessian(lambda x: 0.5 * (x @ (a + a.mT) @ x))
    assert torch.allclose(form(random(3)), a + a.mT)


@pytest.mark.parametrize("p", [1.0, 1.5, 2.0, 3.0, float("inf")])
@pytest.mark.parametrize("mode", ["use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist"])
def test_distances_have_tangents_and_second_derivatives(p, mode):
    """PyTorch's cdist has neither; both are compared with difference quotients."""
    a, b, u = random(3, 2, seed=1), random(4, 2, seed=2), random(3, 2, seed=3)

    def distances(x):
        return torch.cdist(x, b, p=p, compute_mode=mode)

    def gradient(x):
        return torch.func.grad(lambda y: distances(y).square().sum() + distances(y).sum())(x)

    for function in (distances, gradient):
        _, tangent = torch.func.jvp(function, (a,), (u,))
        step = 1e-5
        quotient = (function(a + step * u) - function(a - step * u)) / (2 * step)
        assert torch.allclose(tangent, quotient, rtol=1e-6, atol=1e-7)


def test_inverse_of_a_singular_factor_is_refused():
    factors = torch.eye(3).repeat(2, 1, 1)
    factors[1, 2, 2] = 0
    with pytest.raises(RuntimeError, match=r"\(Batch element 1\): The diagonal element 3 is zero"):
        torch.cholesky_inverse(factors)
