import torch
from torch import nn

torch.manual_seed(0)
encoder = nn.LSTM(4, 16, batch_first=True)
classifier = nn.Linear(16, 3)
optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)  #-!
optimizer = torch.optim.Adam([*encoder.parameters(), *classifier.parameters()], lr=1e-3)  #+
for epoch in range(10):
    x = torch.randn(20, 7, 4)
    y = torch.randint(0, 3, (20,))
    _, (h, _) = encoder(x)
    loss = nn.functional.cross_entropy(classifier(h[-1]), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
