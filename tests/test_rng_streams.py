"""Random draws equal PyTorch's CPU generator, bit for bit, in values and in state.

The expected digests are recorded from PyTorch by tools/record/record_rng.py.
"""

import base64
import copy
import hashlib
import json
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from chainrule.ops import rng
from chainrule.ops.rng import _integers

RECORDED = json.loads((Path(__file__).parent / "recorded" / "rng.json").read_text())
SEQUENCES = RECORDED["sequences"]


def np_dtype(name: str) -> np.dtype:
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def decoded(name: str, value: object) -> object:
    if isinstance(value, dict):
        exact = np.array(RECORDED["arrays"][value["array"]], np.float64)
        return exact.astype(np_dtype(value["dtype"]))
    return np_dtype(value) if name == "dtype" else value


def draw(generator: rng.Generator, step: dict) -> np.ndarray:
    arguments = {name: decoded(name, value) for name, value in step["args"].items()}
    return getattr(rng, step["op"])(generator, **arguments)


def digest(data: np.ndarray) -> str:
    return hashlib.sha256(np.ascontiguousarray(data).tobytes()).hexdigest()[:16]


def replayed(generator: rng.Generator, sequence: dict) -> list[str]:
    generator.manual_seed(sequence["seed"])
    return [digest(draw(generator, step)) for step in sequence["steps"]]


@pytest.mark.filterwarnings("ignore:.*precision limitations:UserWarning")  # tested below
@pytest.mark.parametrize("name", SEQUENCES)
def test_values_and_states_equal_pytorch(name):
    sequence = SEQUENCES[name]
    generator = rng.Generator().manual_seed(sequence["seed"])
    for index, step in enumerate(sequence["steps"]):
        values = draw(generator, step)
        where = f"step {index}: {step['op']} {step['args']} begins {step['head']} in PyTorch, "
        where += f"{values.ravel()[:2]} here"
        assert list(values.shape) == step["shape"], where
        assert digest(values) == step["digest"], where
        assert digest(generator.get_state()) == step["state"], where


def test_results_have_the_asked_type():
    generator = rng.Generator()
    assert rng.uniform(generator, (2, 3), np.float16).dtype == np.float16
    assert rng.uniform(generator, (2, 3), np.complex64).dtype == np.complex64
    assert rng.normal(generator, 20, np_dtype("bfloat16")).dtype == np_dtype("bfloat16")
    assert rng.randint(generator, 0, 2, 5, np.bool_).dtype == np.bool_
    assert rng.multinomial(generator, np.ones(3), 2).dtype == np.int64
    assert rng.bernoulli_array(generator, np.ones(3, np.float32)).dtype == np.float32


def test_results_can_be_written_to():
    generator = rng.Generator()
    for values in (
        rng.uniform(generator, (2, 2)),
        rng.normal(generator, (4, 4), np.complex128),
        rng.randperm(generator, 600),
        rng.standard_gamma(generator, np.ones(3)),
    ):
        assert values.flags.writeable and values.flags.c_contiguous


# --- seeds ---


def test_an_unseeded_generator_starts_at_the_documented_seed():
    assert rng.Generator().initial_seed() == 67280421310721
    fresh = rng.uniform(rng.Generator(), 4)
    assert np.array_equal(fresh, rng.uniform(rng.Generator().manual_seed(67280421310721), 4))


@pytest.mark.parametrize(
    ("seed", "initial"),
    [(3, 3), (-1, 2**64 - 1), (-(2**63), 2**63), (2**64 - 1, 2**64 - 1), (2**63, 2**63)],
)
def test_seeds_wrap_to_64_bits(seed, initial):
    generator = rng.Generator()
    assert generator.manual_seed(seed) is generator
    assert generator.initial_seed() == initial


def test_only_the_low_32_bits_of_a_seed_choose_the_stream():
    low, high = rng.Generator().manual_seed(5), rng.Generator().manual_seed(2**32 + 5)
    assert np.array_equal(rng.uniform(low, 9), rng.uniform(high, 9))


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1])
def test_a_seed_out_of_range_is_refused(seed):
    with pytest.raises(ValueError, match=f"Overflow when unpacking long long.*{seed}"):
        rng.Generator().manual_seed(seed)


@pytest.mark.parametrize("seed", [1.5, "1", True, None])
def test_a_seed_that_is_no_integer_is_refused(seed):
    with pytest.raises(RuntimeError, match="manual_seed expected a long, but got"):
        rng.Generator().manual_seed(seed)


def test_seed_chooses_a_new_stream_and_reports_it():
    generator = rng.Generator()
    first, second = generator.seed(), generator.seed()
    assert first != second
    assert generator.initial_seed() == second
    repeated = rng.Generator().manual_seed(second)
    assert np.array_equal(rng.uniform(generator, 5), rng.uniform(repeated, 5))


def test_seeding_forgets_a_waiting_normal():
    generator = rng.Generator().manual_seed(1)
    first = rng.normal(generator, 3, np.float64)
    generator.manual_seed(1)
    assert np.array_equal(rng.normal(generator, 3, np.float64), first)


def test_draws_without_a_generator_use_the_default_one():
    before = rng.default_generator.get_state()
    try:
        rng.default_generator.manual_seed(8)
        drawn = rng.uniform(None, 6)
    finally:
        rng.default_generator.set_state(before)
    assert np.array_equal(drawn, rng.uniform(rng.Generator().manual_seed(8), 6))


# --- states ---


def test_a_state_saved_by_pytorch_continues_here():
    saved = RECORDED["saved"]
    state = np.frombuffer(base64.b64decode(saved["state"]), np.uint8)
    generator = rng.Generator()
    assert generator.set_state(state) is generator
    assert np.array_equal(generator.get_state(), state)
    assert generator.initial_seed() == 20
    normals, uniforms = saved["values"]
    assert rng.normal(generator, 2, np.float64).tolist() == normals
    assert rng.uniform(generator, 3, np.float64).tolist() == uniforms


@pytest.mark.parametrize("drawn", [0, 1, 623, 624, 625, 1248])
def test_a_restored_state_repeats_the_draws(drawn):
    generator = rng.Generator().manual_seed(3)
    rng.uniform(generator, drawn)
    state = generator.get_state()
    expected = rng.uniform(generator, 700)
    assert np.array_equal(rng.uniform(rng.Generator().set_state(state), 700), expected)
    other = rng.Generator().set_state(state)
    assert np.array_equal(other.get_state(), state)


def test_the_single_precision_slot_survives_a_round_trip():
    state = rng.Generator().get_state()
    state[-8:-4] = np.array([2.5], np.float32).view(np.uint8)
    state[-4] = 1
    assert np.array_equal(rng.Generator().set_state(state).get_state(), state)


@pytest.mark.parametrize(
    "make_copy",
    [
        copy.copy,
        copy.deepcopy,
        lambda g: pickle.loads(pickle.dumps(g)),
        rng.Generator.clone_state,
    ],
)
def test_copies_continue_independently(make_copy):
    generator = rng.Generator().manual_seed(6)
    rng.normal(generator, 3)
    duplicate = make_copy(generator)
    assert duplicate is not generator
    assert duplicate.initial_seed() == 6
    rng.uniform(duplicate, 100)
    expected = rng.normal(make_copy(generator), 9)
    assert np.array_equal(rng.normal(generator, 9), expected)


@pytest.mark.parametrize(
    ("state", "error", "message"),
    [
        (np.zeros(5056, np.float32), TypeError, "RNG state must be a torch.ByteTensor.*float32"),
        (np.zeros(5, np.uint8), RuntimeError, "Expected a CPUGeneratorImplState of size 5056.* 5"),
        (np.zeros(5056, np.uint8), RuntimeError, "Invalid mt19937 state"),
    ],
)
def test_a_damaged_state_is_refused_and_changes_nothing(state, error, message):
    generator = rng.Generator().manual_seed(2)
    before = generator.get_state()
    with pytest.raises(error, match=message):
        generator.set_state(state)
    assert np.array_equal(generator.get_state(), before)


def test_a_generator_lives_on_the_cpu():
    assert rng.Generator("cpu").device == "cpu"
    with pytest.raises(RuntimeError, match=r"cuda.*CPU only"):
        rng.Generator("cuda")


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda g: g.get_offset(), RuntimeError),
        (lambda g: g.set_offset(1), RuntimeError),
        (lambda g: g.graphsafe_get_state(), NotImplementedError),
        (lambda g: g.graphsafe_set_state(g), NotImplementedError),
    ],
)
def test_what_only_other_devices_have_is_refused(call, error):
    with pytest.raises(error, match=r"offset|not supported in this Generator"):
        call(rng.Generator())


# --- threads and import ---


def test_no_draw_depends_on_what_other_threads_do():
    names = ["mixed 0", "mixed 1", "mixed 2", "normal float32"]
    results: dict[int, list[list[str]]] = {}

    def work(index: int) -> None:
        generator = rng.Generator()
        results[index] = [replayed(generator, SEQUENCES[name]) for name in names]

    threads = [threading.Thread(target=work, args=(index,)) for index in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = [[step["digest"] for step in SEQUENCES[name]["steps"]] for name in names]
    assert [results[index] for index in range(4)] == [expected] * 4


@pytest.mark.parametrize("count", ["1", "3"])
def test_no_draw_depends_on_the_number_of_threads(count):
    code = (
        "import hashlib, numpy as np; from chainrule.ops import rng; g = rng.Generator(); "
        "g.manual_seed(4); d = [rng.normal(g, 70001), rng.uniform(g, 70001), rng.randperm(g, 5000),"
        "rng.multinomial(g, rng.uniform(g, (9, 50)), 7, True), rng.dropout_mask(g, 70001)];"
        "print(hashlib.sha256(b''.join(x.tobytes() for x in d)).hexdigest())"
    )
    settings = dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), count)
    generator = rng.Generator().manual_seed(4)
    here = hashlib.sha256(
        rng.normal(generator, 70001).tobytes()
        + rng.uniform(generator, 70001).tobytes()
        + rng.randperm(generator, 5000).tobytes()
        + rng.multinomial(generator, rng.uniform(generator, (9, 50)), 7, True).tobytes()
        + rng.dropout_mask(generator, 70001).tobytes()
    ).hexdigest()
    assert run_python(code, settings).strip() == here


def run_python(code: str, settings: dict[str, str]) -> str:
    source = Path(rng.__file__).parents[3]
    environment = {"PYTHONPATH": str(source), **settings}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout


def test_threads_that_share_a_generator_never_get_the_same_word():
    generator = rng.Generator().manual_seed(9)
    drawn: list[np.ndarray] = []

    def work() -> None:
        for _ in range(50):
            drawn.append(rng.uniform(generator, 97, np.float64))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = rng.uniform(rng.Generator().manual_seed(9), (200, 97), np.float64)
    assert sorted(map(tuple, drawn)) == sorted(map(tuple, alone))


def test_nothing_is_imported_before_the_first_draw():
    code = (
        "import sys; from chainrule.ops import rng; g = rng.Generator(); g.manual_seed(1); "
        "rng.default_generator.manual_seed(2); print('numpy.random' in sys.modules); "
        "rng.uniform(g, 3); print('numpy.random' in sys.modules, 'ml_dtypes' in sys.modules)"
    )
    assert run_python(code, {}).split() == ["False", "True", "False"]


# --- edges ---


@pytest.mark.parametrize("p", [0, 1, 0.0, 1.0])
def test_certain_dropout_takes_nothing_from_the_stream(p):
    generator = rng.Generator()
    before = generator.get_state()
    assert rng.dropout_mask(generator, (2, 2), np.float32, p).tolist() == [[1 - p] * 2] * 2
    assert np.array_equal(generator.get_state(), before)


def test_rejected_draws_give_unused_words_back():
    generator = rng.Generator().manual_seed(5)
    rng.poisson(generator, np.zeros(3))
    assert np.array_equal(rng.uniform(generator, 3), rng.uniform(rng.Generator().manual_seed(5), 3))


def test_a_strided_result_can_ask_for_the_order_of_pairs():
    pairs = rng.normal(rng.Generator().manual_seed(1), 20, np.float64, contiguous=False)
    first = rng.normal(rng.Generator().manual_seed(1), 15, np.float64)
    assert np.array_equal(pairs[:15], first)


def test_categories_of_weight_zero_come_last():
    weights = np.array([0.0, 0.5, 0.0, 0.5, 0.0], np.float32)
    order = rng.multinomial(rng.Generator(), weights, 5).tolist()
    assert sorted(order[:2]) == [1, 3]
    assert order[2:] == [0, 2, 4]


def test_the_shuffle_of_huge_sizes_is_a_permutation(monkeypatch):
    # PyTorch shuffles 214748364 or more values in another way; the size is lowered to run it.
    monkeypatch.setattr(_integers, "_LARGE_PERMUTATION", 10)
    generator = rng.Generator().manual_seed(1)
    order = rng.randperm(generator, 1000)
    assert sorted(order.tolist()) == list(range(1000))
    skipped = rng.Generator().manual_seed(1)
    rng.uniform(skipped, 2000)
    assert np.array_equal(generator.get_state(), skipped.get_state())


def test_integers_beyond_a_float_type_are_announced():
    with pytest.warns(UserWarning, match=r"to - 1 is out of bounds \[-\(2\^24\), 2\^24\]"):
        values = rng.randint(rng.Generator(), 0, 2**25, 50, np.float32)
    assert values.max() < 2**25


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda g: rng.uniform(g, 2, np.int32), NotImplementedError, "check_uniform_bounds.*Int"),
        (lambda g: rng.uniform(g, 2, low=3, high=1), RuntimeError, "from=3 > to=1"),
        (lambda g: rng.uniform(g, 2, high=np.inf), RuntimeError, "to is out of bounds for float"),
        (lambda g: rng.uniform(g, 2, low=-3e38, high=3e38), RuntimeError, "exceed the limit"),
        (lambda g: rng.normal(g, 2, std=-1), RuntimeError, "std >= 0.0, but found std -1"),
        (lambda g: rng.normal(g, 2, np.int64), NotImplementedError, "normal_kernel_cpu.*Long"),
        (
            lambda g: rng.normal_like(g, 0.0, np.array([1.0, -2.0])),
            RuntimeError,
            "all elements of std >= 0.0.*-2.0",
        ),
        (
            lambda g: rng.normal_like(g, 0.0, np.ones(2, np.complex64)),
            RuntimeError,
            "standard deviation to be non-complex",
        ),
        (lambda g: rng.log_normal(g, 2, std=0), RuntimeError, "std > 0.0, but found std=0"),
        (lambda g: rng.exponential(g, 2, rate=0), RuntimeError, "lambda > 0.0.*lambda=0"),
        (lambda g: rng.exponential(g, 2, np.int32), RuntimeError, "floating point but you.*Int"),
        (lambda g: rng.cauchy(g, 2, sigma=-1), RuntimeError, "sigma > 0.0.*sigma=-1"),
        (lambda g: rng.geometric(g, 2, p=0), RuntimeError, r"in \(0, 1\), but got p=0"),
        (lambda g: rng.geometric(g, 2, np.bool_, 0.5), NotImplementedError, "geometric_cpu.*Bool"),
        (lambda g: rng.bernoulli(g, 2, p=1.5), RuntimeError, r"in \[0, 1\], but got p=1.5"),
        (lambda g: rng.bernoulli(g, 2, p=np.nan), RuntimeError, "but got p=nan"),
        (
            lambda g: rng.bernoulli_array(g, np.array([0.5, 1.5])),
            RuntimeError,
            "p_in >= 0 && p_in <= 1.*1.5",
        ),
        (lambda g: rng.bernoulli_array(g, np.ones(2, int)), NotImplementedError, "cpu_p_.*Long"),
        (lambda g: rng.randint(g, 5, 5, 2), RuntimeError, "from=5 >= to=5"),
        (lambda g: rng.randint(g, 0, 300, 2, np.uint8), RuntimeError, "to - 1.*unsigned char"),
        (lambda g: rng.randint(g, -1, 3, 2, np.uint8), RuntimeError, "from is out of bounds"),
        (lambda g: rng.randint(g, 0, 3, 2, np.bool_), RuntimeError, "out of bounds for bool"),
        (lambda g: rng.randint(g, -(2**63), None, 2, np.int32), RuntimeError, "only int64, double"),
        (lambda g: rng.random_full(g, 2, np.uint16), NotImplementedError, "random_kernel.*UInt16"),
        (lambda g: rng.randperm(g, -1), RuntimeError, "negative dimension -1"),
        (lambda g: rng.randperm(g, 300, np.uint8), RuntimeError, "uint8_t without overflow"),
        (lambda g: rng.randperm(g, 3, np.bool_), NotImplementedError, "randperm.*Bool"),
        (lambda g: rng.dropout_mask(g, 2, p=1.5), ValueError, "between 0 and 1, but got 1.5"),
        (lambda g: rng.multinomial(g, np.ones(3), 4), RuntimeError, "without replacement.*4"),
        (lambda g: rng.multinomial(g, np.ones(3), 0), RuntimeError, "n_sample <= 0"),
        (lambda g: rng.multinomial(g, np.zeros(3), 2), RuntimeError, "sum of probabilities <= 0"),
        (
            lambda g: rng.multinomial(g, np.array([[1.0, 0], [0, 0]]), 2, True),
            RuntimeError,
            "sum of probabilities <= 0.*Row 1",
        ),
        (lambda g: rng.multinomial(g, np.array([1, -1.0]), 1), RuntimeError, "element < 0"),
        (lambda g: rng.multinomial(g, np.array([1, -1.0]), 2, True), RuntimeError, "entry < 0"),
        (lambda g: rng.multinomial(g, np.array([1, np.nan]), 2, True), RuntimeError, "or NaN"),
        (lambda g: rng.multinomial(g, np.ones(3, int), 1), RuntimeError, "floating-point.*Long"),
        (lambda g: rng.multinomial(g, np.ones((2, 2, 2)), 1), RuntimeError, "1 or 2 dim"),
        (lambda g: rng.poisson(g, np.array([-1.0])), RuntimeError, "non-negative.*-1"),
        (lambda g: rng.poisson(g, np.array([np.inf])), RuntimeError, "finite.*inf"),
        (lambda g: rng.poisson(g, np.array([1])), NotImplementedError, "poisson_cpu.*Long"),
        (
            lambda g: rng.binomial(g, np.ones(1), np.ones(1, np.float32)),
            RuntimeError,
            "Found dtype Float but expected Double",
        ),
        (lambda g: rng.binomial(g, np.ones(1, int), np.ones(1)), ValueError, "for count.*Long"),
        (
            lambda g: rng.standard_gamma(g, np.ones(1, np.float16)),
            NotImplementedError,
            "gamma_cpu.*Half",
        ),
        (
            lambda g: rng.rrelu_noise(g, np.ones(1, np.float16)),
            NotImplementedError,
            "rrelu_with_noise_out_cpu.*Half",
        ),
    ],
)
def test_refused_arguments_say_why_and_draw_nothing(call, error, message):
    generator = rng.Generator().manual_seed(1)
    before = generator.get_state()
    with pytest.raises(error, match=message):
        call(generator)
    assert np.array_equal(generator.get_state(), before)
