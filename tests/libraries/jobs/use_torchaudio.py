"""Spectra, filters, effects, augmentations, alignment and transducer losses; two models train."""

import json

import torch
import torchaudio
from torchaudio import functional as F
from torchaudio import models, transforms

RATE = 8000


def some(x, n=6):
    x = torch.view_as_real(x) if x.is_complex() else x
    flat = x.detach().reshape(-1)
    return [float(part) for part in flat[:: max(1, flat.numel() // n)][:n]]


def signal(channels=2, seconds=0.4):
    time = torch.arange(int(RATE * seconds)) / RATE
    tones = [torch.sin(2 * torch.pi * 220.0 * (k + 1) * time) * (0.5 - 0.1 * k) for k in range(3)]
    noise = torch.randn(channels, len(time), generator=torch.manual_seed(0))
    return sum(tones) * 0.5 + 0.05 * noise


def spectra(wave):
    linear = transforms.Spectrogram(n_fft=256, power=None)(wave)
    power = transforms.Spectrogram(n_fft=256)(wave)
    return {
        "stft": some(linear),
        "inverse": some(transforms.InverseSpectrogram(n_fft=256)(linear, wave.shape[-1])),
        "mel": some(transforms.MelSpectrogram(RATE, n_fft=256, n_mels=20)(wave)),
        "mfcc": some(transforms.MFCC(RATE, n_mfcc=8, melkwargs={"n_fft": 256, "n_mels": 20})(wave)),
        "lfcc": some(transforms.LFCC(RATE, n_lfcc=8, speckwargs={"n_fft": 256})(wave)),
        "decibel": some(transforms.AmplitudeToDB(top_db=60)(power)),
        "griffin_lim": some(
            transforms.GriffinLim(n_fft=256, n_iter=4, rand_init=False)(power), 4
        ),
        "centroid": some(transforms.SpectralCentroid(RATE, n_fft=256)(wave)),
        "deltas": some(F.compute_deltas(power.log1p())),
        "cmvn": some(F.sliding_window_cmn(power, cmn_window=50)),
        "pitch": some(F.detect_pitch_frequency(wave, RATE)),
    }  # fmt: skip


def effects(wave):
    mu = F.mu_law_encoding(wave.clamp(-1, 1), 64)
    return {
        "resample": some(transforms.Resample(RATE, 6000)(wave)),
        "kaiser": some(F.resample(wave, RATE, 11025, resampling_method="sinc_interp_kaiser")),
        "low": some(F.lowpass_biquad(wave, RATE, 500.0)),
        "band": some(F.bandreject_biquad(wave, RATE, 440.0)),
        "equalizer": some(F.equalizer_biquad(wave, RATE, 600.0, 4.0)),
        "treble": some(F.treble_biquad(wave, RATE, -6.0)),
        "filtfilt": some(F.filtfilt(wave, torch.tensor([1.0, -0.5]), torch.tensor([0.4, 0.3]))),
        "overdrive": some(F.overdrive(wave)),
        "phaser": some(F.phaser(wave, RATE)),
        "flanger": some(F.flanger(wave[None], RATE)),
        "contrast": some(F.contrast(wave)),
        "convolved": some(F.fftconvolve(wave * 0.1, wave.flip(-1))),
        "shifted": some(F.pitch_shift(wave, RATE, 2, n_fft=256)),
        "mu": [int(part) for part in mu[0, ::400]],
        "decoded": some(F.mu_law_decoding(mu, 64)),
        "loudness": float(F.loudness(torch.cat([wave, wave], -1), RATE)),
        "noisy": some(F.add_noise(wave, wave.roll(7, -1), torch.full((2,), 3.0))),
        "voice": list(transforms.Vad(RATE)(wave).shape),
    }


def augmented(wave):
    torch.manual_seed(3)
    power = transforms.Spectrogram(n_fft=256)(wave)
    masked = transforms.TimeMasking(10)(transforms.FrequencyMasking(20)(power))
    stretched = transforms.TimeStretch(n_freq=129, fixed_rate=1.2)(
        transforms.Spectrogram(n_fft=256, power=None)(wave)
    )
    return {"masked": some(masked, 12), "stretched": some(stretched)}


def filter_gradients(wave):
    a = torch.tensor([[1.0, -0.6, 0.2], [1.0, 0.3, 0.1]], requires_grad=True)
    b = torch.tensor([[0.4, 0.2, 0.1], [0.5, 0.1, 0.0]], requires_grad=True)
    x = wave[:, :200].clone().requires_grad_()
    y = F.lfilter(x, a, b, clamp=False)
    y.square().mean().backward()
    return {"a": some(a.grad), "b": some(b.grad), "x": some(x.grad)}


def transducer():
    logits = torch.randn(2, 6, 4, 7, generator=torch.manual_seed(5)).requires_grad_()
    targets = torch.tensor([[1, 2, 3], [4, 4, 0]], dtype=torch.int32)
    lengths = [torch.tensor(v, dtype=torch.int32) for v in ([6, 5], [3, 2])]
    loss = transforms.RNNTLoss(blank=0, clamp=0.3)(logits, targets, *lengths)
    loss.backward()
    return {"loss": loss.item(), "gradient": some(logits.grad, 20)}


def alignment():
    scores = torch.randn(1, 12, 6, generator=torch.manual_seed(7)).log_softmax(-1)
    path, found = F.forced_align(scores, torch.tensor([[3, 1, 1, 5]]))
    spans = F.merge_tokens(path[0], found[0].exp())
    return {
        "path": path[0].tolist(),
        "scores": some(found),
        "spans": [[span.token, span.start, span.end, span.score] for span in spans],
        "distance": F.edit_distance("kitten", "sitting"),
    }


def trained(model, run):
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = run(model)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


def networks(wave):
    torch.manual_seed(0)
    conformer = models.Conformer(
        input_dim=20, num_heads=2, ffn_dim=32, num_layers=2, depthwise_conv_kernel_size=7
    )
    mel = transforms.MelSpectrogram(RATE, n_fft=256, n_mels=20)(wave).transpose(1, 2)
    lengths = torch.tensor([mel.shape[1], mel.shape[1] - 4])
    separator = models.ConvTasNet(
        num_sources=2, enc_kernel_size=8, enc_num_feats=16, msk_num_feats=8,
        msk_num_hidden_feats=16, msk_num_layers=2, msk_num_stacks=1,
    )  # fmt: skip
    wav2vec = models.wav2vec2_model(
        extractor_mode="group_norm", extractor_conv_layer_config=[(16, 10, 5), (16, 3, 2)],
        extractor_conv_bias=False, encoder_embed_dim=24, encoder_projection_dropout=0.0,
        encoder_pos_conv_kernel=8, encoder_pos_conv_groups=2, encoder_num_layers=2,
        encoder_num_heads=2, encoder_attention_dropout=0.0, encoder_ff_interm_features=32,
        encoder_ff_interm_dropout=0.0, encoder_dropout=0.0, encoder_layer_norm_first=False,
        encoder_layer_drop=0.0, aux_num_out=5,
    ).eval()  # fmt: skip
    return {
        "conformer": trained(conformer, lambda net: net(mel, lengths)[0].square().mean()),
        "tasnet": trained(separator, lambda net: (net(wave[:, None, :800]) ** 2).mean()),
        "wav2vec": some(wav2vec(wave[:, :1600])[0]),
        "wav2letter": some(models.Wav2Letter(num_classes=5, input_type="mfcc", num_features=20)
                           .eval()(mel.transpose(1, 2))),
    }  # fmt: skip


assert torchaudio.__version__
wave = signal()
print(json.dumps({
    "spectra": spectra(wave), "effects": effects(wave), "augmented": augmented(wave),
    "filters": filter_gradients(wave), "transducer": transducer(), "alignment": alignment(),
    "networks": networks(wave),
}))  # fmt: skip
