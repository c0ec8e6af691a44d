"""On the torch backend: fit with callbacks, evaluate, a functional recurrent model, a file."""

import json

import keras
import numpy as np
from keras import layers

keras.utils.set_random_seed(0)
random = np.random.default_rng(0)
images = random.random((48, 12, 12, 1), dtype=np.float32)
labels = (images.mean(axis=(1, 2, 3)) > 0.5).astype("int64")
model = keras.Sequential(
    [
        keras.Input((12, 12, 1)),
        layers.Conv2D(4, 3, activation="relu"),
        layers.BatchNormalization(),
        layers.MaxPooling2D(),
        layers.Flatten(),
        layers.Dropout(0.2),
        layers.Dense(2, activation="softmax"),
    ]
)
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
history = model.fit(
    images,
    labels,
    batch_size=16,
    epochs=3,
    validation_split=0.25,
    verbose=0,
    callbacks=[
        keras.callbacks.EarlyStopping(patience=2),
        keras.callbacks.LearningRateScheduler(lambda epoch, rate: rate * 0.9),
        keras.callbacks.ModelCheckpoint("best.keras", save_best_only=True),
    ],
)
evaluated = model.evaluate(images, labels, verbose=0)

tokens = random.integers(1, 20, (32, 7))
words = keras.Input((7,), dtype="int64")
hidden = layers.Embedding(20, 8)(words)
hidden = layers.MultiHeadAttention(2, 4)(hidden, hidden)
hidden = layers.LSTM(6)(layers.LayerNormalization()(hidden))
recurrent = keras.Model(words, layers.Dense(1)(hidden))
recurrent.compile(keras.optimizers.AdamW(1e-2), "mse")
sums = (tokens.sum(1, keepdims=True) / 70).astype("float32")
trained = recurrent.fit(tokens, sums, epochs=2, batch_size=8, verbose=0, shuffle=False)
model.save("model.keras")
again = keras.models.load_model("model.keras")
print(
    json.dumps(
        {
            "backend": keras.backend.backend(),
            "history": history.history,
            "evaluated": evaluated,
            "recurrent": trained.history["loss"],
            "predicted": again.predict(images[:3], verbose=0).astype(float).tolist(),
            "parameters": [model.count_params(), recurrent.count_params()],
        }
    )
)
