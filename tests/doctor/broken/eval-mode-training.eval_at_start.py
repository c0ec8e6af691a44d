import torch
import torch.nn as nn
import argparse
def get_model():
    net = nn.Sequential(
        nn.Conv2d(1, 6, 3), nn.BatchNorm2d(6), nn.ReLU(),
        nn.Flatten(), nn.Dropout(0.5), nn.Linear(6 * 36, 3))
    net.eval()  #-!
    return net
def main():
    p = argparse.ArgumentParser()
    p.add_argument("--steps", type=int, default=20)
    args = p.parse_args([])
    torch.manual_seed(0)
    net = get_model()
    opt = torch.optim.SGD(net.parameters(), lr=0.01)
    for _ in range(args.steps):
        x = torch.randn(16, 1, 8, 8)
        t = torch.randint(0, 3, (16,))
        loss = nn.functional.cross_entropy(net(x), t)
        opt.zero_grad()
        loss.backward()
        opt.step()
if __name__ == "__main__":
    main()
