"""What a compiled function may do with a number it read, and which values the number takes.

A use is the text of statements that make `y` of `y` and the number `{v}`.
"""

from __future__ import annotations

import random

OPERAND = (
    "y = y * {v}", "y = {v} - y", "y = y / {v}", "y = y ** {v}", "y = y + {v}", "y = {v} * y",
    "y = torch.add(y, y, alpha={v})", "y = y.clamp(max={v})", "y = y + torch.full_like(y, {v})",
    "y = y * torch.tensor({v})", "y = torch.where(y > {v}, y, -y)", "y = torch.lerp(y, y * 2, {v})",
    "y = torch.nn.functional.leaky_relu(y, {v})", "y = y + torch.full((1,), {v})",
    "y = y.clone().mul_({v})", "y = y.clone().fill_({v})", "y = torch.arange(3) * {v}",
    "y = y // {v}", "y = y % {v}", "y = y == {v}", "y = torch.maximum(y, torch.tensor({v}))",
    "y = y.masked_fill(y > 0, {v})", "y = torch.nn.functional.dropout(y, 0.0) * {v}",
    "y = torch.addcmul(y, y, y, value={v})", "y = torch.nn.functional.pad(y, (1, 0), value={v})",
    "y = torch.tensor([{v}, 1]) + y[..., :1]", "y = y * {v} * {v}", "y = y * ({v} + 1)",
    "y = y * ({v} * {v})", "y = y * (2 - {v})", "y = y * ({v} / 4)", "y = y * -{v}",
    "y = y - {v} * 0.5", "y = y.clone()\ny[..., 0] = {v}", "y = y.pow({v})",
    "y = y * torch.linspace(0, {v}, 3)", "y = torch.nn.functional.elu(y, alpha={v})",
)  # fmt: skip
ARITHMETIC = (
    "y = y * min({v}, 1.5)", "y = y * max({v}, 0)", "y = y * ({v} % 3)", "y = y * round({v})",
    "y = y * round({v}, 1)", "y = y * abs({v})", "y = y * int({v})", "y = y * float({v})",
    "y = y * bool({v})", "y = y * ({v} // 2)", "y = y * divmod({v}, 2)[1]", "y = y * pow({v}, 2)",
    "y = y * sum([{v}, 1])", "y = y * sorted([{v}, 0.5])[0]", "y = y * max([1, {v}, 0.25])",
    "y = y * pow(3, {v}, 7)",
    "y = y * +{v}", "y = y * ({v} ** 2)", "y = y * ({v} > 1)", "y = y * (1 / ({v} or 1))",
    "y = y * ({v} == 1)", "y = y * complex({v}, 0).real", "y = y * min(max({v}, -1), 1)",
    "y = y * ({v} - {v} + 1)", "y = y * [2, {v}][1]", "y = y * (lambda q: q + 1)({v})",
)  # fmt: skip
MATHS = (
    "y = y * math.floor({v})", "y = y * math.copysign(1.0, {v})", "y = y * math.isnan({v})",
    "y = y * math.sqrt(abs({v}))", "y = y * math.exp({v})", "y = y * math.hypot({v}, 1)",
    "y = y * math.fmod({v}, 2)", "y = y * math.trunc({v})", "y = y * math.cos({v} * 0.5)",
    "y = y * math.atan2({v}, -1)", "y = y * math.isclose({v}, 1)", "y = y * math.ceil({v})",
    "y = y * math.prod([{v}, 2])", "y = y * math.frexp({v})[0]", "y = y * (0.5 ** {v})",
)  # fmt: skip
TEXT = (
    "q = {v}\ny = y * float(f'{{q:.1f}}')", "y = y * len(str({v}))", "y = y * float(repr({v}))",
    "y = y * float('%s' % {v})", "y = y * (hash(float({v})) % 7 if {v} == {v} else 3)",
    "q = {v}\ny = y * len(f'{{q!r}}')",
    "y = y * float('{{}}'.format({v}))", "y = y * (str({v}) == '1')", "y = y * int('%d' % {v})",
    "y = y * float(json.dumps({v}))", "y = y * float(ast.literal_eval(repr({v})))",
    "y = y * len('{{0:>8}}'.format({v}))", "q = {v}\ny = y * float(f'{{q:.2e}}')",
    "y = y * len(','.join(map(str, [{v}, 1])))", "y = y * sum(map(ord, str({v})))",
    "y = y * len('%.3f' % {v})", "y = y * len('{{n}}'.format_map(dict(n={v})))",
)  # fmt: skip
LOOK_UP = (
    "y = y * {{0: 0.5, 1: 2.0, 2: 3.0}}.get({v}, 0.3)", "y = y * ({v} in (1, 2))",
    "y = y * [0.5, 2.0, 3.0][int(abs({v})) % 3]", "y = y * [1, 2, {v}].index({v})",
    "y = y * len({{1, 0, {v}}})", "y = y * ({v} in {{0, 1}})", "y = y * [{v}, 1].count(1)",
    "y = y * {{True: 3.0, False: 5.0}}[bool({v})]", "y = y * ('a', 'bc')[{v} > 0].count('b')",
    "y = y * bisect.bisect([0.1, 1, 2], {v})", "y = y * ({v} in [0.5, 2.0])",
    "y = y * sorted([3, 1, 2], key=lambda q: q * {v})[0]", "y = y * {{{v}: 5.0}}.get(1, 2.0)",
    "y = y * dict([({v}, 1)]).get(2, 3.0)", "y = y * list({{'a': {v}}}.values())[0]",
    "y = y * (lambda **named: named['q'])(q={v})", "y = y * max({{'a': {v}, 'b': 1}}.values())",
    "y = y * min([1, {v}], key=abs)", "y = y * [q for q in (0.5, 1, 2) if q <= {v}].count(1)",
    "y = y * {{{v}: 5.0}}.get({v}, 2.0)", "q = {v}\ny = y * ([q].count(q) + 1)",
    "y = y * len([*zip([1] * 3, range(int(bool({v})) + 1))])", "y = y * ({v} == 1 == True)",
)  # fmt: skip
KIND = (
    "y = y * (2 if isinstance({v}, int) else 3)", "y = y * isinstance({v}, bool)",
    "y = y * (2 if type({v}) is float else 5)", "y = y * len(type({v}).__name__)",
    "y = y * (2 if {v} is True else 5)", "y = y * (2 if {v} is None else 5)",
    "y = y * (2 if isinstance({v}, numbers.Integral) else 3)", "y = y * hasattr({v}, 'is_integer')",
    "y = y * (2 if {v} is keep else 5)", "y = y * (2 if id({v}) == id(keep) else 5)",
    "y = y * (4 if callable({v}) else 6)",
    "y = y * (3 if isinstance({v}, (float, np.floating)) else 4)",
    "y = y * (2 if issubclass({v}.__class__, int) else 3)", "y = y * getattr({v}, 'real', 3)",
    "y = y * (2 if np.isscalar({v}) else 3)", "y = y * (2 if hasattr({v}, '__float__') else 3)",
    "match {v}:\n    case bool():\n        y = y * 2\n    case int():\n        y = y * 3\n"
    "    case _:\n        y = y * 5",
)  # fmt: skip
BRANCH = (
    "if {v} > 1:\n    y = y * 2\nelse:\n    y = y * 3", "if {v}:\n    y = y + 1",
    "if {v} == 2:\n    y = y.sin()", "if {v} != {v}:\n    y = y * 0", "y = y * ({v} and 2 or 3)",
    "if 0 < {v} < 2:\n    y = y * {v}", "if not {v}:\n    y = -y",
    "y = y.sin() if {v} < 1 else y.cos()",
    "match {v}:\n    case 0:\n        y = y * 2\n    case 1:\n        y = y * 3\n"
    "    case _:\n        y = y * 5",
    "if {v} >= 0.5 and {v} <= 1:\n    y = y * 7", "y = (torch.sin, torch.cos)[{v} > 1](y)",
    "if {v} - 0.5:\n    y = y * 2", "if round({v}) == 2:\n    y = y * 2",
    "if {v} > 1:\n    return y",
    "try:\n    y = y * (1 / {v})\nexcept ZeroDivisionError:\n    y = y * 9",
    "if {v} > 0 or y.shape[0] > 7:\n    y = y * 2", "if any([{v} > 1, False]):\n    y = y * 2",
    "if all(q > 1 for q in [{v}]):\n    y = y * 2", "assert {v} < 1.75\ny = y * 2",
    "y = y * 2\nif {v} > 1:\n    raise ValueError", "y = getattr(y, 'sin' if {v} > 1 else 'cos')()",
    "y = y * {v} if {v} > 1 else y + {v}",
    "try:\n    y = y * (7 // {v})\nexcept (ZeroDivisionError, TypeError):\n    y = y * 9",
    "try:\n    y = y + round({v})\nexcept (OverflowError, ValueError):\n    y = y * 9",
    "try:\n    q = 3 % {v}\n    y = y * 2\nexcept ZeroDivisionError:\n    y = y * 9",
    "try:\n    if {v} > 1:\n        raise KeyError\n    y = y * 2\nexcept KeyError:\n"
    "    y = y * 3\nfinally:\n    y = y + 1",
    "try:\n    y = y * int({v})\nexcept (ValueError, OverflowError, TypeError):\n    y = y * 9",
    "with torch.set_grad_enabled(bool({v})):\n    y = y * 2",
    "y = y * 2 if (q := {v}) > 1 else y * q", "while {v} > 1:\n    y = y * 2\n    break",
    "def inner(t):\n    return t * 2 if {v} > 1 else t * {v}\ny = inner(y)",
    "y = (lambda t: t * {v})(y)", "y = [t * {v} for t in (y,)][0]",
    "y = next(t * {v} for t in (y,))", "match {v}:\n    case int() | float() as q if q > 1:\n"
    "        y = y * q\n    case _:\n        y = y * 5",
    "y = y.sin() if {v} is None or {v} > 1 else y.cos()", "y = y * (1 if {v} else 2) + ({v} or 3)",
)  # fmt: skip
LOOP = (
    "for _ in range(int(abs({v}))):\n    y = y * 0.5", "for k in range({v}):\n    y = y + k",
    "k = 0\nwhile k < {v} and k < 4:\n    y = y * 0.5\n    k += 1",
    "for k in range(3):\n    y = y + k * {v}", "y = sum([y] * int({v}), y)",
    "for k in range(3):\n    if k < {v}:\n        y = y * 2",
    "for q in [{v}, 1]:\n    y = y * q", "y = y + len(range(0, 3, max(1, int({v}))))",
)  # fmt: skip
SHAPE = (
    "y = y[:1] + torch.ones(int(abs({v})) % 3 + 1)", "y = y.expand(int(abs({v})) % 3 + 1, -1)",
    "y = y.repeat(int({v}) % 2 + 1)", "y = torch.arange(int(abs({v})) + 1) + y[:1]",
    "y = y[:int(abs({v})) % 3 + 1]", "y = y[{v}]", "y = y[..., ::int(abs({v})) % 2 + 1]",
    "y = y.unsqueeze(int(abs({v})) % 2)", "y = y.sum({v})", "y = y.roll(int({v}))",
    "y = y.reshape({v}, -1)", "y = y.narrow(0, 0, int({v}))", "y = torch.zeros({v}) + y[:1]",
    "y = torch.eye(int(abs({v})) + 1)", "y = y.cumsum({v})", "y = y.sum(keepdim=bool({v}))",
    "y = y.unsqueeze(0).flatten(0, int(bool({v})))", "y = torch.stack([y] * (int(bool({v})) + 1))",
    "y = y.reshape(1, -1).transpose(0, int(bool({v})))",
    "y = y.unsqueeze(0).permute(int(bool({v})), int(not {v}))",
    "y = y.split(int(abs({v})) + 1)[0]", "y = y.chunk(int(abs({v})) + 1)[-1]",
    "y = y.flip(int(abs({v})) % y.dim())", "y = y.softmax(int(bool({v})) - 1)",
    "y = torch.cat([y] * (int(bool({v})) + 1), -1)", "y = y[..., [int(bool({v})), 0]]",
    "y = y.narrow(-1, int(bool({v})), 1)",
    "y = y.unsqueeze(-1).expand(*y.shape, int(abs({v})) % 3)",
    "y = y.to([torch.float32, torch.float64][int(bool({v}))])",
    "y = y[y.new_ones(y.shape[0]) > {v}]",
    "y = torch.zeros(2, int(abs({v})) % 3) + y.sum()", "y = y.topk(int(bool({v})) + 1).values",
    "y = y.std(correction=int(bool({v})))", "y = y.clamp(min={v}, max=2)",
)  # fmt: skip
NUMPY = (
    "y = y * float(np.float32({v}))", "y = y * float(np.sin({v}))", "y = y * np.maximum({v}, 1)",
    "y = y * torch.tensor(np.array([{v}]))", "y = y * torch.as_tensor(np.array({v}))",
    "y = y * float(np.array([{v}, 1]).sum())", "y = y * np.float64({v})", "y = y * np.sign({v})",
    "y = y * float(np.clip({v}, 0, 1))", "y = y * float(np.isnan({v}))",
    "y = y + torch.from_numpy(np.full(3, {v}, dtype=np.float32))",
    "y = y * np.array([{v}, 2.0])[0]", "y = y * float(np.interp({v}, [0, 1], [1, 2]))",
    "y = y * np.where({v} > 1, 2.0, 3.0)", "y = y * np.float64(2) * {v}",
    "y = np.float64(2) * {v} * y", "y = y * int(np.floor({v}))", "y = y * bool(np.any([{v}, 0]))",
    "y = y * float(np.mean([{v}, 1]))",
)  # fmt: skip
USES: dict[str, tuple[str, ...]] = {
    "operand": OPERAND, "arithmetic": ARITHMETIC, "math": MATHS, "text": TEXT, "look-up": LOOK_UP,
    "kind": KIND, "branch": BRANCH, "loop": LOOP, "shape": SHAPE, "numpy": NUMPY,
}  # fmt: skip
PAIRS = (
    "y = y * {v} + {w}", "y = y * ({v} - {w})", "y = y * ({v} * {w})", "y = (y + {v}) / ({w} or 1)",
    "if {v} > {w}:\n    y = y * 2", "y = y * max({v}, {w})", "y = y * ({v} == {w})",
    "y = y * ({v} if {w} else 2)", "y = y * {v} - y * {w}", "y = y * {v}\ny = y + {w}",
    "for k in range(2):\n    y = y * (k + {v}) + {w}", "y = torch.where(y > {v}, y * {w}, y)",
)  # fmt: skip
RETURNS = (
    "return y", "return y", "return y", "return y", "return y, {v}", "return [y, {v} * 2]",
    "return dict(y=y, v={v})", "return y, str({v})", "return y, y * {v}",
    "return y, None, ({v}, y)",
    "return y, {v} > 1", "return (y, x)",
)  # fmt: skip

FLOATS = ("0.5", "2.0", "1.0", "-1.5", "3.0", "0.25", "1.5", "1e-3", "7.0", "0.1", "-2.0")
INTS = ("1", "2", "3", "0", "-1", "5", "7", "300", "4")
SPECIAL = ("float('nan')", "float('inf')", "-float('inf')", "0.0", "-0.0", "1e300", "1e-40")
# Loops and sizes take what is small: others run for hours.
HUGE = ("2**40", "2**70", "1e300", "300")
ODD = (
    "2**40", "2**70", "np.float32(0.5)", "np.int64(2)", "np.float64(1.5)", "np.bool_(True)",
    "1 + 2j", "None", "'a'", "keep", "np.array(2.0)", "fractions.Fraction(1, 2)",
    "decimal.Decimal('0.5')", "b'a'", "[]", "torch.tensor(2.0)", "torch.float64",
)  # fmt: skip
EQUAL = (("1", "1.0", "True"), ("0", "0.0", "-0.0", "False"), ("2", "2.0", "np.int64(2)"),
         ("0.5", "np.float32(0.5)", "fractions.Fraction(1, 2)"),
         ("keep", "float('0.' + '5')", "0.5"),
         ("1", "True"), ("0", "False"), ("0.0", "-0.0"), ("2", "2.0"), ("3", "3.0"),
         ("float('nan')", "float('nan')", "1.0"))  # fmt: skip


def values(rng: random.Random) -> list[str]:
    """The values that a piece of state takes, two to five of them."""
    kind = rng.random()
    if kind < 0.3:
        return rng.sample(FLOATS, rng.randint(2, 5))
    if kind < 0.5:
        return rng.sample(INTS, rng.randint(2, 5))
    if kind < 0.7:
        return list(rng.choice(EQUAL))
    if kind < 0.8:
        return ["True", "False"]
    if kind < 0.9:
        return [rng.choice(FLOATS), rng.choice(SPECIAL), rng.choice(SPECIAL + INTS)]
    if kind < 0.95:
        return [rng.choice(FLOATS + INTS), rng.choice(ODD), rng.choice(ODD + INTS)]
    return [rng.choice(FLOATS + INTS + SPECIAL) for _ in range(4)]


def schedule(rng: random.Random, calls: int) -> list[str]:
    """The value in each call: changing always, once, in turns, or coming back."""
    menu = values(rng)
    kind = rng.randrange(7)
    if kind == 0:
        return [rng.choice(menu) for _ in range(calls)]
    if kind == 1:
        return [menu[k % len(menu)] for k in range(calls)]
    if kind in (2, 3):  # constant until it has been compiled, then another
        change = rng.randint(1, calls - 1)
        return [menu[0] if k < change else menu[1] for k in range(calls)]
    if kind == 4:
        return [menu[k // 2 % len(menu)] for k in range(calls)]
    if kind == 5:
        return [menu[0] if k < 4 else menu[k % len(menu)] for k in range(calls)]
    return [menu[0] if k % 4 else menu[-1] for k in range(calls)]
