"""A small random encoder gives embeddings, is trained on pairs, and is saved and loaded."""

import json

import torch
from sentence_transformers import InputExample, SentenceTransformer, losses, util
from sentence_transformers.models import Normalize, Pooling, Transformer
from tokenizers import Tokenizer, models, pre_tokenizers
from torch.utils.data import DataLoader
from transformers import BertConfig, BertModel, PreTrainedTokenizerFast

torch.manual_seed(0)
words = "[PAD] [UNK] the cat sat on a mat dogs run fast in park rain falls".split()
vocabulary = {word: i for i, word in enumerate(words)}
tokenizer = Tokenizer(models.WordLevel(vocabulary, unk_token="[UNK]"))
tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
PreTrainedTokenizerFast(
    tokenizer_object=tokenizer, pad_token="[PAD]", unk_token="[UNK]"
).save_pretrained("encoder")
BertModel(
    BertConfig(
        vocab_size=len(words),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=48,
        max_position_embeddings=32,
    )
).save_pretrained("encoder")
encoder = Transformer("encoder")
pooling = Pooling(32)
model = SentenceTransformer(modules=[encoder, pooling, Normalize()], device="cpu")
texts = ["the cat sat on a mat", "dogs run fast in the park", "rain falls", "a cat in the rain"]
before = model.encode(texts, convert_to_tensor=True, show_progress_bar=False)
pairs = [InputExample(texts=[texts[0], texts[3]]), InputExample(texts=[texts[1], texts[2]])]
loss = losses.MultipleNegativesRankingLoss(model)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
found = []
model.train()
for _ in range(3):
    for features, labels in DataLoader(
        pairs, batch_size=2, collate_fn=model.smart_batching_collate
    ):
        value = loss(features, labels)
        value.backward()
        optimizer.step()
        optimizer.zero_grad()
        found.append(value.item())
model.eval()
model.save("kept")
after = SentenceTransformer("kept", device="cpu").encode(
    texts, convert_to_tensor=True, show_progress_bar=False
)
print(
    json.dumps(
        {
            "before": before[:, :5].flatten().tolist(),
            "losses": found,
            "similar": util.cos_sim(after, after).flatten().tolist(),
            "nearest": [
                one[0]["corpus_id"] for one in util.semantic_search(after, before, top_k=1)
            ],
        }
    )
)
