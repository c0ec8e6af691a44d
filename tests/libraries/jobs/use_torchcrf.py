"""A conditional random field on a recurrent tagger: likelihoods, training and decoding."""

import json

import torch
from torchcrf import CRF

torch.manual_seed(0)
words, tags = torch.randint(0, 20, (6, 4)), torch.randint(0, 5, (6, 4))
mask = torch.ones(6, 4, dtype=torch.bool)
mask[4:, 1] = False
embedding, tagger = torch.nn.Embedding(20, 8), torch.nn.LSTM(8, 16)
readout, crf = torch.nn.Linear(16, 5), CRF(5)
params = [p for part in (embedding, tagger, readout, crf) for p in part.parameters()]
optimizer = torch.optim.SGD(params, lr=0.1)
losses = []
for _ in range(5):
    scores = readout(tagger(embedding(words))[0])
    loss = -crf(scores, tags, mask=mask, reduction="token_mean")
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    losses.append(loss.item())
print(json.dumps({"losses": losses, "tags": crf.decode(scores, mask=mask),
                  "transitions": crf.transitions.flatten().tolist()}))  # fmt: skip
