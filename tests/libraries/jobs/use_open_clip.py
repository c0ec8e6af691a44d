"""A small CLIP learns to match random pictures and texts; SigLIP's loss; a picture prepared."""

import json

import open_clip
import torch
from open_clip.loss import ClipLoss, SigLipLoss
from PIL import Image

vision = {"image_size": 32, "layers": 2, "width": 32, "head_width": 16, "patch_size": 8}
text = {"context_length": 16, "vocab_size": 100, "width": 32, "heads": 2, "layers": 2}
images = torch.randn(4, 3, 32, 32, generator=torch.manual_seed(0))
tokens = torch.randint(1, 99, (4, 16), generator=torch.manual_seed(1))


def train(model, loss_of):
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(4):
        optimizer.zero_grad()
        found = model(images, tokens)
        loss = loss_of(*found[:3])
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    return losses


printed = {}
torch.manual_seed(0)
clip = open_clip.CLIP(embed_dim=16, vision_cfg=vision, text_cfg=text)
printed["clip"] = train(clip, ClipLoss())
torch.manual_seed(0)
siglip = open_clip.CLIP(embed_dim=16, vision_cfg=vision, text_cfg=text, init_logit_bias=-10.0)
optimizer = torch.optim.AdamW(siglip.parameters(), lr=1e-3)
found = siglip(images, tokens)
loss = SigLipLoss()(found[0], found[1], found[2], found[3])
loss.backward()
printed["siglip"] = loss.item()
clip.eval()
with torch.no_grad():
    a = clip.encode_image(images, normalize=True)
    b = clip.encode_text(tokens, normalize=True)
    printed["similarity"] = (a @ b.T).tolist()
preprocess = open_clip.image_transform(32, is_train=False)
picture = Image.new("RGB", (50, 40), (200, 30, 90))
printed["picture"] = [float(v) for v in preprocess(picture).flatten()[::512]]
print(json.dumps(printed))
