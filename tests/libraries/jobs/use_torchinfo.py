"""The summary of a convolutional network and of a transformer layer: shapes, parameters, work."""

import json

import torch
from torch import nn
from torchinfo import summary

torch.manual_seed(0)
convolutional = nn.Sequential(
    nn.Conv2d(3, 8, 3, padding=1),
    nn.BatchNorm2d(8),
    nn.ReLU(),
    nn.MaxPool2d(2),
    nn.Flatten(),
    nn.Linear(8 * 16 * 16, 10),
)
first = summary(convolutional, input_size=(4, 3, 32, 32), verbose=0, col_width=16,
                col_names=("input_size", "output_size", "num_params", "mult_adds"))  # fmt: skip
second = summary(
    nn.TransformerEncoderLayer(16, 4, 32, batch_first=True),
    input_data=torch.randn(2, 5, 16),
    depth=4,
    verbose=0,
)
third = summary(nn.LSTM(8, 16, num_layers=2), input_size=(7, 3, 8), verbose=0)
results = (first, second, third)
print(
    json.dumps(
        {
            "text": str(first).splitlines(),
            "parameters": [result.total_params for result in results],
            "work": [result.total_mult_adds for result in results],
            "layers": [
                [one.class_name, list(one.output_size)]
                for result in results
                for one in result.summary_list
            ],
        }
    )
)
