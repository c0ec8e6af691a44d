"""Reverse a sequence: GRU encoder, attention decoder, teacher forcing."""

import random

import torch
import torch.nn as nn
import torch.nn.functional as F

SOS, EOS, VOCABULARY, MAX = 0, 1, 10, 5


class EncoderRNN(nn.Module):
    def __init__(self, size, hidden):
        super().__init__()
        self.embedding = nn.Embedding(size, hidden)
        self.gru = nn.GRU(hidden, hidden, batch_first=True)

    def forward(self, input):
        return self.gru(self.embedding(input))


class BahdanauAttention(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.Wa = nn.Linear(hidden, hidden)
        self.Ua = nn.Linear(hidden, hidden)
        self.Va = nn.Linear(hidden, 1)

    def forward(self, query, keys):
        scores = self.Va(torch.tanh(self.Wa(query) + self.Ua(keys)))
        weights = F.softmax(scores.squeeze(2).unsqueeze(1), dim=-1)
        return torch.bmm(weights, keys), weights


class AttnDecoderRNN(nn.Module):
    def __init__(self, hidden, size):
        super().__init__()
        self.embedding = nn.Embedding(size, hidden)
        self.attention = BahdanauAttention(hidden)
        self.gru = nn.GRU(2 * hidden, hidden, batch_first=True)
        self.out = nn.Linear(hidden, size)

    def forward(self, encoder_outputs, hidden, target=None):
        batch = encoder_outputs.size(0)
        token = torch.empty(batch, 1, dtype=torch.long).fill_(SOS)
        outputs = []
        for i in range(MAX + 1):
            context, _ = self.attention(hidden.permute(1, 0, 2), encoder_outputs)
            output, hidden = self.gru(torch.cat((self.embedding(token), context), dim=2), hidden)
            output = self.out(output)
            outputs.append(output)
            if target is not None:
                token = target[:, i].unsqueeze(1)
            else:
                _, topi = output.topk(1)
                token = topi.squeeze(-1).detach()
        return F.log_softmax(torch.cat(outputs, dim=1), dim=-1), hidden


def batch(n=32):
    source = torch.randint(2, VOCABULARY, (n, MAX))
    return source, torch.cat([source.flip(1), torch.full((n, 1), EOS)], dim=1)


random.seed(0)
torch.manual_seed(0)
encoder, decoder = EncoderRNN(VOCABULARY, 32), AttnDecoderRNN(32, VOCABULARY)
encoder_optimizer = torch.optim.Adam(encoder.parameters(), lr=0.01)
decoder_optimizer = torch.optim.Adam(decoder.parameters(), lr=0.01)
criterion = nn.NLLLoss()
for step in range(40):
    source, target = batch()
    encoder_optimizer.zero_grad()
    decoder_optimizer.zero_grad()
    outputs, hidden = encoder(source)
    forced = target if random.random() < 0.8 else None
    result, _ = decoder(outputs, hidden, forced)
    loss = criterion(result.view(-1, result.size(-1)), target.view(-1))
    loss.backward()
    encoder_optimizer.step()
    decoder_optimizer.step()
    if step % 8 == 0 or step == 39:
        print(f"step {step} loss {loss.item():.5f}")
