import torch
from torch import nn

torch.manual_seed(0)
x = torch.randn(50, 4)
t = torch.randint(0, 3, (50,))
feature = nn.Linear(4, 16)
classifier = nn.Linear(16, 3)
optimizer = torch.optim.Adam(list(feature.parameters()) + list(classifier.parameters()), lr=0.01)
z = torch.relu(feature(x))  #-!
for i in range(12):
    z = torch.relu(feature(x))  #+
    loss = nn.functional.cross_entropy(classifier(z), t)
    optimizer.zero_grad()
    loss.backward()  #-!
    loss.backward()  #+
    optimizer.step()
