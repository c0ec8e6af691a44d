import torch

torch.manual_seed(0)
step_size = torch.nn.Linear(4, 4)
opt = torch.optim.SGD(step_size.parameters(), lr=1e-2)
for _ in range(20):
    state = torch.randn(32, 4) + 2
    for _ in range(4):
        state = state + state * step_size(state)  #-
        state = state + 0.3 * torch.tanh(step_size(state))  #+
    loss = (state - 1).pow(2).mean()
    opt.zero_grad()
    loss.backward()  #!
    opt.step()
