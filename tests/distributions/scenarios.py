"""Programs with distributions whose outcome was recorded with PyTorch (see tests/scenario.py)."""


def _t(torch, *values):
    return torch.tensor(list(values), dtype=torch.float64)


# ---- checks --------------------------------------------------------------------------------------


def scale_must_be_positive(torch):
    torch.distributions.Normal(torch.zeros(2), torch.tensor([1.0, -1.0]))


def probs_must_sum_to_one(torch):
    torch.distributions.Categorical(torch.tensor([0.5, -0.5]))


def low_below_high(torch):
    torch.distributions.Uniform(torch.tensor(2.0), torch.tensor(1.0))


def nan_parameter(torch):
    torch.distributions.Normal(torch.tensor(float("nan")), 1.0)


def not_positive_definite(torch):
    matrix = torch.tensor([[1.0, 2.0], [2.0, 1.0]])
    torch.distributions.MultivariateNormal(torch.zeros(2), matrix)


def value_outside(torch):
    torch.distributions.Bernoulli(torch.tensor(0.5)).log_prob(torch.tensor(0.3))


def value_outside_of_uniform(torch):
    torch.distributions.Uniform(0.0, 1.0).log_prob(torch.tensor(1.5))


def value_of_wrong_shape(torch):
    torch.distributions.Normal(torch.zeros(3), torch.ones(3)).log_prob(torch.zeros(2))


def event_of_wrong_shape(torch):
    torch.distributions.Dirichlet(torch.ones(3)).log_prob(torch.ones(2) / 2)


def value_must_be_a_tensor(torch):
    torch.distributions.Normal(0.0, 1.0).log_prob(0.5)


def both_probs_and_logits(torch):
    torch.distributions.Bernoulli(torch.tensor(0.5), torch.tensor(0.5))


def neither_probs_nor_logits(torch):
    torch.distributions.Categorical()


def scalar_probs_for_categories(torch):
    torch.distributions.Categorical(torch.tensor(0.5))


def unchecked(torch):
    d = torch.distributions.Normal(torch.zeros(1), -torch.ones(1), validate_args=False)
    return (
        d.scale,
        d.log_prob(torch.zeros(1)),
        torch.distributions.Uniform(0.0, 1.0, validate_args=False).log_prob(torch.tensor(1.5)),
    )


def checks_switched_off_for_all(torch):
    torch.distributions.Distribution.set_default_validate_args(False)
    try:
        return torch.distributions.Normal(torch.zeros(1), -torch.ones(1)).scale
    finally:
        torch.distributions.Distribution.set_default_validate_args(True)


def geometric_of_zero(torch):
    torch.distributions.Geometric(torch.tensor([0.5, 0.0]))


def text_as_parameter(torch):
    torch.distributions.Normal("a", 1.0)


def no_rsample(torch):
    torch.distributions.Poisson(torch.ones(1)).rsample()


def no_divergence(torch):
    torch.distributions.kl_divergence(
        torch.distributions.Normal(0.0, 1.0), torch.distributions.Bernoulli(torch.tensor(0.5))
    )


def old_sample_n(torch):
    return list(torch.distributions.Normal(0.0, 1.0).sample_n(3).shape)


def lowrank_shapes(torch):
    torch.distributions.LowRankMultivariateNormal(torch.zeros(2), torch.ones(3, 1), torch.ones(2))


def two_covariances(torch):
    eye = torch.eye(2)
    torch.distributions.MultivariateNormal(torch.zeros(2), eye, scale_tril=eye)


# ---- shown and compared --------------------------------------------------------------------------


def shown(torch):
    d = torch.distributions
    return [
        repr(d.Normal(0.0, 1.0)), repr(d.Normal(torch.zeros(2), torch.ones(2))),
        repr(d.Categorical(torch.ones(2, 3))), repr(d.Bernoulli(logits=torch.zeros(()))),
        repr(d.Independent(d.Normal(torch.zeros(2), torch.ones(2)), 1)),
        repr(d.MixtureSameFamily(d.Categorical(torch.ones(2)), d.Normal(torch.zeros(2), 1.0))),
        repr(d.transforms.ComposeTransform([d.ExpTransform(), d.AffineTransform(1, 2).inv])),
        repr(d.constraints.interval(0, 1)), repr(d.constraints.positive),
        repr(d.constraints.real_vector), repr(d.constraints.simplex),
        repr(d.IndependentTransform(d.ExpTransform(), 1)),
        repr(d.constraints.integer_interval(0, 3)),
    ]  # fmt: skip


def equal_transforms(torch):
    d = torch.distributions
    return [
        d.ExpTransform() == d.ExpTransform(), d.ExpTransform() == d.SigmoidTransform(),
        d.AffineTransform(1, 2) == d.AffineTransform(1, 2),
        d.AffineTransform(1, 2) == d.AffineTransform(1, 3),
        d.AffineTransform(torch.ones(2), 2.0) == d.AffineTransform(torch.ones(2), 2.0),
        d.PowerTransform(2.0) == d.PowerTransform(2.0),
        d.ExpTransform().inv == d.ExpTransform().inv,
        d.ComposeTransform([d.ExpTransform()]) == d.ComposeTransform([d.ExpTransform()]),
    ]  # fmt: skip


def constraint_checks(torch):
    c = torch.distributions.constraints
    x = torch.tensor([-1.0, 0.0, 0.5, 1.0, 2.0, float("nan")])
    m = torch.tensor([[1.0, 0.0], [0.5, 2.0]])
    return [
        c.real.check(x), c.positive.check(x), c.nonnegative.check(x), c.unit_interval.check(x),
        c.boolean.check(x), c.less_than(1.0).check(x), c.half_open_interval(0, 1).check(x),
        c.nonnegative_integer.check(x), c.integer_interval(0, 1).check(x),
        c.one_hot.check(torch.eye(3)), c.simplex.check(torch.tensor([[0.5, 0.5], [0.5, 0.6]])),
        c.lower_triangular.check(m), c.lower_triangular.check(m.T), c.lower_cholesky.check(m),
        c.lower_cholesky.check(-m), c.positive_definite.check(m @ m.T),
        c.positive_definite.check(m), c.square.check(m), c.symmetric.check(m),
        c.positive_semidefinite.check(torch.ones(2, 2)), c.corr_cholesky.check(torch.eye(2)),
        c.corr_cholesky.check(m), c.independent(c.positive, 1).check(torch.ones(2, 3)),
        c.stack([c.positive, c.real]).check(torch.tensor([[-1.0, 1.0], [-1.0, 2.0]])),
        c.cat([c.positive, c.boolean], 0, [1, 2]).check(torch.tensor([-1.0, 1.0, 3.0])),
        c.is_dependent(c.dependent), c.is_dependent(c.real), c.real_vector.event_dim,
        c.boolean.is_discrete, c.multinomial(3).check(torch.tensor([1.0, 2.0])),
    ]  # fmt: skip


def dependent_constraint(torch):
    torch.distributions.constraints.dependent.check(torch.ones(1))


def dependent_event_dim(torch):
    return torch.distributions.constraints.dependent.event_dim


def classes_show_their_regions(torch):
    d = torch.distributions
    return [
        d.Uniform.support.event_dim, d.Categorical.support.is_discrete,
        repr(d.Normal.support), repr(d.Normal.arg_constraints["scale"]),
        d.Multinomial.support.event_dim,
    ]  # fmt: skip


# ---- transforms ----------------------------------------------------------------------------------


def _transforms(torch):
    d, t = torch.distributions, torch.distributions.transforms
    x = _t(torch, -1.3, 0.2, 0.9)
    vector = _t(torch, 0.3, -0.5, 1.2)
    return {
        "exp": (t.ExpTransform(), x),
        "power": (t.PowerTransform(_t(torch, 2.0, 0.5, -1.0)), x.abs()),
        "sigmoid": (t.SigmoidTransform(), x),
        "softplus": (t.SoftplusTransform(), x),
        "tanh": (t.TanhTransform(), x),
        "affine": (t.AffineTransform(1.5, -2.0), x),
        "affine event": (
            t.AffineTransform(_t(torch, 1.0, 2.0, 3.0), _t(torch, 2.0, 1.0, -3.0), 1), x),
        "affine number event": (t.AffineTransform(1.0, 2.0, 1), x),
        "stick": (t.StickBreakingTransform(), vector),
        "corr": (t.CorrCholeskyTransform(), vector),
        "compose": (t.ComposeTransform([t.AffineTransform(0.1, 2.0), t.StickBreakingTransform()]),
                    vector),
        "compose back": (t.ComposeTransform([t.TanhTransform(), t.ExpTransform()]), x),
        "independent": (t.IndependentTransform(t.ExpTransform(), 1), x),
        "reshape": (t.ReshapeTransform((3,), (3, 1)), x),
        "cat": (t.CatTransform([t.ExpTransform(), t.AffineTransform(1.0, 2.0)], 0, [1, 2]), x),
        "stack": (t.StackTransform([t.ExpTransform(), t.TanhTransform(), t.SigmoidTransform()]), x),
        "cdf": (t.CumulativeDistributionTransform(d.Normal(0.0, 1.0)), x),
        "inverse": (t.ExpTransform().inv, x.abs()),
    }  # fmt: skip


def transforms_and_their_jacobians(torch):
    found = {}
    for name, (t, x) in _transforms(torch).items():
        y = t(x)
        back = t.inv(y)
        jacobian = t.log_abs_det_jacobian(x, y)
        shapes = [list(t.forward_shape(x.shape)), list(t.inverse_shape(y.shape))]
        found[name] = [y, back, jacobian, shapes, t.bijective]
    return found


def transforms_without_jacobians(torch):
    t = torch.distributions.transforms
    m = torch.tensor([[0.3, 0.2], [0.5, -0.7]], dtype=torch.float64)
    softmax = t.SoftmaxTransform()
    return [
        softmax(_t(torch, 0.1, 2.0)), softmax.inv(_t(torch, 0.25, 0.75)), t.AbsTransform()(m),
        t.LowerCholeskyTransform()(m), t.PositiveDefiniteTransform()(m),
        t.LowerCholeskyTransform().inv(t.LowerCholeskyTransform()(m)),
        t.PositiveDefiniteTransform().inv(t.PositiveDefiniteTransform()(m)),
    ]  # fmt: skip


def signs(torch):
    t = torch.distributions.transforms
    return [
        t.AffineTransform(0, -2.0).sign, t.AffineTransform(0, 2).sign, t.ExpTransform().sign,
        t.ComposeTransform([t.AffineTransform(0, -2), t.ExpTransform()]).sign,
        t.PowerTransform(torch.tensor([-1.0, 2.0])).sign,
    ]  # fmt: skip


def cached_inverse(torch):
    t = torch.distributions.transforms
    kept, fresh = t.ExpTransform(cache_size=1), t.ExpTransform()
    x = torch.tensor([1.0])
    return kept.inv(kept(x)) is x, fresh.inv(fresh(x)) is x, fresh.with_cache()._cache_size


def bad_cache(torch):
    torch.distributions.transforms.ExpTransform(cache_size=2)


def bad_reshape(torch):
    torch.distributions.transforms.ReshapeTransform((3,), (4,))


def registries(torch):
    d = torch.distributions
    c = d.constraints
    x = _t(torch, -0.5, 0.1, 0.7)
    found = []
    for constraint in (
        c.real, c.positive, c.greater_than(1.0), c.less_than(2.0), c.unit_interval,
        c.interval(1.0, 3.0), c.half_open_interval(-1.0, 1.0), c.simplex, c.real_vector,
        c.independent(c.positive, 1), c.corr_cholesky,
        c.stack([c.positive, c.real, c.unit_interval]),
        c.cat([c.positive, c.real], 0, [1, 2]),
    ):  # fmt: skip
        found.append([d.transform_to(constraint)(x), d.biject_to(constraint)(x)])
    m = x.new_ones(2, 2) * 0.3
    found += [d.transform_to(c.lower_cholesky)(m), d.transform_to(c.positive_definite)(m)]
    return found


def no_way_to_a_constraint(torch):
    torch.distributions.biject_to(torch.distributions.constraints.boolean)


# ---- distributions of distributions --------------------------------------------------------------


def independent(torch):
    d = torch.distributions
    base = d.Normal(torch.zeros(2, 3), torch.ones(2, 3))
    one = d.Independent(base, 1)
    x = torch.arange(6.0).reshape(2, 3)
    other = d.Independent(d.Normal(torch.ones(2, 3), 1.0), 1)
    return [
        list(one.batch_shape), list(one.event_shape), one.log_prob(x), one.entropy(),
        list(one.expand((4, 2)).sample().shape), one.mean, one.variance,
        d.kl_divergence(one, other), repr(one.support), one.has_rsample,
    ]  # fmt: skip


def independent_of_too_few(torch):
    d = torch.distributions
    d.Independent(d.Normal(0.0, 1.0), 1)


def mixture(torch):
    d = torch.distributions
    weights = torch.tensor([0.2, 0.8], requires_grad=True)
    means = torch.tensor([-1.0, 2.0], requires_grad=True)
    m = d.MixtureSameFamily(d.Categorical(weights), d.Normal(means, torch.tensor([1.0, 0.5])))
    x = torch.tensor([0.0, 1.5, 3.0])
    density = m.log_prob(x)
    grads = torch.autograd.grad(density.sum(), (weights, means), retain_graph=True)
    torch.manual_seed(2)
    return [density, grads, m.mean, m.variance, m.cdf(x), m.sample((6,)),
            list(m.expand((3,)).sample((2,)).shape)]  # fmt: skip


def mixture_of_vectors(torch):
    d = torch.distributions
    parts = d.Independent(d.Normal(torch.arange(12.0).reshape(2, 3, 2), torch.ones(2, 3, 2)), 1)
    m = d.MixtureSameFamily(d.Categorical(torch.ones(2, 3)), parts)
    torch.manual_seed(3)
    return [list(m.batch_shape), list(m.event_shape), m.mean, m.variance, m.sample((2,)),
            m.log_prob(torch.zeros(2, 2))]  # fmt: skip


def mixture_of_other_sizes(torch):
    d = torch.distributions
    d.MixtureSameFamily(d.Categorical(torch.ones(3)), d.Normal(torch.zeros(2), 1.0))


def transformed(torch):
    d = torch.distributions
    loc = torch.tensor(0.5, requires_grad=True)
    one = d.TransformedDistribution(
        d.Normal(loc, 1.0), [d.AffineTransform(1.0, -2.0), d.ExpTransform()]
    )
    x = torch.tensor([0.5, 1.0, 4.0])
    density = one.log_prob(x)
    (g,) = torch.autograd.grad(density.sum(), loc)
    torch.manual_seed(4)
    return [density, g, one.cdf(x), one.icdf(one.cdf(x)), one.sample((3,)), repr(one.support),
            list(one.expand((2, 3)).batch_shape), one.has_rsample]  # fmt: skip


def transformed_into_vectors(torch):
    d = torch.distributions
    one = d.TransformedDistribution(
        d.Normal(torch.zeros(2, 3), torch.ones(2, 3)), [d.StickBreakingTransform()]
    )
    torch.manual_seed(5)
    x = one.sample()
    return [list(one.batch_shape), list(one.event_shape), x, one.log_prob(x)]


def transformed_by_nonsense(torch):
    torch.distributions.TransformedDistribution(torch.distributions.Normal(0.0, 1.0), "exp")


def expanded(torch):
    d = torch.distributions
    base = d.Normal(torch.zeros(3, 1), torch.ones(1))
    larger = base.expand((2, 3, 4))
    return [list(larger.loc.shape), list(larger.sample((5,)).shape), larger.scale.stride()]


def subclass_without_expand(torch):
    class Mine(torch.distributions.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)

    Mine().expand((2,))


def own_distribution(torch):
    class Coin(torch.distributions.Distribution):
        arg_constraints = {"p": torch.distributions.constraints.unit_interval}  # noqa: RUF012
        support = torch.distributions.constraints.boolean

        def __init__(self, p):
            self.p = torch.as_tensor(p)
            super().__init__(self.p.shape, validate_args=True)

        def log_prob(self, value):
            self._validate_sample(value)
            return torch.where(value == 1, self.p, 1 - self.p).log()

    coin = Coin([0.2, 0.7])
    return coin.log_prob(torch.ones(2)), repr(coin), coin.batch_shape[0]


def own_divergence(torch):
    d = torch.distributions

    class Mine(d.Normal):
        pass

    before = d.kl_divergence(Mine(1.0, 1.0), d.Normal(0.0, 1.0))

    @d.register_kl(Mine, d.Normal)
    def kl(p, q):
        return torch.tensor(7.0)

    return before, d.kl_divergence(Mine(1.0, 1.0), d.Normal(0.0, 1.0))


# ---- as programs use them ------------------------------------------------------------------------


def policy_gradient(torch):
    logits = torch.tensor([[0.1, 0.5, -0.3]], requires_grad=True)
    policy = torch.distributions.Categorical(logits=logits)
    torch.manual_seed(1)
    action = policy.sample()
    loss = -(policy.log_prob(action) * 2.0 + 0.01 * policy.entropy()).sum()
    loss.backward()
    return action, logits.grad


def variational(torch):
    mean = torch.tensor([0.3, -0.2], requires_grad=True)
    log_scale = torch.tensor([0.1, -0.4], requires_grad=True)
    q = torch.distributions.Normal(mean, log_scale.exp())
    torch.manual_seed(1)
    z = q.rsample()
    prior = torch.distributions.Normal(torch.zeros(2), torch.ones(2))
    loss = (z - 1).pow(2).sum() + torch.distributions.kl_divergence(q, prior).sum()
    loss.backward()
    return loss, mean.grad, log_scale.grad


def squashed_gaussian(torch):
    d = torch.distributions
    base = d.Normal(torch.zeros(2), torch.ones(2))
    policy = d.TransformedDistribution(base, [d.TanhTransform(cache_size=1)])
    torch.manual_seed(1)
    action = policy.rsample((3,))
    return action, policy.log_prob(action).sum(-1)


def gumbel_softmax(torch):
    logits = torch.tensor([0.2, 0.5, -1.0], requires_grad=True)
    soft = torch.distributions.RelaxedOneHotCategorical(torch.tensor(0.5), logits=logits)
    torch.manual_seed(1)
    y = soft.rsample((2,))
    (y * torch.tensor([1.0, 2.0, 3.0])).sum().backward()
    return y, logits.grad


def from_modules(torch):
    import importlib

    found = []
    for module, name in (
        ("normal", "Normal"), ("categorical", "Categorical"), ("kl", "kl_divergence"),
        ("multivariate_normal", "MultivariateNormal"), ("transforms", "TanhTransform"),
        ("utils", "broadcast_all"), ("transformed_distribution", "TransformedDistribution"),
        ("bernoulli", "Bernoulli"), ("independent", "Independent"), ("studentT", "StudentT"),
        ("constraint_registry", "biject_to"), ("exp_family", "ExponentialFamily"),
    ):  # fmt: skip
        home = importlib.import_module(f"{torch.__name__}.distributions.{module}")
        found.append(hasattr(home, name))
    return found


def utilities(torch):
    u = torch.distributions.utils
    p = _t(torch, 0.0, 0.25, 1.0)
    m = torch.arange(9.0).reshape(3, 3)
    return [
        u.probs_to_logits(p, is_binary=True), u.probs_to_logits(p), u.logits_to_probs(p),
        u.logits_to_probs(p, is_binary=True), u.clamp_probs(p), u.tril_matrix_to_vec(m),
        u.tril_matrix_to_vec(m, -1), u.vec_to_tril_matrix(torch.arange(6.0)),
        u.vec_to_tril_matrix(torch.arange(3.0), -1),
        [list(t.shape) for t in u.broadcast_all(1.0, torch.ones(2, 1), torch.ones(3))],
    ]  # fmt: skip
