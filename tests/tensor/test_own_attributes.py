"""Attributes that users' Tensor classes keep on their tensors are theirs."""

import copy

import chainrule as torch


class Annotated(torch.Tensor):
    @classmethod
    def __torch_function__(cls, func, types, args=(), kwargs=None):
        found = super().__torch_function__(func, types, args, kwargs)
        if isinstance(found, cls):
            found.__dict__.update(args[0].__dict__)
        return found


def test_a_name_that_other_libraries_use_is_an_ordinary_attribute():
    x = torch.ones(3).as_subclass(Annotated)
    assert not hasattr(x, "_meta")
    x._meta = {"affine": 1}
    assert (x * 2)._meta == x[0]._meta == copy.deepcopy(x)._meta == {"affine": 1}
    y = torch.ones(2, requires_grad=True)
    y._meta = "mine"
    seen = []
    y.register_hook(lambda g: seen.append(g.tolist()))
    (y * 3).sum().backward()
    assert seen == [[3.0, 3.0]] and y._meta == "mine"
