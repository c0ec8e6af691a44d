"""Filters, colours, geometry, features, augmentations and losses on images, with gradients."""

import json

import kornia
import kornia.augmentation as K
import torch

torch.manual_seed(0)
images = torch.rand(2, 3, 32, 32, requires_grad=True)
grey = kornia.color.rgb_to_grayscale(images)
points = torch.rand(1, 4, 2) * 31
homography = kornia.geometry.get_perspective_transform(points, points + torch.rand(1, 4, 2))
seen = {
    "blur": kornia.filters.gaussian_blur2d(images, (5, 5), (1.5, 1.5)),
    "sobel": kornia.filters.sobel(images),
    "canny": kornia.filters.canny(images)[0],
    "median": kornia.filters.median_blur(images, (3, 3)),
    "hsv": kornia.color.rgb_to_hsv(images),
    "lab": kornia.color.rgb_to_lab(images),
    "rotated": kornia.geometry.rotate(images, torch.tensor([30.0, -45.0])),
    "warped": kornia.geometry.warp_perspective(images[:1], homography, (32, 32)),
    "resized": kornia.geometry.resize(images, (20, 24), antialias=True),
    "harris": kornia.feature.harris_response(grey),
    "eroded": kornia.morphology.erosion(images, torch.ones(3, 3)),
    "equalized": kornia.enhance.equalize_clahe(images),
    "ssim": kornia.losses.ssim_loss(images, images.flip(3), 5),
    "total variation": kornia.losses.total_variation(images),
    "focal": kornia.losses.focal_loss(
        images, torch.randint(0, 3, (2, 32, 32)), alpha=0.5, reduction="mean"
    ),
}
printed = {}
for name, value in seen.items():
    printed[name] = [value.sum().item(), *value.flatten()[:5].tolist()]
    if value.requires_grad:
        slope = torch.autograd.grad(value.sum(), images, retain_graph=True)[0]
        printed[name].append(slope.norm().item())

torch.manual_seed(1)
augment = K.AugmentationSequential(
    K.RandomHorizontalFlip(p=0.5),
    K.RandomAffine(degrees=20, translate=(0.1, 0.1), p=1.0),
    K.ColorJitter(0.2, 0.2, 0.2, 0.1, p=1.0),
    K.RandomErasing(p=0.5),
    data_keys=["input", "mask"],
)
changed, mask = augment(images.detach(), (images.detach()[:, :1] > 0.5).float())
printed["augmented"] = [changed.mean().item(), changed.std().item(), mask.mean().item()]
rotation = kornia.geometry.axis_angle_to_rotation_matrix(torch.tensor([[0.1, 0.2, 0.3]]))
printed["rotation"] = rotation.flatten().tolist()
printed["quaternion"] = kornia.geometry.rotation_matrix_to_quaternion(rotation).flatten().tolist()
print(json.dumps(printed))
