"""Rotations between their forms, averaged, interpolated and fitted to points."""

import json

import roma
import torch

torch.manual_seed(0)
vectors = torch.randn(4, 3, dtype=torch.float64, requires_grad=True)
matrices = roma.rotvec_to_rotmat(vectors)
quaternions = roma.rotmat_to_unitquat(matrices)
points = torch.randn(10, 3, dtype=torch.float64)
moved = points @ matrices[0].T + 0.01 * torch.randn(10, 3, dtype=torch.float64)
fitted, shift = roma.rigid_points_registration(points, moved)
special = roma.special_procrustes(torch.randn(3, 3, 3, dtype=torch.float64) + matrices[0])
loss = roma.rotmat_geodesic_distance(fitted, matrices[1]) + special.sum()
loss.backward()
print(
    json.dumps(
        {
            "matrices": matrices.flatten().tolist(),
            "quaternions": quaternions.flatten().tolist(),
            "back": roma.rotmat_to_rotvec(matrices).flatten().tolist(),
            "between": roma.rotvec_slerp(vectors[0], vectors[1], torch.tensor([0.3])).tolist(),
            "fitted": fitted.flatten().tolist() + shift.tolist(),
            "euler": roma.rotmat_to_euler("XYZ", matrices, as_tuple=False).flatten().tolist(),
            "gradient": vectors.grad.flatten().tolist(),
        }
    )
)
