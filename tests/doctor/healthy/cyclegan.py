import itertools
import torch, torch.nn as nn
torch.manual_seed(0)
mk = lambda o: nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, o))
AB, BA, DA, DB = mk(4), mk(4), mk(1), mk(1)
og = torch.optim.Adam(itertools.chain(AB.parameters(), BA.parameters()), 1e-3)
od = torch.optim.Adam(itertools.chain(DA.parameters(), DB.parameters()), 1e-3)
mse, l1 = nn.MSELoss(), nn.L1Loss()
for i in range(30):
    a, b = torch.randn(16, 4), torch.randn(16, 4) + 2
    fb, fa = AB(a), BA(b)
    lg = mse(DB(fb), torch.ones(16, 1)) + mse(DA(fa), torch.ones(16, 1)) + 10 * (l1(BA(fb), a) + l1(AB(fa), b))
    og.zero_grad(); lg.backward(); og.step()
    ld = mse(DA(a), torch.ones(16, 1)) + mse(DA(fa.detach()), torch.zeros(16, 1)) + mse(DB(b), torch.ones(16, 1)) + mse(DB(fb.detach()), torch.zeros(16, 1))
    od.zero_grad(); ld.backward(); od.step()
