"""The generated density: its text, its value, and names that a user may choose."""

import inspect

import numpy as np
import pytest

from autobatch.mcmc import interval, ordered, positive, real, simplex
from autobatch.mcmc.density import build

SCHOOLS = '''\
def density(u, data):
    """Log density of the unconstrained u (10,), Jacobians included."""
    y, sigma = data
    mu = u[0]
    tau, log_jac_tau = positive(u[1])
    theta = u[2:10]
    return logp(mu=mu, tau=tau, theta=theta, y=y, sigma=sigma) + log_jac_tau


def constrained(u):
    """All parameters, constrained, in one vector (10,)."""
    x = np.empty(10)
    x[0] = u[0]
    tau, _ = positive(u[1])
    x[1] = tau
    x[2:10] = u[2:10]
    return x
'''

SHAPES = '''\
def density(u, data):
    """Log density of the unconstrained u (11,), Jacobians included."""
    (y,) = data
    a = u[0:4].reshape((2, 2))
    b, log_jac_b = interval_array(u[4:8].reshape((2, 2)), 0.0, 2.5)
    share, log_jac_share = simplex(u[8:10])
    c, log_jac_c = interval(u[10], -1.0, 1.0)
    return logp(a=a, b=b, share=share, c=c, y=y) + log_jac_b + log_jac_share + log_jac_c


def constrained(u):
    """All parameters, constrained, in one vector (12,)."""
    x = np.empty(12)
    x[0:4] = u[0:4]
    b, _ = interval_array(u[4:8].reshape((2, 2)), 0.0, 2.5)
    x[4:8] = b.reshape(4)
    share, _ = simplex(u[8:10])
    x[8:11] = share
    c, _ = interval(u[10], -1.0, 1.0)
    x[11] = c
    return x
'''

CLASHES = '''\
def density_(u_, data_):
    """Log density of the unconstrained u_ (5,), Jacobians included."""
    np, log_jac_u = data_
    u, log_jac_u_ = positive_(u_[0])
    positive = u_[1]
    logp, log_jac_logp = positive_(u_[2])
    data = u_[3]
    density = u_[4]
    return logp_(u=u, positive=positive, logp=logp, data=data, density=density, np=np, log_jac_u=log_jac_u) + log_jac_u_ + log_jac_logp
'''  # noqa: E501


def schools(mu, tau, theta, y, sigma):
    return -0.5 * np.sum(((y - mu - tau * theta) / sigma) ** 2) - 0.5 * np.sum(theta**2) - np.log1p(tau**2)


def test_text_of_eight_schools():
    params = {"mu": real(), "tau": positive(), "theta": real(8)}
    data = {"y": np.arange(8.0), "sigma": np.ones(8)}
    model = build(schools, params, data)
    assert model.text == SCHOOLS
    u = np.linspace(-1.0, 1.0, 10)
    expected = schools(u[0], np.exp(u[1]), u[2:], **data) + u[1]
    assert model.density(u, tuple(data.values())) == pytest.approx(expected, rel=1e-15)
    np.testing.assert_array_equal(model.constrained(u), [u[0], np.exp(u[1]), *u[2:]])
    assert inspect.getsource(model.density) == SCHOOLS.split("\n\n\n")[0] + "\n"


def test_text_of_every_shape():
    def logp(a, b, share, c, y):
        return np.sum(a @ b) + share[0] - c * y

    params = {"a": real((2, 2)), "b": interval(0, 2.5, (2, 2)), "share": simplex(3), "c": interval(-1, 1)}
    model = build(logp, params, ["y"])
    assert model.text == SHAPES
    u = np.linspace(-1.0, 1.0, 11)
    flat = model.constrained(np.array([u, u + 1.0])[0])
    values = model.split(flat)
    assert {name: value.shape for name, value in values.items()} == {
        "a": (2, 2), "b": (2, 2), "share": (3,), "c": (),
    }  # fmt: skip
    jacobians = sum(params[name].constrain(part)[1] for name, part in zip(params, np.split(u, [4, 8, 10])))
    assert model.density(u, (2.0,)) == pytest.approx(logp(**values, y=2.0) + jacobians, rel=1e-14)
    assert model.split(np.zeros((5, 7, 12)))["b"].shape == (5, 7, 2, 2)
    assert (model.size, model.constrained_size) == (11, 12)


def test_no_name_of_the_users_changes_the_density():
    def total(u, positive, logp, data, density, np, log_jac_u):
        return u + 2 * positive + 3 * logp + 4 * data + 5 * density + np + log_jac_u

    params = {"u": positive(), "positive": real(), "logp": positive(), "data": real(), "density": real()}
    model = build(total, params, ["np", "log_jac_u"])
    assert model.text.split("\n\n\n")[0] + "\n" == CLASHES
    u = np.array([0.1, 0.2, 0.3, 0.4, 0.5])
    expected = np.exp(0.1) + 0.4 + 3 * np.exp(0.3) + 1.6 + 2.5 + 110.0 + 0.1 + 0.3
    assert model.density(u, (10.0, 100.0)) == pytest.approx(expected, rel=1e-15)


def test_without_data():
    model = build(lambda x: -0.5 * np.sum(x**2), {"x": ordered(2)}, {})
    assert "data\n" not in model.text
    assert model.density(np.zeros(2), ()) == -0.5


@pytest.mark.parametrize(
    ("params", "data", "kind", "message"),
    [
        ({}, {}, ValueError, "params is empty: name at least one parameter, as in {'mu': real()}"),
        ({"a b": real()}, {}, ValueError,
         "'a b' cannot name a parameter or data: it is not a Python name"),
        ({"lambda": real()}, {}, ValueError,
         "'lambda' cannot name a parameter or data: it is not a Python name"),
        ({"mu": real()}, {"mu": 1.0}, ValueError,
         "'mu' is in params and in data: give one of them another name"),
        ({"mu": 3}, {}, TypeError,
         "params['mu'] is 3: write real(), positive(), interval(low, high), ordered(n), "
         "positive_ordered(n) or simplex(n)"),
        ({"mu": real()}, {"y": 1.0}, TypeError,
         "params and data call logp(mu=, y=), but missing a required argument: 'tau'"),
        ({"mu": real(), "tau": real(), "nu": real()}, {"y": 1.0}, TypeError,
         "params and data call logp(mu=, tau=, nu=, y=), but got an unexpected keyword argument 'nu'"),
    ],
)  # fmt: skip
def test_names_that_do_not_fit(params, data, kind, message):
    def logp(mu, tau, y):
        return 0.0

    with pytest.raises(kind) as caught:
        build(logp, params, data)
    assert str(caught.value) == message
