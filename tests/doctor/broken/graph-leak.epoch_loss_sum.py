import argparse
import torch
import torch.nn.functional as F


def train_one_epoch(model, loader, opt):
    epoch_loss = 0.0
    for xb, yb in loader:
        opt.zero_grad()
        out = model(xb)
        loss = F.binary_cross_entropy_with_logits(out, yb)
        loss.backward()
        opt.step()
        epoch_loss = epoch_loss + loss  #-!
        epoch_loss = epoch_loss + float(loss)  #+
    return epoch_loss / len(loader)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--lr", type=float, default=1e-2)
    args = parser.parse_args([])
    torch.manual_seed(0)
    x = torch.randn(600, 10)
    y = (x[:, :4] > 0).float()
    loader = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(x, y), batch_size=20, shuffle=True)
    model = torch.nn.Sequential(torch.nn.Linear(10, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4))
    opt = torch.optim.SGD(model.parameters(), lr=args.lr, momentum=0.9)
    for e in range(args.epochs):
        print(e, float(train_one_epoch(model, loader, opt)))


if __name__ == "__main__":
    main()
