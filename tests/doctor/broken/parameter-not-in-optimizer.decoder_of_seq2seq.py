import torch
import torch.nn as nn
import torch.optim as optim

torch.manual_seed(0)


class Encoder(nn.Module):
    def __init__(self, vocab, h):
        super().__init__()
        self.emb = nn.Embedding(vocab, h)
        self.gru = nn.GRU(h, h)

    def forward(self, src):
        return self.gru(self.emb(src))[1]


class Decoder(nn.Module):
    def __init__(self, vocab, h):
        super().__init__()
        self.emb = nn.Embedding(vocab, h)
        self.gru = nn.GRU(h, h)
        self.out = nn.Linear(h, vocab)

    def forward(self, tgt, state):
        y, state = self.gru(self.emb(tgt), state)
        return self.out(y)


def train(encoder, decoder, n_iters=8):
    encoder_optimizer = optim.SGD(encoder.parameters(), lr=0.05)
    decoder_optimizer = optim.SGD(encoder.parameters(), lr=0.05)  #-!
    decoder_optimizer = optim.SGD(decoder.parameters(), lr=0.05)  #+
    for _ in range(n_iters):
        src = torch.randint(0, 12, (6, 4))
        tgt = src.flip(0)
        logits = decoder(tgt[:-1], encoder(src))
        loss = nn.functional.cross_entropy(logits.view(-1, 12), tgt[1:].view(-1))
        encoder_optimizer.zero_grad()
        decoder_optimizer.zero_grad()
        decoder.zero_grad()
        loss.backward()
        encoder_optimizer.step()
        decoder_optimizer.step()


train(Encoder(12, 16), Decoder(12, 16))
