import torch
import torch.nn as nn

torch.manual_seed(0)


class Classifier(nn.Module):
    def __init__(self, n_classes=4):
        super().__init__()
        self.backbone = nn.Sequential(nn.Linear(12, 24), nn.ReLU())
        self.head = nn.Linear(24, n_classes)

    def forward(self, x):
        return self.head(self.backbone(x))


model = Classifier()
for p in model.parameters():  #-
    p.requires_grad = False  #-!
for p in model.backbone.parameters():  #+
    p.requires_grad = False  #+
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x, y = torch.randn(64, 12), torch.randint(0, 4, (64,))
for epoch in range(10):
    out = model(x)
    loss = nn.CrossEntropyLoss()(out, y)
    optimizer.zero_grad()
    loss.backward()  #!
    optimizer.step()
