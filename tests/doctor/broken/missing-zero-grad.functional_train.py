import torch
import torch.nn as nn
import torch.optim as optim

def train_one_epoch(net, data, labels, criterion, optimizer, bs=25):
    running = 0.0
    for start in range(0, data.shape[0], bs):
        out = net(data[start:start + bs])
        loss = criterion(out, labels[start:start + bs])
        net.zero_grad()  #+
        loss.backward()  #!
        optimizer.step()  #!
        running += loss.item()
    return running

def main():
    torch.manual_seed(42)
    data = torch.rand(250, 1, 8, 8)
    labels = (data.mean(dim=(1, 2, 3)) > 0.5).float().unsqueeze(1)
    net = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(4 * 36, 1))
    crit = nn.BCEWithLogitsLoss()
    opt = optim.RMSprop(net.parameters(), lr=1e-3)
    for ep in range(3):
        print(train_one_epoch(net, data, labels, crit, opt))

if __name__ == '__main__':
    main()
