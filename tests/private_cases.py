"""Calls of functions of `torch` that begin with an underscore; run with PyTorch to record them."""


def cases(torch):
    """Functions without arguments, by name."""
    torch.manual_seed(0)
    x, y = torch.randn(3, 4), torch.randn(3, 4)
    spectrum = torch.randn(2, 3, 4, dtype=torch.complex64)
    labels = torch.tensor([3, 1, 3, 2, 1])
    image, kernel = torch.randn(1, 3, 5, 5), torch.randn(2, 3, 3, 3)
    low = float("-inf")
    matrix = torch.tensor([[2.0, 1.0], [1.0, 3.0]])
    stored, sizes = torch.arange(6.0)[:, None], torch.tensor([2, 2, 1, 1])

    def scaled():
        gradients, found = [x.clone(), y.clone()], torch.zeros(1)
        torch._amp_foreach_non_finite_check_and_unscale_(gradients, found, torch.tensor([0.5]))
        return *gradients, found

    def scale(infinities):
        value, tracker = torch.tensor([4.0]), torch.tensor([1], dtype=torch.int32)
        torch._amp_update_scale_(value, tracker, torch.tensor([infinities]), 2.0, 0.5, 2)
        return value, tracker

    kinds = ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short")
    found = {f"cast {k}": lambda k=k: getattr(torch, f"_cast_{k}")(x.abs() * 3) for k in kinds}
    for n in (0, 1, 2):
        for forward in (True, False):
            found[f"c2c {n} {forward}"] = lambda n=n, f=forward: torch._fft_c2c(
                spectrum, [1, 2], n, f
            )
            found[f"r2c {n} {forward}"] = lambda n=n, f=forward: torch._fft_r2c(x, [1], n, f)
        found[f"c2r {n}"] = lambda n=n: torch._fft_c2r(spectrum, [1, 2], n, 6)
    return found | {
        "gamma": lambda: torch._standard_gamma(torch.ones(5) * 2, torch.manual_seed(1)),
        "dirichlet": lambda: torch._sample_dirichlet(torch.ones(2, 3), torch.manual_seed(1)),
        "stack": lambda: torch._stack([x, y], 1),
        "dim_arange": lambda: torch._dim_arange(x, 1),
        "reshape": lambda: torch._reshape_from_tensor(x, torch.tensor([2, 6])),
        "index_put": lambda: torch._unsafe_index_put(x, [torch.tensor([1])], torch.tensor(5.0)),
        "unique": lambda: torch._unique(labels),
        "unique2": lambda: torch._unique2(labels, return_inverse=True, return_counts=True),
        "unique2 alone": lambda: torch._unique2(labels),
        "to csr": lambda: torch._convert_indices_from_coo_to_csr(torch.tensor([0, 0, 2]), 4),
        "to coo": lambda: torch._convert_indices_from_csr_to_coo(
            torch.tensor([0, 2, 2, 3]), torch.tensor([0, 1, 1])
        ),
        "pack": lambda: torch._pack_padded_sequence(
            torch.arange(24.0).reshape(4, 2, 3), torch.tensor([4, 2]), False
        ),
        "pad": lambda: torch._pad_packed_sequence(stored, sizes, True, 0.0, -1),
        "pad longer": lambda: torch._pad_packed_sequence(stored, sizes, True, 9.0, 6),
        "truth": lambda: (torch._is_all_true(x > 0), torch._is_any_true(x > 0)),
        "overlap": lambda: [
            torch._debug_has_internal_overlap(v) for v in (x, x[0].expand(3, 4), x.t(), x[:, :2])
        ],
        "logcumsumexp": lambda: torch._logcumsumexp(x, 1),
        "distance": lambda: torch._euclidean_dist(x, y),
        "combination": lambda: torch._compute_linear_combination(x, y[:2, :3]),
        "trilinear": lambda: torch._trilinear(
            x, spectrum.real.reshape(6, 4)[:, :, None], y[:, :1], [1, 3], [0], [1, 2], [2, 3]
        ),
        "weight norm": lambda: torch._weight_norm(x, y[:, :1].exp(), 0),
        "weight norm of columns": lambda: torch._weight_norm_interface(x, y[:1].exp(), 1),
        "prelu": lambda: torch._prelu_kernel(x, torch.tensor(0.3)),
        "softmax": lambda: torch._softmax(x, 1, False),
        "log_softmax": lambda: torch._log_softmax(x, 1, False),
        "safe softmax": lambda: torch._safe_softmax(torch.tensor([[1.0, 2.0], [low, low]]), 1),
        "pool": lambda: torch._adaptive_avg_pool2d(image, (2, 3)),
        "convolution": lambda: torch._convolution(
            image, kernel, None, [1, 1], [1, 1], [1, 1], False, [0, 0], 1, False, False, True, True
        ),
        "convolution mode": lambda: torch._convolution_mode(
            image, kernel, None, [1, 1], "same", [1, 1], 1
        ),
        "rms norm": lambda: torch._fused_rms_norm(x, [4], None, 1e-5),
        "lu": lambda: tuple(torch._lu_with_info(matrix)),
        "eigh": lambda: [v.abs() for v in torch._linalg_eigh(matrix)],
        "eigenvalues": lambda: tuple(torch._linalg_eigh(matrix, compute_v=False)),
        "svd": lambda: [v.abs() for v in torch._linalg_svd(x)],
        "singular values": lambda: tuple(torch._linalg_svd(x, compute_uv=False)),
        "conj": lambda: torch._conj_copy(spectrum),
        "neg": lambda: torch._neg_view_copy(x),
        "unscale": scaled,
        "scale grows": lambda: scale(0.0),
        "scale shrinks": lambda: scale(1.0),
    }


def written(value, torch):
    """As JSON keeps it: types, shapes and numbers."""
    if isinstance(value, torch.Tensor):
        real = torch.view_as_real(value) if value.is_complex() else value
        return [str(value.dtype).rpartition(".")[2], list(value.shape), real.tolist()]
    if isinstance(value, tuple | list):
        return [written(part, torch) for part in value]
    return value
