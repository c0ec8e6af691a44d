"""A decoder with rotary positions and an encoder-decoder train, and generate."""

import json

import torch
from x_transformers import AutoregressiveWrapper, Decoder, TransformerWrapper, XTransformer

torch.manual_seed(0)
model = AutoregressiveWrapper(
    TransformerWrapper(
        num_tokens=40,
        max_seq_len=24,
        attn_layers=Decoder(
            dim=32, depth=2, heads=4, attn_dim_head=8, rotary_pos_emb=True, ff_glu=True
        ),
    )
)
tokens = torch.randint(0, 40, (4, 16))


def train(network, run):
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        loss = run()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


losses = train(model, lambda: model(tokens))
greedy = model.generate(tokens[:2, :4], 8, temperature=0.0)
torch.manual_seed(1)
sampled = model.generate(tokens[:2, :4], 8)
both = XTransformer(
    dim=32, enc_num_tokens=40, enc_depth=1, enc_heads=2, enc_max_seq_len=16,
    dec_num_tokens=40, dec_depth=1, dec_heads=2, dec_max_seq_len=16, tie_token_emb=True,
)  # fmt: skip
mask = torch.ones_like(tokens).bool()
print(
    json.dumps(
        {
            "decoder": losses,
            "greedy": greedy.tolist(),
            "sampled": sampled.tolist(),
            "both": train(both, lambda: both(tokens, tokens, mask=mask)),
        }
    )
)
