"""`memory.leaks()` names what keeps graphs, and on which line it was filled."""

import functools
import inspect
from concurrent.futures import ThreadPoolExecutor

import chainrule as torch
from chainrule import memory


def from_a_program_of_its_own(test):
    """Run a test in a thread: below it are no variables of pytest's, which hold all other tests and
    would be searched too, for many seconds."""

    @functools.wraps(test)
    def run():
        with ThreadPoolExecutor(1) as thread:
            thread.submit(test).result()

    return run


def line_of(function, text):
    lines, first = inspect.getsourcelines(function)
    return first + next(k for k, line in enumerate(lines) if text in line)


def mine(found, name):
    return [leak for leak in found if leak.name == name]


@from_a_program_of_its_own
def test_a_list_of_losses():
    w = torch.ones(3, requires_grad=True)
    history = []
    for _ in range(40):
        loss = (w * w).sum()
        loss.backward()
        history.append(loss)
    (leak,) = mine(memory.leaks(), "history")
    assert (leak.kind, leak.graphs) == ("list", 40)
    assert leak.text == "history.append(loss)"
    assert leak.made.text == "loss = (w * w).sum()"
    text = str(leak)
    assert f"list `history` on line {leak.line} keeps 40 graphs alive" in text
    assert "loss.item()" in text
    history[:] = [x.item() for x in history]
    assert not mine(memory.leaks(), "history")


@from_a_program_of_its_own
def test_the_line_is_the_one_that_fills_it():
    w = torch.ones(3, requires_grad=True)
    steps = {}
    for k in range(5):
        steps[k] = (w * k).exp()
    (leak,) = mine(memory.leaks(), "steps")
    assert leak.line == line_of(test_the_line_is_the_one_that_fills_it, "steps[k] = (w * k).exp()")
    assert leak.bytes == 5 * 12  # not finished: exp's results are still kept


@from_a_program_of_its_own
def test_attributes_of_objects():
    class Trainer:
        def __init__(self):
            self.losses = []

    trainer = Trainer()
    w = torch.ones(3, requires_grad=True)
    for _ in range(3):
        trainer.losses.append((w * w).sum())
    (leak,) = mine(memory.leaks(), "trainer.losses")
    assert leak.graphs == 3


@from_a_program_of_its_own
def test_a_running_total():
    w = torch.ones(3, requires_grad=True)
    total = torch.zeros(())
    for _ in range(7):
        loss = (w * w).sum()
        total = total + loss
        loss.backward()
    (leak,) = mine(memory.leaks(), "total")
    assert leak.graphs == 7 and leak.text == "total = total + loss"


@from_a_program_of_its_own
def test_states_of_one_graph_and_plain_tensors_are_no_leak():
    w = torch.ones(3, requires_grad=True)
    states, numbers, h = [], [], w
    for _ in range(20):
        h = torch.tanh(h * w)
        states.append(h)
        numbers.append(h.detach())
    found = memory.leaks()
    assert not mine(found, "states") and not mine(found, "numbers")
    assert len(mine(memory.leaks(at_least=1), "states")) == 1


@from_a_program_of_its_own
def test_when_there_is_nothing_it_says_so():
    assert "no variable or container" in str(memory.leaks(at_least=10**6))
