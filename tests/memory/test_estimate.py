"""Predicted activation memory against what a run really keeps."""

import pytest

import chainrule as torch
from chainrule import memory, nn
from chainrule.ops import allocation

from .models import GPT, MODELS, example


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.float16], ids=str)
@pytest.mark.parametrize("train", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("name", MODELS)
def test_the_estimate_is_what_a_run_keeps(name, train, dtype):
    make, shape = MODELS[name]
    model = make().train(train)
    predicted = memory.estimate(model, shape, dtype=dtype)
    x = example(name, shape, dtype)
    model.to(dtype)
    with memory.track(model) as tracked:
        result = model(x)
    kept = tracked.at_most_saved()
    given = x.nbytes if any(e.shape == x.shape for e in kept.entries) else 0
    assert abs(predicted.activations - (kept.activations - given)) <= 0.1 * predicted.activations
    assert predicted.ran == {}  # nothing was computed
    del result


@pytest.mark.skipif(not allocation.count(), reason="needs machine code")
@pytest.mark.parametrize("name", ["mlp", "cnn", "transformer", "gpt"])
def test_the_estimate_is_what_the_allocator_counts(name):
    make, shape = MODELS[name]
    model, x = make(), example(name, shape, torch.float32)
    predicted = memory.estimate(model, shape)
    model(x)  # scratch memory of kernels is there now
    before = allocation.live_bytes()
    result = model(x)
    grown = allocation.live_bytes() - before
    assert abs(predicted.activations + predicted.result - grown) <= 0.1 * grown
    del result


def test_nothing_changes_in_the_model_or_the_random_stream():
    model = MODELS["cnn"][0]()
    before = {k: v.clone() for k, v in model.state_dict().items()}
    state = torch.get_rng_state()
    memory.estimate(model, (8, 3, 16, 16), dtype=torch.float64, train=False)
    assert torch.equal(torch.get_rng_state(), state)
    assert all(torch.equal(v, before[k]) for k, v in model.state_dict().items())
    assert model.training and model[0].weight.dtype is torch.float32


def test_a_model_that_would_not_fit_is_estimated_without_its_memory():
    layer = nn.Sequential(nn.Linear(1000, 1000), nn.ReLU())
    peak = allocation.Peak()
    before = peak.bytes
    predicted = memory.estimate(layer, (100_000_000, 1000))
    assert predicted.by("op")["relu"] == 400_000_000_000
    assert peak.bytes - before < 10_000_000


def test_terms_have_modules_ops_and_lines():
    predicted = memory.estimate(GPT(), (4, 64))
    modules = predicted.by("module")
    assert modules["blocks.0.mlp.1"] == 4 * 64 * 128 * 4
    assert predicted.by("op")["gelu"] == 3 * modules["blocks.0.mlp.1"]
    entry = next(e for e in predicted.entries if e.op == "gelu")
    assert entry.place.text == "return x + self.mlp(self.norm2(x))"
    assert "one forward pass would keep" in str(predicted)


def test_what_checkpointing_would_leave_agrees_with_a_checkpointed_run():
    from chainrule.utils.checkpoint import checkpoint
    from chainrule.utils.checkpoint_measure import ActivationMeter

    class Checkpointed(GPT):
        def forward(self, x):
            h = self.tokens(x) + self.places(torch.arange(x.shape[1]))
            for block in self.blocks:
                h = checkpoint(block, h, use_reentrant=False)
            return self.head(self.norm(h))

    predicted = memory.estimate(GPT(layers=6), (4, 64)).checkpointed
    assert predicted is not None and predicted.where == "blocks" and predicted.blocks == 6
    model = Checkpointed(layers=6)
    x = torch.randint(0, 50, (4, 64))
    with ActivationMeter([*model.parameters(), x]) as meter:
        loss = model(x).sum()
    loss.backward()
    measured = meter.peak
    meter.close()
    assert abs(predicted.bytes - measured) <= 0.1 * measured
    assert predicted.share > 0.6


def test_shapes_that_do_not_fit_and_other_bad_input():
    model = nn.Sequential(nn.Linear(10, 5))
    with pytest.raises(RuntimeError, match="mat1 and mat2 shapes cannot be multiplied"):
        memory.estimate(model, (4, 11))
    with pytest.raises(TypeError, match="is no shape"):
        memory.estimate(model, (4, 1.5))
    with pytest.raises(TypeError, match="takes a module, got function"):
        memory.estimate(lambda x: x, (4,))
    with pytest.raises(TypeError, match="needs the shape of the model's input"):
        memory.estimate(model)
    y = model(torch.ones(2, 10))  # and nothing stays switched on
    assert torch.equal(y, model(torch.ones(2, 10))) and y.abs().sum() > 0


def test_rules_of_thumb_give_the_known_figures():
    assert memory.rule_of_thumb(batch=32, width=4096).bytes == 512 * 1024
    assert round(memory.rule_of_thumb(batch=32, width=4096, layers=96).bytes / 1e6) == 50
    made = memory.rule_of_thumb(
        batch=8, sequence=2048, width=768, heads=12, layers=12, dtype=torch.float16
    )
    assert round(made.bytes / 1e9) == 3
    assert round(made.scores / 1e9, 1) == 9.7
    assert "scaled_dot_product_attention never holds them" in str(made)
    with pytest.raises(ValueError, match="width is 0"):
        memory.rule_of_thumb(batch=1, width=0)
