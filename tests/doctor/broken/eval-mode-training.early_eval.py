import torch
import torch.nn.functional as F

torch.manual_seed(0)
layers = torch.nn.TransformerEncoderLayer(16, 2, 32, dropout=0.2, batch_first=True)
head = torch.nn.Linear(16, 4)
model = torch.nn.Sequential(layers, head)
optim = torch.optim.AdamW(model.parameters(), lr=1e-3)
model.eval()  #-!
baseline = model(torch.randn(2, 5, 16)).shape
for _ in range(12):
    x = torch.randn(8, 5, 16)
    y = x[:, 0, :4].argmax(1)
    loss = F.cross_entropy(model(x).mean(1), y)
    optim.zero_grad()
    loss.backward()
    optim.step()
