import torch
from torch import nn


class Frozen(nn.Module):
    def __init__(self, backbone: nn.Module, classes: int) -> None:
        super().__init__()
        self.backbone, self.head = backbone, nn.Linear(16, classes)

    def forward(self, x):
        with torch.no_grad():  #-!
            feats = self.backbone(x)  #-
            return self.head(feats)  #-
        with torch.no_grad():  #+
            feats = self.backbone(x)  #+
        return self.head(feats)  #+


torch.manual_seed(0)
model = Frozen(nn.Sequential(nn.Linear(6, 16), nn.ReLU()), 2)
optimizer = torch.optim.AdamW(model.head.parameters(), lr=1e-2)
for step in range(30):
    x = torch.randn(32, 6)
    loss = nn.functional.cross_entropy(model(x), (x[:, 0] > 0).long())
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
