"""A physics-informed network solves Poisson's equation."""

import json

import deepxde as dde
import numpy as np

dde.config.set_default_float("float64")
dde.config.set_random_seed(0)


def poisson(x, y):
    return dde.grad.hessian(y, x) + np.pi**2 * dde.backend.torch.sin(np.pi * x)


interval = dde.geometry.Interval(-0.3, 1)
boundary = dde.icbc.DirichletBC(
    interval, lambda x: np.sin(np.pi * x), lambda x, on_boundary: on_boundary
)
data = dde.data.PDE(
    interval, poisson, boundary, 16, 2, solution=lambda x: np.sin(np.pi * x), num_test=20,
    train_distribution="uniform",
)  # fmt: skip
model = dde.Model(data, dde.nn.FNN([1, 12, 12, 1], "tanh", "Glorot uniform"))
model.compile("adam", lr=1e-2, metrics=["l2 relative error"])
history, state = model.train(iterations=10, display_every=2, verbose=0)
points = np.linspace(-0.3, 1, 5)[:, None]
print(
    json.dumps(
        {
            "losses": np.asarray(history.loss_train, dtype=float).ravel().tolist(),
            "errors": np.asarray(history.metrics_test, dtype=float).ravel().tolist(),
            "solution": model.predict(points).astype(float).ravel().tolist(),
        }
    )
)
