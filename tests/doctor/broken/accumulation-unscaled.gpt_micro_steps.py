import torch
from torch import nn

torch.manual_seed(0)
vocab, block = 17, 8
gpt = nn.Sequential(nn.Embedding(vocab, 16), nn.Linear(16, 32), nn.GELU(), nn.Linear(32, vocab))
optimizer = torch.optim.AdamW(gpt.parameters(), lr=1e-3)
gradient_accumulation_steps = 5


def get_batch():
    ids = torch.randint(0, vocab, (4, block + 1))
    return ids[:, :-1], ids[:, 1:]


X, Y = get_batch()
for iter_num in range(8):
    for micro_step in range(gradient_accumulation_steps):
        logits = gpt(X)
        loss = nn.functional.cross_entropy(logits.view(-1, vocab), Y.reshape(-1))
        loss = loss / gradient_accumulation_steps  #+
        X, Y = get_batch()
        loss.backward()  #!
    nn.utils.clip_grad_norm_(gpt.parameters(), 100.0)
    optimizer.step()  #!
    optimizer.zero_grad(set_to_none=True)
