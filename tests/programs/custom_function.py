"""autograd.Function: an own activation, a straight-through estimator, and gradcheck."""

import torch
from torch.autograd import Function, gradcheck
from torch.autograd.function import once_differentiable


class Swish(Function):
    @staticmethod
    def forward(ctx, x, beta):
        s = torch.sigmoid(beta * x)
        ctx.save_for_backward(x, s)
        ctx.beta = beta
        return x * s

    @staticmethod
    def backward(ctx, grad_output):
        x, s = ctx.saved_tensors
        return grad_output * (s + ctx.beta * x * s * (1 - s)), None


class Binarize(Function):
    @staticmethod
    def forward(ctx, x):
        return x.sign()

    @staticmethod
    @once_differentiable
    def backward(ctx, grad_output):
        return grad_output.clamp(-1, 1)


class Exp(Function):
    @staticmethod
    def forward(x):
        return x.exp()

    @staticmethod
    def setup_context(ctx, inputs, output):
        ctx.save_for_backward(output)

    @staticmethod
    def backward(ctx, grad):
        (result,) = ctx.saved_tensors
        return grad * result


class BinaryLinear(torch.nn.Linear):
    def forward(self, x):
        return torch.nn.functional.linear(x, Binarize.apply(self.weight), self.bias)


torch.manual_seed(0)
point = torch.randn(4, 3, dtype=torch.double, requires_grad=True)
print(
    "gradcheck", gradcheck(lambda x: Swish.apply(x, 1.5), (point,)), gradcheck(Exp.apply, (point,))
)
x = torch.randn(64, 5)
y = (x[:, :2].sum(dim=1, keepdim=True) > 0).float()
first, second = BinaryLinear(5, 16), torch.nn.Linear(16, 1)
parameters = [*first.parameters(), *second.parameters()]
optimizer = torch.optim.SGD(parameters, lr=0.1, momentum=0.9, nesterov=True)
for step in range(60):
    optimizer.zero_grad()
    logits = second(Swish.apply(first(x), 1.0))
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits, y)
    loss.backward()
    optimizer.step()
    if step % 10 == 0 or step == 59:
        print(f"step {step} loss {loss.item():.6f}")
