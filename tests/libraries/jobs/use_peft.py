"""LoRA on a small GPT-2: training, merging, saving and loading the adapter; IA3 on an MLP."""

import json

import torch
from peft import IA3Config, LoraConfig, PeftModel, get_peft_model
from torch import nn
from transformers import GPT2Config, GPT2LMHeadModel

torch.manual_seed(0)
configuration = GPT2Config(vocab_size=99, n_positions=32, n_embd=32, n_layer=2, n_head=4)
base = GPT2LMHeadModel(configuration)
start = {name: value.clone() for name, value in base.state_dict().items()}
lora = LoraConfig(
    r=4, lora_alpha=16, lora_dropout=0.1, target_modules=["c_attn"], task_type="CAUSAL_LM",
    fan_in_fan_out=True,
)  # fmt: skip
model = get_peft_model(base, lora)
trainable, total = model.get_nb_trainable_parameters()
tokens = torch.randint(0, 99, (4, 12))


def train(network, run, steps=5):
    chosen = [p for p in network.parameters() if p.requires_grad]
    optimizer = torch.optim.AdamW(chosen, lr=1e-2)
    losses = []
    for _ in range(steps):
        loss = run()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        losses.append(loss.item())
    return losses


losses = train(model, lambda: model(input_ids=tokens, labels=tokens).loss)
model.save_pretrained("adapter")
model.eval()
with torch.no_grad():
    adapted = model(input_ids=tokens).logits
    fresh = GPT2LMHeadModel(configuration)
    fresh.load_state_dict(start)
    loaded = PeftModel.from_pretrained(fresh, "adapter").eval()
    apart = (loaded(input_ids=tokens).logits - adapted).abs().max().item()
    merged = model.merge_and_unload()
    after = (merged(input_ids=tokens).logits - adapted).abs().max().item()

mlp = nn.Sequential(nn.Linear(6, 12), nn.ReLU(), nn.Linear(12, 1))
scaled = get_peft_model(mlp, IA3Config(target_modules=["0", "2"], feedforward_modules=["2"]))
x = torch.randn(16, 6)
scaled_losses = train(scaled, lambda: (scaled(x) - x.sum(1, keepdim=True)).square().mean())
print(
    json.dumps(
        {
            "trainable": [trainable, total],
            "losses": losses,
            "logits": adapted[0, -1, :6].tolist(),
            "loaded is the same": apart < 1e-5,
            "merged is the same": after < 1e-4,
            "ia3": scaled_losses,
        }
    )
)
