"""GPT-2, BERT and Llama train with `Trainer`, and generate greedily, by beams and by sampling."""

import json

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaForCausalLM,
    Trainer,
    TrainingArguments,
    set_seed,
)

WORDS = 99


class Sequences(torch.utils.data.Dataset):
    def __init__(self, classes=None):
        generator = torch.Generator().manual_seed(1)
        self.tokens = torch.randint(1, WORDS, (24, 12), generator=generator)
        self.labels = self.tokens if classes is None else self.tokens.sum(1) % classes

    def __len__(self):
        return len(self.tokens)

    def __getitem__(self, i):
        return {
            "input_ids": self.tokens[i],
            "attention_mask": torch.ones(12, dtype=torch.long),
            "labels": self.labels[i],
        }


def train(model, data):
    arguments = TrainingArguments(
        output_dir="out",
        max_steps=5,
        per_device_train_batch_size=4,
        learning_rate=1e-3,
        warmup_steps=2,
        weight_decay=0.01,
        logging_steps=1,
        save_strategy="no",
        report_to=[],
        use_cpu=True,
        disable_tqdm=True,
        seed=3,
    )
    trainer = Trainer(model=model, args=arguments, train_dataset=data, eval_dataset=data)
    trainer.train()
    losses = [entry["loss"] for entry in trainer.state.log_history if "loss" in entry]
    return losses, trainer.evaluate()["eval_loss"]


def generate(model):
    model.eval()
    prompt = torch.tensor([[5, 6, 7], [8, 9, 10]])
    common = {"attention_mask": torch.ones_like(prompt), "max_new_tokens": 8, "pad_token_id": 0}
    cached = model.generate(prompt, do_sample=False, use_cache=True, **common)
    plain = model.generate(prompt, do_sample=False, use_cache=False, **common)
    beams = model.generate(prompt, num_beams=3, do_sample=False, **common)
    torch.manual_seed(4)
    sampled = model.generate(prompt, do_sample=True, top_k=20, top_p=0.9, temperature=0.8, **common)
    return [one.tolist() for one in (cached, plain, beams, sampled)]


printed = {}
set_seed(0)
gpt = GPT2LMHeadModel(GPT2Config(vocab_size=WORDS, n_positions=32, n_embd=32, n_layer=2, n_head=4))
llama = LlamaForCausalLM(
    LlamaConfig(
        vocab_size=WORDS,
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        max_position_embeddings=32,
    )
)
bert = BertForSequenceClassification(
    BertConfig(
        vocab_size=WORDS,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=64,
        max_position_embeddings=32,
        num_labels=3,
    )
)
for name, model in (("gpt2", gpt), ("llama", llama)):
    printed[f"{name} training"], printed[f"{name} evaluation"] = train(model, Sequences())
    printed[f"{name} tokens"] = generate(model)
printed["bert training"], printed["bert evaluation"] = train(bert, Sequences(classes=3))

gpt.save_pretrained("saved")
again = GPT2LMHeadModel.from_pretrained("saved")
tokens = torch.arange(1, 9)[None]
with torch.no_grad():
    printed["logits"] = again(tokens).logits[0, -1, :8].tolist()
    printed["same after saving"] = torch.equal(again(tokens).logits, gpt.eval()(tokens).logits)
print(json.dumps(printed))
