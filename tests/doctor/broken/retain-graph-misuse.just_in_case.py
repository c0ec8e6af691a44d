import torch


def fit(model, data, epochs=3):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    for epoch in range(epochs):
        for x, y in data:
            optimizer.zero_grad()
            loss = torch.nn.functional.binary_cross_entropy_with_logits(model(x), y)
            loss.backward(retain_graph=True)  #-!
            loss.backward()  #+
            optimizer.step()


torch.manual_seed(0)
data = []
for _ in range(6):
    x = torch.randn(16, 4)
    data.append((x, (x[:, :1] > 0).float()))
fit(torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU(), torch.nn.Linear(8, 1)), data)
