"""Runs of the playground: PyTorch's numbers, steps that can be taken back, what is said of them."""

import base64
import json
import math
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

import chainrule as torch
from chainrule.run import installed
from chainrule.studio.playground.presets import PRESETS
from chainrule.studio.playground.script import DEFAULT, checked, script
from chainrule.studio.playground.tables import read_csv
from chainrule.studio.playground.training import Training
from chainrule.studio.programs import ProgramError
from chainrule.studio.start import starting_point

RECORDED = json.loads(
    (Path(__file__).parents[1] / "recorded/playground.json").read_text(encoding="utf-8")
)


@pytest.fixture
def train():
    """Start a run; it is closed at the end of the test."""
    made = []

    def start(**config):
        made.append(Training(config))
        return made[-1]

    with installed():
        yield start
        for run in made:
            run.close()


def epoch_ends(run, epochs):
    ends = []
    for _ in range(epochs):
        run.control("epoch")
        ends.append(run.losses[-1])
    return ends


@pytest.mark.parametrize("name", RECORDED)
def test_the_page_has_the_numbers_that_pytorch_gives_for_its_script(name, train):
    config, losses = RECORDED[name]["config"], RECORDED[name]["losses"]
    some = losses[:3]
    assert epoch_ends(train(**config), len(some)) == like(some)


def like(losses):
    return pytest.approx(losses, rel=2e-4, abs=1e-6, nan_ok=True)


@pytest.mark.slow
@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p["name"])
def test_every_classic_gives_pytorchs_losses_to_its_last_epoch(preset, train):
    recorded = RECORDED[preset["name"]]
    assert recorded["config"] == {**preset["config"], "epochs": DEFAULT["epochs"]}
    assert epoch_ends(train(**recorded["config"]), DEFAULT["epochs"]) == like(recorded["losses"])


def test_the_exploding_run_has_a_number_to_compare_before_it_overflows():
    losses = RECORDED["Exploding RNN"]["losses"]
    assert 1e8 < losses[0] < 1e9 and all(math.isnan(loss) for loss in losses[1:])


def test_the_exported_script_prints_the_losses_of_the_page(tmp_path, train):
    config = {"data": "moons", "layers": [6], "batch": 32, "epochs": 2, "seed": 4}
    file = tmp_path / "playground.py"
    file.write_text(script(checked(config)))
    command = [sys.executable, "-m", "chainrule", "run", str(file)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    printed = [line.rpartition(" ")[2] for line in ran.stdout.splitlines()]
    assert printed == [f"{loss:.7g}" for loss in epoch_ends(train(**config), 2)]


@pytest.mark.parametrize("optimizer", ["sgd", "momentum", "adam"])
def test_going_back_and_forward_again_gives_the_same_numbers(optimizer, train):
    run = train(optimizer=optimizer, points=60, norm="layer", lr=0.03)
    run._every = 7  # states to go back to
    run.control("batch")
    run.control("example")
    run.control("example")
    for _ in range(6):
        run.control("epoch")
    whole, total = list(run.losses), run.steps
    weights = [p.tolist() for p in run.script.model.parameters()]
    for to in (0, 1, 2, 3, 7, 8, total - 1):
        run.control("rewind", to=to)
        assert run.steps == to and run.losses == whole[:to]
        sizes = whole[to:]
        while run.steps < total and not run.problem:
            run._step(1 if run.steps in (1, 2) else 16)
        assert run.losses == whole and sizes
    assert [p.tolist() for p in run.script.model.parameters()] == weights


def test_steps_of_one_example_one_batch_and_one_epoch(train):
    run = train(points=40, batch=16)
    run.control("example")
    assert (run.steps, run.epoch, run._next) == (1, 1, 1)
    run.control("batch")
    assert (run.steps, run._next) == (2, 16)
    run.control("epoch")
    assert (run.epoch, run._next, run.sizes) == (1, 40, [1, 15, 16, 8])
    run.control("epoch")
    assert run.sizes[4:] == [16, 16, 8] and run.epoch == 2


def test_looking_changes_nothing(train):
    looked, alone = train(norm="batch"), train(norm="batch")
    for _ in range(5):
        looked.control("batch")
        looked.control("look")
        alone._step(16)
    assert looked.losses == alone.losses


def test_a_frame_shows_what_the_engine_has(train):
    run = train(layers=[5, 4])
    for _ in range(3):
        frame = run.control("batch")
    model = run.script.model
    assert [layer["name"] for layer in frame["layers"]] == ["0", "2", "4"]
    for layer, module in zip(frame["layers"], (model[0], model[2], model[4]), strict=True):
        squares = sum(float((p.grad**2).sum()) for p in module.parameters())
        assert layer["gradient"] == pytest.approx(math.sqrt(squares), rel=1e-5)
        # Plain descent: the step is the rate times the gradient.
        assert layer["update"] == pytest.approx(0.1 * layer["gradient"], rel=1e-3)
        assert sum(layer["weights"]["counts"]) == layer["count"]
    right = (model(run.script.inputs).argmax(1) == run.script.targets).float().mean().item()
    assert frame["accuracy"] == pytest.approx(right)
    assert [len(u["units"]) for u in frame["units"]] == [5, 4]
    out = frame["output"]
    for k, p in enumerate(out["probabilities"]):
        assert out["gradient"][k] == pytest.approx(p - (k == out["target"]), abs=1e-6)
    json.dumps(frame, allow_nan=False)


def for_a_while(run, steps):
    run.control("run")
    while run.running and run.steps < steps:
        run.advance(lambda frame: None)
    run.control("pause")
    return run.control("look")


@pytest.mark.parametrize("points", [200, 203, 16, 7])
def test_running_takes_the_same_steps_as_stepping(points, train):
    run, stepped = train(points=points), train(points=points)
    run._every = 50
    for_a_while(run, 700)
    while stepped.steps < run.steps:
        stepped._step(16)
    assert run.losses == stepped.losses and run.sizes == stepped.sizes
    assert (run.epoch, run._next) == (stepped.epoch, stepped._next)
    run.control("rewind", to=523)
    assert run.losses == stepped.losses[:523]


SAID = {
    "Vanishing gradients": "vanishing-gradient", "Exploding RNN": "exploding-gradient",
    "Dead ReLU": "dead-relu", "Bad initialization": "bad-initialization",
    "Too high a rate": "lr-too-high",
}  # fmt: skip


@pytest.mark.parametrize("preset", PRESETS, ids=lambda p: p["name"])
def test_the_classics_show_what_they_are_for(preset, train):
    frame = for_a_while(train(**preset["config"]), 150)
    rules = {f["rule"] for f in frame["findings"]}
    expected = SAID.get(preset["name"])
    assert expected in rules if expected else not rules
    if preset["name"] == "Dead ReLU":
        assert frame["units"][0]["dead"] == frame["units"][0]["count"] == 8
    epoch = train(**preset["config"]).control("epoch")  # at the same step whatever the machine
    if preset["name"] == "Vanishing gradients":
        assert epoch["layers"][0]["gradient"] < 1e-4 * epoch["layers"][-1]["gradient"]
    if preset["name"].startswith("The cure"):
        assert epoch["layers"][0]["gradient"] > 1e-2 * epoch["layers"][-1]["gradient"]
    if preset["name"] == "Bad initialization":
        for layer in frame["units"]:  # alike, however long they train
            assert len({unit["map"] for unit in layer["units"]}) == 1
    if preset["name"] == "Saddle":
        assert abs(frame["path"][-1][0]) < 0.01


def test_units_at_their_flat_ends_are_marked(train):
    frame = train(init="huge", layers=[6], activation="sigmoid", noise=0.0).control("look")
    assert frame["units"][0]["dead"] == 0
    wide = train(init="huge", layers=[6, 6, 6], activation="tanh").control("batch")
    assert sum(layer["saturated"] for layer in wide["units"]) > 0


def test_a_gradient_along_the_sequence_is_the_engines(train):
    run = train(data="first of a sequence", layers=[4], length=6, gain=1.5, batch=8)
    s, states = run.script, []
    fresh = train(data="first of a sequence", layers=[4], length=6, gain=1.5, batch=8).script
    rows = fresh.torch.randperm(len(fresh.inputs), generator=fresh.order)[:8]
    state = None
    for number in fresh.inputs[rows].unbind(1):
        state = fresh.model.cell(number, state)
        state.retain_grad()
        states.append(state)
    fresh.loss_function(fresh.model.head(state), fresh.targets[rows]).backward()
    frame = run.control("batch")
    assert frame["measured"] == 1
    assert frame["times"] == pytest.approx([h.grad.norm().item() for h in states], rel=1e-5)
    answers = s.model(s.inputs)[:, 0].tolist()
    assert frame["versus"]["y"] == pytest.approx(answers, rel=1e-6)
    assert frame["versus"]["x"] == pytest.approx(s.targets[:, 0].tolist())
    assert run.control("rewind", to=0)["times"] == []


def test_data_of_many_columns_has_its_answers_counted_and_units_by_example(train):
    rows = "\n".join(f"{k},{k * 3 % 7},{k * 5 % 11},{k % 3}" for k in range(30))
    run = train(data="csv", csv=rows, layers=[6])
    frame = run.control("epoch")
    said = run.script.model(run.script.inputs).argmax(1)
    truth = run.script.targets
    expected = [[int(((truth == t) & (said == c)).sum()) for c in range(3)] for t in range(3)]
    assert frame["confusion"] == expected and sum(map(sum, expected)) == 30
    (layer,) = frame["units"]
    assert (layer["side"], layer["rows"], layer["count"]) == (30, 1, 6)


CLASS = "class M(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
CLASS += "        self.f = nn.Linear(2, 2)\n\n    def forward(self, x):\n"
ODD_MODELS = {
    f"{CLASS}        if not self.training:\n            raise KeyError('eval')\n"
    "        return self.f(x)\n\nmodel = M()": "cannot be looked at. KeyError",
    f"{CLASS}        return self.f(x)[:, :, None].expand(-1, -1, 4) if self.training else "
    "self.f(x)[:, 0]\n\nmodel = M()": r"gives \[\d+\] for \d+ examples",
}  # fmt: skip


@pytest.mark.parametrize("own", ODD_MODELS, ids=["eval", "shape"])
def test_a_model_that_cannot_be_looked_at_is_told_of(own, train):
    frame = train(own=own).frame()
    assert re.search(ODD_MODELS[own], frame["problem"]) and not frame["running"]


def test_units_of_convolutions_are_drawn_one_by_one(train):
    own = (
        "model = nn.Sequential(nn.Unflatten(1, (1, 2)), nn.Conv1d(1, 3, 2, padding=1), nn.ReLU(), "
        "nn.Flatten(), nn.Linear(9, 2))"
    )
    frame = train(own=own).control("batch")
    (layer,) = frame["units"]
    assert layer["count"] == 9
    assert all(len(base64.b64decode(u["map"])) == 20 * 20 for u in layer["units"])


def test_own_models_and_their_errors(train):
    own = "model = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 2))"
    run = train(own=own)
    assert run.control("epoch")["units"][0]["count"] == 3
    with pytest.raises(NameError, match="'model' is not defined"):
        train(own="net = nn.Linear(2, 2)")


def test_nobody_listens_after_a_run_that_could_not_start(train):
    before = torch.zeros  # the doctor hears of tensors where they are made
    with pytest.raises(NameError):
        train(own="net = nn.Linear(2, 2)")
    assert torch.zeros is before


def test_a_csv_of_ones_own():
    made = read_csv("x,y,kind\n0,1,3\n2,5,9\n4,9,3\n\n6,13,9\n")
    assert made.names == ["3", "9"] and made.targets == [0, 1, 0, 1]
    assert made.rows[0] == pytest.approx([-1.341641, -1.341641], abs=1e-5)
    assert read_csv("0,1.5\n1,2.5\n2,3.25\n3,4.5\n").names == []
    with pytest.raises(ProgramError, match="row 2 of the CSV is '1,x'"):
        read_csv("0,1\n1,x\n2,3\n3,4\n")
    with pytest.raises(ProgramError, match="it has 1"):
        read_csv("1,2\n")
    with pytest.raises(ProgramError, match="row 1"):
        read_csv("1\n2\n3\n4\n")


@pytest.mark.parametrize(
    "given", [{"lr": "fast"}, {"lr": math.nan}, {"batch": 0}, {"data": "../x"}, {"points": 10**9},
              {"layers": [10**6]}, {"layers": [1] * 100}, {"layers": ["x"]},
              {"layers": 5}, {"layers": [2.5]}, {"csv": 5}, {"own": []}, [],
              {"unknown": 1}, {"seed": True},
              {"optimizer": "sgd'); import os"}],
)  # fmt: skip
def test_settings_that_cannot_be_are_refused(given):
    with pytest.raises(ProgramError):
        checked(given)


def test_the_page_knows_every_setting():
    settings = starting_point("", "", {}, 1)["playground"]
    assert settings["default"] == DEFAULT
    for name, known in settings["choices"].items():
        assert DEFAULT[name] in known
    for preset in settings["presets"]:
        checked(preset["config"])


@pytest.mark.slow
@pytest.mark.parametrize("config", [{}, {"layers": [64, 64], "batch": 64, "points": 1000}])
def test_training_in_the_page_keeps_four_fifths_of_its_speed(config, train):
    run = train(**config)
    s, batch = run.script, run.config["batch"]

    def plain(steps):
        began, done = time.process_time(), 0
        while done < steps:
            for rows in s.torch.randperm(len(s.inputs), generator=s.order).split(batch):
                s.train_step(s.inputs[rows], s.targets[rows])
                done += 1
        return done / (time.process_time() - began)

    def shown(steps):
        run.control("run")
        began, first = time.process_time(), run.steps
        while run.steps - first < steps:
            run.advance(json.dumps)
        return (run.steps - first) / (time.process_time() - began)

    rates = []  # with the doctor and everything that is drawn; by processor time
    for _ in range(3):
        alone = plain(3000)
        rates.append(shown(5000) / ((alone + plain(3000)) / 2))
    assert sorted(rates)[1] >= 0.8, rates


def test_a_run_keeps_to_the_pace_that_was_asked_for(train):
    run = train()
    begun = time.perf_counter()  # the run's clock begins before its first frame is drawn
    run.control("run", pace=20)
    sent, began = [], time.perf_counter()
    while time.perf_counter() - began < 1.5:
        run.advance(sent.append)
    paced, now = run.steps, time.perf_counter()
    assert 0.4 * 20 * (now - began) - 2 <= paced <= 20 * (now - begun) + 2
    assert len(sent) >= 2 and sent[-1]["step"] <= paced
    stepped = train()
    while stepped.steps < paced:
        stepped._step(16)
    assert run.losses == stepped.losses


def test_the_way_over_a_surface_has_a_place_per_step(train):
    run = train(data="saddle", layers=[], lr=0.05, batch=1)
    for _ in range(30):
        run.control("batch")
    whole = run.control("look")["path"]
    assert len(whole) == 31 and whole[0] == pytest.approx([0.9, 0.001])
    assert whole[1][0] == pytest.approx(0.9 - 0.05 * 2 * 0.9)
    assert run.control("rewind", to=10)["path"] == whole[:11]
    far = for_a_while(run, 2000)["path"]
    assert len(far) <= 402 and far[0] == whole[0]
    assert far[-1] == pytest.approx([float(v) for v in run.script.model.at])


def test_units_that_say_the_same_everywhere_are_drawn_between_the_colours(train):
    frame = train(activation="relu", init="negative bias", layers=[4]).control("look")
    for unit in frame["units"][0]["units"]:
        assert set(base64.b64decode(unit["map"])) == {127} and unit["state"] == "dead"


CSVS = {
    "semicolons": "x;y;z\n1,5;2;0,5\n2,5;3;1,5\n3;1;2,5\n4;2;3,5\n",
    "tabs": "x\ty\n1\t2\n2\t4\n3\t6\n4\t8\n",
    "a mark of the encoding": "\ufeffx,y\n1,2\n2,4\n3,6\n4,8\n",
    "line ends of three systems": "x,y\r\n1,2\r2,4\n3,6\r\n4,8\r\n",
    "quotes": '"x, the first","y"\n"1","2"\n"2","4"\n"3","6"\n"4","8"\n',
    "words without a head": "1,2,setosa\n2,3,virginica\n3,1,setosa\n1,1,virginica\n",
    "words below a head": "a,b,kind\n1,2,setosa\n2,3,virginica\n3,1,setosa\n1,1,virginica\n",
}


@pytest.mark.parametrize("text", CSVS.values(), ids=CSVS)
def test_a_csv_as_other_programs_write_it(text):
    made = read_csv(text)
    assert len(made.rows) == 4 and made.rows[0][0] < 0
    if "setosa" in text:
        assert made.names == ["setosa", "virginica"] and made.targets == [0, 1, 0, 1]


NO_CSV = {
    "": "it has 0",
    "x,y\n<img src=x onerror=alert(1)>,2\n": "it has 1",
    "x,y\n1,nan\n2,inf\n3,1e999\n4,2\n": "row 2 of the CSV",
    "x,y\n1,2\n2,3'''\n3,4\n4,5\n": "row 3 of the CSV",
    "x,y,z\n1,,2\n2,3,1\n3,4,1\n4,4,2\n": "row 2 of the CSV",
    "1,2\n2,3,4\n3,4\n4,5\n": "row 2 of the CSV",
    "1,1\n2,1\n3,1\n4,1\n": "nothing to learn",
    "".join(f"{k},w{k}\n" for k in range(20)): "20 different words",
    "1,2\n" * 5000: "needs 4 to 2,000 rows",
    (",".join(["1"] * 5000) + "\n") * 30: "100,000 cells",
    f"1,{'9' * 200_000}\n" * 4: "no CSV that can be read",
    "\0\x01\xff" * 1000: "CSV",
}


@pytest.mark.parametrize("text", NO_CSV, ids=range(len(NO_CSV)))
def test_a_csv_that_cannot_be_used_is_refused_with_its_reason(text):
    with pytest.raises(ProgramError, match=re.escape(NO_CSV[text])):
        checked_script = script(checked({"data": "csv", "csv": text}))
        assert not checked_script


def test_words_of_a_csv_are_data_of_the_script_alone(train):
    words = ['"""', "'''\nimport os\n", "\\", "</script>", "{x}"]
    rows = "".join(f'{k},{k * k % 7},"{words[k % 5].replace(chr(34), chr(34) * 2)}"\n'
                   for k in range(20))  # fmt: skip
    run = train(data="csv", csv=rows, layers=[3])
    frame = run.control("epoch")
    assert frame["classes"] == sorted(w.strip() for w in words) == run.script.CLASSES
    assert not hasattr(run.script, "os")
