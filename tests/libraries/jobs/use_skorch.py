"""`NeuralNetClassifier` in a pipeline with a scaler, early stopping and a grid search."""

import json

import numpy as np
import torch
from sklearn.datasets import make_classification
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import StandardScaler
from skorch import NeuralNetClassifier
from skorch.callbacks import EarlyStopping, EpochScoring
from torch import nn

torch.manual_seed(0)
np.random.seed(0)
X, y = make_classification(200, 12, n_informative=6, random_state=0)
X, y = X.astype(np.float32), y.astype(np.int64)


class Net(nn.Module):
    def __init__(self, hidden=16, dropout=0.2):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(12, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, 2)
        )

    def forward(self, x):
        return self.layers(x)


def make_net():
    return NeuralNetClassifier(
        Net,
        criterion=nn.CrossEntropyLoss,
        optimizer=torch.optim.Adam,
        lr=0.02,
        max_epochs=6,
        batch_size=32,
        verbose=0,
        iterator_train__shuffle=True,
        callbacks=[
            ("auc", EpochScoring("roc_auc", lower_is_better=False)),
            ("stop", EarlyStopping(patience=3)),
        ],
    )


pipeline = Pipeline([("scale", StandardScaler()), ("net", make_net())])
pipeline.fit(X, y)
history = pipeline["net"].history
net = make_net()
net.initialize()
net.save_params(f_params="params.pt")
net.load_params(f_params="params.pt")
search = GridSearchCV(make_net(), {"module__hidden": [4, 16]}, cv=2, scoring="accuracy")
search.fit(X, y)
print(
    json.dumps(
        {
            "train_loss": history[:, "train_loss"],
            "valid_loss": history[:, "valid_loss"],
            "auc": history[:, "roc_auc"],
            "probability": pipeline.predict_proba(X[:4]).astype(float).ravel().tolist(),
            "grid": search.cv_results_["mean_test_score"].tolist(),
        }
    )
)
