import torch, torch.nn as nn
torch.manual_seed(0)
class RoundSTE(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x): return torch.round(x * 16) / 16
    @staticmethod
    def backward(ctx, g): return g
class QLinear(nn.Linear):
    def forward(self, x): return nn.functional.linear(x, RoundSTE.apply(self.weight), self.bias)
net = nn.Sequential(QLinear(8, 32), nn.ReLU(), QLinear(32, 1))
opt = torch.optim.Adam(net.parameters(), 5e-3)
for i in range(50):
    x = torch.randn(64, 8); y = x[:, :1] - x[:, 1:2]
    loss = nn.functional.mse_loss(net(x), y)
    opt.zero_grad(); loss.backward(); opt.step()
