"""Trees of containers under PyTorch's names. The expected texts are PyTorch's."""

import dataclasses
import json
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import chainrule as torch
import chainrule.utils._pytree as pytree

Point = namedtuple("Point", "x y")


def tree():
    return {
        "b": [1, (2, None)],
        "a": Point(3, OrderedDict(z=1)),
        "d": defaultdict(int, {"k": 5}),
        "q": deque([1], maxlen=3),
    }


class Pair:
    def __init__(self, a, b, label):
        self.a, self.b, self.label = a, b, label


@pytest.fixture
def registered_pair():
    pytree.register_pytree_node(
        Pair,
        lambda p: ([p.a, p.b], p.label),
        lambda values, label: Pair(*values, label),
        serialized_type_name="Pair",
    )
    yield Pair
    pytree._deregister_pytree_node(Pair)


def test_leaves_form_and_back():
    leaves, form = pytree.tree_flatten(tree())
    assert leaves == [1, 2, None, 3, 1, 5, 1]
    assert (form.type, form.context, form.num_nodes, form.num_children, form.num_leaves) == (
        dict, ["b", "a", "d", "q"], 14, 4, 7,
    )  # fmt: skip
    rebuilt = form.unflatten(leaves)
    assert rebuilt == tree() and type(rebuilt["a"]) is Point and rebuilt["q"].maxlen == 3
    assert rebuilt["d"].default_factory is int
    assert (
        str(pytree.tree_structure([1, (2,)]))
        == "TreeSpec(list, None, [*,\n  TreeSpec(tuple, None, [*])])"
    )
    assert pytree.treespec_pprint(form) == (
        "{'b': [*, (*, *)], 'a': Point(x=*, y=OrderedDict([('z', *)])), "
        "'d': defaultdict(<class 'int'>, {'k': *}), 'q': deque([*], maxlen=3)}"
        if repr(OrderedDict(z=1)).startswith("OrderedDict([")
        else "{'b': [*, (*, *)], 'a': Point(x=*, y=OrderedDict({'z': *})), "
        "'d': defaultdict(<class 'int'>, {'k': *}), 'q': deque([*], maxlen=3)}"
    )


def test_paths():
    pairs, form = pytree.tree_flatten_with_path(tree())
    assert [pytree.keystr(path) for path, _ in pairs] == [
        "['b'][0]", "['b'][1][0]", "['b'][1][1]", "['a'].x", "['a'].y['z']", "['d']['k']",
        "['q'][0]",
    ]  # fmt: skip
    assert all(pytree.key_get(tree(), path) == leaf for path, leaf in pairs)
    assert pairs[3][0] == (pytree.MappingKey("a"), pytree.GetAttrKey("x"))
    assert form == pytree.tree_structure(tree())
    assert pytree.tree_map_with_path(lambda p, x, y: (pytree.keystr(p), x, y), [1], [2]) == [
        ("[0]", 1, 2)
    ]


def test_the_form_as_text_is_pytorchs():
    form = pytree.tree_structure({"a": [1], "b": (2, defaultdict(list, {"c": 3}), torch.Size([1]))})
    text = pytree.treespec_dumps(form)
    leaf = {"type": None, "context": None, "children_spec": []}
    factory = {
        "default_factory_module": "builtins", "default_factory_name": "list", "dict_context": ["c"],
    }  # fmt: skip
    assert json.loads(text) == [1, {
        "type": "builtins.dict", "context": '["a", "b"]', "children_spec": [
            {"type": "builtins.list", "context": "null", "children_spec": [leaf]},
            {"type": "builtins.tuple", "context": "null", "children_spec": [
                leaf,
                {"type": "collections.defaultdict", "context": factory, "children_spec": [leaf]},
                {"type": "torch.Size", "context": "null", "children_spec": [leaf]},
            ]},
        ],
    }]  # fmt: skip
    assert pytree.treespec_loads(text) == form
    with pytest.raises(NotImplementedError, match="deserialize namedtuple"):
        pytree.treespec_loads(pytree.treespec_dumps(pytree.tree_structure(Point(1, 2))))


def test_maps_of_several_trees():
    assert pytree.tree_map(lambda a, b: (a, b), [1, 2], [[3], 4]) == [(1, [3]), (2, 4)]
    assert pytree.tree_map(lambda a, b: a + b, {"a": 1, "b": 2}, OrderedDict(b=10, a=20)) == {
        "a": 21, "b": 12,
    }  # fmt: skip
    with pytest.raises(ValueError, match="Node arity mismatch; expected 2, but got 1"):
        pytree.tree_map(max, [1, 2], [1])
    with pytest.raises(ValueError, match="Node type mismatch; expected <class 'list'>"):
        pytree.tree_map(max, [1, 2], (1, 2))
    with pytest.raises(ValueError, match=r"missing key\(s\): {'a'}; extra key\(s\): {'b'}"):
        pytree.tree_map(max, {"a": 1}, {"b": 1})
    with pytest.raises(ValueError, match="`leaves` has length 1 but the spec refers"):
        pytree.tree_unflatten([1], pytree.tree_structure([1, 2]))


def test_only_some_leaves():
    assert pytree.tree_map_only((int, str), lambda x: x * 2, [1, "a", 2.0]) == [2, "aa", 2.0]
    assert pytree.tree_map_only(lambda x: x == 1, lambda x: 9, [1, 2]) == [9, 2]
    assert pytree.tree_all_only(int, lambda x: x > 0, [1, "a"])
    assert pytree.tree_leaves([1, [2, 3]], is_leaf=lambda x: x == [2, 3]) == [1, [2, 3]]
    seen = []
    given = [1, (2,)]
    assert pytree.tree_map_(seen.append, given) is given and seen == [1, 2]


def test_a_prefix_is_spread_over_a_form():
    form = pytree.tree_structure(((0, 0), [1, {"a": 2, "b": 3}]))
    assert pytree._broadcast_to_and_flatten((1, [2, 3]), form) == [1, 1, 2, 3, 3]
    assert pytree._broadcast_to_and_flatten((1, [2]), form) is None


def test_types_of_users_also_reach_the_transforms(registered_pair):
    form = pytree.tree_structure(Pair(1, [2], "m"))
    assert pytree.treespec_loads(pytree.treespec_dumps(form)) == form
    assert pytree.tree_leaves([Pair(1, 2, 0), 3]) == [1, 2, 3]
    pair = Pair(torch.ones(3), torch.full((3,), 2.0), "m")
    assert torch.func.vmap(lambda p: p.a + p.b)(pair).tolist() == [3, 3, 3]
    slope = torch.func.grad(lambda p: (p.a * p.b).sum())(pair)
    assert (type(slope), slope.label, slope.a.tolist()) == (Pair, "m", [2, 2, 2])
    with pytest.raises(ValueError, match="already registered"):
        pytree.register_pytree_node(Pair, None, None)


def test_dataclasses_and_constants():
    @dataclasses.dataclass
    class Data:
        x: int
        y: int | None = None

    pytree.register_dataclass(Data)
    try:
        assert pytree.tree_leaves(Data(1)) == [1]
        assert pytree.tree_map(lambda v: v + 1, Data(1, 2)) == Data(2, 3)
    finally:
        pytree._deregister_pytree_node(Data)

    class Fixed(str):
        pass

    pytree.register_constant(Fixed)
    try:
        assert pytree.tree_leaves([Fixed("a"), 1]) == [1]
        assert pytree.tree_map(lambda v: -v, [Fixed("a"), 1]) == ["a", -1]
    finally:
        pytree._deregister_pytree_node(Fixed)
