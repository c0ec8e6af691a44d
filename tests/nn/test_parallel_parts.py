"""`DataParallel`'s steps one by one, for programs that call them."""

import chainrule as torch


def test_the_parts_of_data_parallel_give_the_whole():
    model = torch.nn.DataParallel(torch.nn.Linear(3, 2))
    x = torch.ones(4, 3)
    inputs, kwargs = model.scatter((x,), {}, model.device_ids)
    replicas = model.replicate(model.module, model.device_ids)
    outputs = model.parallel_apply(replicas, inputs, kwargs)
    assert torch.equal(model.gather(outputs, None), model(x))
    assert model.gather([torch.ones(1, 2), torch.ones(2, 2)], None).shape == (3, 2)
