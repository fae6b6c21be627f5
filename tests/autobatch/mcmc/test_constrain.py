"""Constraints: there and back, the log Jacobian against a numeric one, what is refused."""

import numpy as np
import pytest
from mcmc_plain import generator

from autobatch.mcmc import constrain as programs
from autobatch.mcmc import interval, ordered, positive, positive_ordered, real, simplex

TRANSFORMS = [
    real(),
    real(3),
    real((2, 2)),
    positive(),
    positive(2),
    positive((2, 2)),
    interval(-1, 3),
    interval(0, 0.5, 3),
    interval(10, 20, (2, 1)),
    ordered(1),
    ordered(4),
    positive_ordered(1),
    positive_ordered(3),
    simplex(2),
    simplex(5),
]


def free_part(transform, u):
    """The constrained value's elements that vary freely: a simplex's last piece is the rest."""
    value = np.ravel(transform.constrain(u)[0])
    return value[:-1] if transform.program is programs.simplex else value


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_there_and_back(transform):
    for scale in (0.0, 1.0, 4.0):
        u = scale * generator(1).standard_normal(transform.size)
        value, log_jacobian = transform.constrain(u)
        assert np.shape(value) == transform.shape and np.shape(log_jacobian) == ()
        np.testing.assert_allclose(transform.unconstrain(value), u, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
def test_many_values_at_once(transform):
    us = generator(3).standard_normal((5, transform.size))
    values = np.array([transform.constrain(u)[0] for u in us])
    one_by_one = [transform.unconstrain(value) for value in values]
    np.testing.assert_array_equal(transform.unconstrain_all(values), one_by_one)


def test_the_first_of_many_values_that_is_out_of_bounds():
    with pytest.raises(ValueError, match=r"positive\(2\) cannot be \[-1\.  2\.\]: every element"):
        positive(2).unconstrain_all(np.array([[1.0, 2.0], [-1.0, 2.0], [1.0, -2.0]]))
    with pytest.raises(ValueError, match="they sum to 1.25"):
        simplex(2).unconstrain_all(np.array([[0.5, 0.5], [0.5, 0.75]]))


@pytest.mark.parametrize("transform", TRANSFORMS, ids=repr)
@pytest.mark.parametrize("scale", [0.0, 1.0])
def test_log_jacobian(transform, scale):
    u, h = scale * generator(2).standard_normal(transform.size), 1e-6
    columns = [
        (free_part(transform, u + h * e) - free_part(transform, u - h * e)) / (2 * h)
        for e in np.eye(transform.size)
    ]
    _, expected = np.linalg.slogdet(np.array(columns))
    assert transform.constrain(u)[1] == pytest.approx(expected, abs=1e-7)


def test_stans_definitions():
    np.testing.assert_allclose(simplex(4).constrain(np.zeros(3))[0], 0.25)
    np.testing.assert_allclose(ordered(3).constrain(np.array([-1.0, 0.0, np.log(2.0)]))[0], [-1.0, 0.0, 2.0])
    np.testing.assert_allclose(
        positive_ordered(3).constrain(np.log([0.5, 1.0, 2.0]))[0], [0.5, 1.5, 3.5], rtol=1e-15
    )
    value, log_jacobian = interval(2, 6).constrain(np.array([0.0]))
    assert (value, log_jacobian) == (4.0, 0.0)


@pytest.mark.parametrize("u", [-800.0, 800.0])
def test_far_out_nothing_overflows(u):
    for transform in (interval(0, 1), interval(0, 1, 2), simplex(3)):
        value, log_jacobian = transform.constrain(np.full(transform.size, u))
        assert np.all((np.asarray(value) >= 0.0) & (np.asarray(value) <= 1.0))
        assert -3000.0 < log_jacobian < -790.0


def test_a_small_share_keeps_its_digits():
    assert interval(0, 1).constrain(np.array([-50.0]))[0] == pytest.approx(np.exp(-50.0), rel=1e-15)
    assert simplex(3).constrain(np.array([40.0, 40.0]))[0][2] == pytest.approx(2 * np.exp(-80.0), rel=1e-14)


def test_spellings():
    spelled = [repr(t) for t in TRANSFORMS]
    assert spelled == [
        "real()", "real(3)", "real((2, 2))", "positive()", "positive(2)", "positive((2, 2))",
        "interval(-1.0, 3.0)", "interval(0.0, 0.5, 3)", "interval(10.0, 20.0, (2, 1))", "ordered(1)",
        "ordered(4)", "positive_ordered(1)", "positive_ordered(3)", "simplex(2)", "simplex(5)",
    ]  # fmt: skip
    # Equal ones compare equal, so that a model made again is known again.
    assert interval(0, 0.5, 3) == TRANSFORMS[7] and hash(interval(0, 0.5, 3)) == hash(TRANSFORMS[7])
    assert positive_ordered(3) == TRANSFORMS[12] and real(3) == TRANSFORMS[1] != real()
    assert [t.size for t in TRANSFORMS] == [1, 3, 4, 1, 2, 4, 1, 3, 2, 1, 4, 1, 3, 1, 4]


@pytest.mark.parametrize(
    ("transform", "value", "message"),
    [
        (real(2), 1.0, "real(2) has shape (2,), the value given has shape ()"),
        (real(), np.nan, "real() cannot be nan: every element must be finite"),
        (positive(2), [1.0, 0.0], "positive(2) cannot be [1. 0.]: every element must be greater than 0"),
        (interval(0, 1), 1.0, "interval(0.0, 1.0) cannot be 1.: every element must be between 0.0 and 1.0"),
        (ordered(2), [1.0, 1.0],
         "ordered(2) cannot be [1. 1.]: every element must be greater than the one before"),
        (positive_ordered(2), [-1.0, 1.0],
         "positive_ordered(2) cannot be [-1.  1.]: every element must be greater than 0"),
        (simplex(2), [0.5, 0.75],
         "simplex(2) cannot be [0.5  0.75]: the elements must sum to 1, they sum to 1.25"),
        (simplex(2), [0.0, 1.0], "simplex(2) cannot be [0. 1.]: every element must be greater than 0"),
    ],
)  # fmt: skip
def test_values_out_of_bounds(transform, value, message):
    with pytest.raises(ValueError) as caught:
        transform.unconstrain(value)
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: interval(1, 0),
         "interval(1.0, 0.0): the bounds must be finite and the first the smaller; "
         "a parameter with one bound is low + positive() or high - positive()"),
        (lambda: interval(0, np.inf),
         "interval(0.0, inf): the bounds must be finite and the first the smaller; "
         "a parameter with one bound is low + positive() or high - positive()"),
        (lambda: interval(0, np.nan),
         "interval(0.0, nan): the bounds must be finite and the first the smaller; "
         "a parameter with one bound is low + positive() or high - positive()"),
        (lambda: interval(1.0, np.nextafter(1.0, 2.0)),
         "interval(1.0, 1.0000000000000002): the bounds must be finite and the first the smaller; "
         "a parameter with one bound is low + positive() or high - positive()"),
        (lambda: real(True), "a shape is a positive int or a tuple of them, not True"),
        (lambda: ordered(True), "ordered(n) takes an int of at least 1, not True"),
        (lambda: real((2, 0)), "a shape is a positive int or a tuple of them, not (2, 0)"),
        (lambda: positive(1.5), "a shape is a positive int or a tuple of them, not 1.5"),
        (lambda: ordered(0), "ordered(n) takes an int of at least 1, not 0"),
        (lambda: simplex(1), "simplex(n) takes an int of at least 2, not 1"),
        (lambda: simplex((2, 2)), "simplex(n) takes an int of at least 2, not (2, 2)"),
    ],
)  # fmt: skip
def test_shapes_that_make_no_sense(make, message):
    with pytest.raises(ValueError) as caught:
        make()
    assert str(caught.value) == message


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: interval(np.zeros(3), np.ones(3)),
         "interval: a bound is one number, not an array of shape (3,); the shape comes third, and bounds that differ "
         "are low + (high - low) * interval(0, 1, 3)"),
        (lambda: interval("0", 1), "interval: a bound is a number, not '0'"),
        (lambda: interval(None, 1), "interval: a bound is a number, not None"),
    ],
)  # fmt: skip
def test_bounds_that_are_no_numbers(make, message):
    with pytest.raises(TypeError) as caught:
        make()
    assert str(caught.value) == message


def test_bounds_of_numpy_are_numbers():
    assert interval(np.float32(0.5), np.array(2)) == interval(0.5, 2.0)
