"""A tiny random Whisper: spectrograms, a training step, and decoding with its cache."""

import json

import numpy as np
import torch
from whisper import DecodingOptions, decode, log_mel_spectrogram, pad_or_trim
from whisper.model import ModelDimensions, Whisper
from whisper.timing import dtw_cpu, median_filter

torch.manual_seed(0)
sizes = ModelDimensions(
    n_mels=80, n_audio_ctx=1500, n_audio_state=32, n_audio_head=2, n_audio_layer=1,
    n_vocab=51865, n_text_ctx=24, n_text_state=32, n_text_head=2, n_text_layer=2,
)  # fmt: skip
model = Whisper(sizes)
for parameter in model.parameters():
    torch.nn.init.normal_(parameter, std=0.1)
sound = np.sin(np.arange(16000) * 0.05).astype(np.float32)
mel = log_mel_spectrogram(pad_or_trim(sound))[None]
tokens = torch.randint(0, 1000, (1, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
losses = []
for _ in range(2):
    logits = model(mel, tokens[:, :-1])
    loss = torch.nn.functional.cross_entropy(logits[0], tokens[0, 1:])
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    losses.append(loss.item())
model.eval()
options = DecodingOptions(language="en", without_timestamps=True, fp16=False, sample_len=8)
result = decode(model, mel[0], options)
beams = decode(model, mel[0], DecodingOptions(language="en", beam_size=2, fp16=False, sample_len=6))
torch.manual_seed(1)
print(
    json.dumps(
        {
            "mel": mel[0, ::20, :10].flatten().tolist(),
            "losses": losses,
            "tokens": result.tokens,
            "probability": result.avg_logprob,
            "beams": beams.tokens,
            "filtered": median_filter(torch.randn(1, 2, 9), 3).flatten().tolist(),
            "path": dtw_cpu(np.random.default_rng(0).random((4, 6))).ravel().astype(int).tolist(),
        }
    )
)
