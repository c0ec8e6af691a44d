import numpy as np
import torch
import torch.nn as nn
np.random.seed(0)
torch.manual_seed(0)
X = np.random.randn(256, 5)
y = (X.sum(axis=1) > 0).astype(int)
state = np.random.get_state()  #+
np.random.shuffle(X)  #-!
np.random.shuffle(X)  #+
np.random.set_state(state)  #+
np.random.shuffle(y)  #-!
np.random.shuffle(y)  #+
X_t = torch.tensor(X, dtype=torch.float32)
y_t = torch.tensor(y, dtype=torch.long)
ds = torch.utils.data.TensorDataset(X_t, y_t)
dl = torch.utils.data.DataLoader(ds, batch_size=16, shuffle=True)
model = nn.Sequential(nn.Linear(5, 16), nn.ReLU(), nn.Linear(16, 2))
opt = torch.optim.Adam(model.parameters(), lr=1e-2)
for epoch in range(3):
    for a, b in dl:
        loss = nn.CrossEntropyLoss()(model(a), b)
        opt.zero_grad(); loss.backward(); opt.step()
