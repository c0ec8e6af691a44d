"""TabNet classifies a table, with its masks and importances, and pre-trains without labels."""

import json
import warnings

import numpy as np
from pytorch_tabnet.pretraining import TabNetPretrainer
from pytorch_tabnet.tab_model import TabNetClassifier

warnings.simplefilter("ignore")
random = np.random.default_rng(0)
x = random.standard_normal((128, 6)).astype(np.float32)
y = (x[:, 0] + x[:, 1] > 0).astype(int)
options = {"n_d": 4, "n_a": 4, "n_steps": 2, "seed": 0, "verbose": 0, "device_name": "cpu"}
options["optimizer_params"] = {"lr": 1e-3}
fitting = {"max_epochs": 1, "batch_size": 64, "virtual_batch_size": 16, "drop_last": False}
before = TabNetPretrainer(**options)
before.fit(x, eval_set=[x], **fitting)
model = TabNetClassifier(**options)
model.fit(x, y, eval_set=[(x[:40], y[:40])], from_unsupervised=before, **fitting)
explained, masks = model.explain(x[:4])
print(
    json.dumps(
        {
            "pretraining": before.history["loss"],
            "losses": model.history["loss"],
            "scores": [float(one) for one in model.history["val_0_auc"]],
            "probability": model.predict_proba(x[:4]).astype(float).ravel().tolist(),
            "importance": model.feature_importances_.astype(float).tolist(),
            "mask": masks[0].astype(float).ravel().tolist(),
        }
    )
)
