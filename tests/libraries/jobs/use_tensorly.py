"""Tensors are decomposed (CP, Tucker, trains) on PyTorch's backend, and rebuilt with gradients."""

import json

import tensorly as tl
import torch
from tensorly.decomposition import non_negative_parafac, parafac, tensor_train, tucker

tl.set_backend("pytorch")
torch.manual_seed(0)
x = torch.rand(4, 5, 6, dtype=torch.float64, requires_grad=True)
fixed = x.detach()
cp = parafac(fixed, rank=3, init="svd", n_iter_max=20)
core, factors = tucker(fixed, rank=[2, 3, 2], n_iter_max=10)
positive = non_negative_parafac(fixed, rank=2, init="svd", n_iter_max=10)
train = tensor_train(fixed, rank=[1, 2, 2, 1])
first = torch.eye(5, 4, dtype=torch.float64)
tl.norm(tl.tenalg.mode_dot(x, first, 0)).backward()
print(
    json.dumps(
        {
            "cp": tl.norm(tl.cp_to_tensor(cp) - fixed).item(),
            "tucker": tl.norm(tl.tucker_to_tensor((core, factors)) - fixed).item(),
            "core": core.abs().flatten().tolist(),
            "positive": tl.norm(tl.cp_to_tensor(positive) - fixed).item(),
            "train": tl.norm(tl.tt_to_tensor(train) - fixed).item(),
            "unfolded": tl.unfold(fixed, 1)[2, :4].tolist(),
            "gradient": x.grad[0, 0].tolist(),
        }
    )
)
