import torch
from torch import nn

torch.manual_seed(0)


class Pretrained(nn.Module):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.AdaptiveAvgPool2d(2), nn.Flatten())
        self.classifier = nn.Linear(16, 10)

    def forward(self, x):
        return self.classifier(self.features(x))


class Finetuner:
    def __init__(self, num_classes):
        self.model = Pretrained()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)  #-!
        self.reset_head(num_classes)
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)  #+

    def reset_head(self, n):
        self.model.classifier = nn.Linear(16, n)  #!

    def fit(self, steps):
        for _ in range(steps):
            x, y = torch.randn(8, 1, 9, 9), torch.randint(0, 3, (8,))
            loss = nn.functional.cross_entropy(self.model(x), y)
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


Finetuner(3).fit(10)
