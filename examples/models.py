"""Log densities of seven models, each a plain function of one set of parameters and the data.

    eight_schools(mu, tau, theta_trans, y, sigma)  ->  a float: log p(parameters, data) + constant

They are written as one would write them for one parameter value with NumPy alone: loops, indexing, in-place
assignment, helper functions. Parameters are *constrained* (`tau` is positive, `theta1` sums to one): the
sampler works on unconstrained ones and adds the log Jacobian itself. Terms that depend on neither the
parameters nor the data's unknowns are dropped.

    >>> import numpy as np
    >>> y, sigma = np.array([28.0, 8.0]), np.array([15.0, 10.0])
    >>> round(float(eight_schools(4.0, 3.0, np.array([1.0, 0.0]), y, sigma)), 3)
    -2.187

The first six are those of posteriordb (Magnusson et al., https://github.com/stan-dev/posteriordb), where
they are Stan programs; `posteriors.py` holds their data and what long Stan runs found.
"""

import numpy as np


def eight_schools(mu, tau, theta_trans, y, sigma):
    """Eight schools (Rubin 1981), non-centred: effects theta = mu + tau * theta_trans.

    mu real, tau > 0, theta_trans (8,); y (8,) estimated effects, sigma (8,) their standard errors.
    Priors: mu ~ N(0, 5), tau ~ half-Cauchy(0, 5), theta_trans ~ N(0, 1).
    """
    theta = mu + tau * theta_trans
    prior = -0.5 * (mu / 5.0) ** 2 - np.log1p((tau / 5.0) ** 2) - 0.5 * np.sum(theta_trans**2)
    return prior - 0.5 * np.sum(((y - theta) / sigma) ** 2)


def kidscore(beta, sigma, kid_score, mom_hs, mom_iq):
    """Linear regression of a child's test score on its mother's (Gelman and Hill 2006).

    beta (3,) flat, sigma > 0 half-Cauchy(0, 2.5); kid_score, mom_hs, mom_iq (n,).
    """
    residual = kid_score - (beta[0] + beta[1] * mom_hs + beta[2] * mom_iq)
    prior = -np.log1p((sigma / 2.5) ** 2)
    return prior - len(kid_score) * np.log(sigma) - 0.5 * np.sum((residual / sigma) ** 2)


def garch(mu, alpha0, alpha1, beta1_share, y, sigma1):
    """GARCH(1,1): each variance depends on the one before, so this is a sequential loop.

    mu real, alpha0 > 0, alpha1 and beta1_share in (0, 1), all flat on (mu, alpha0, alpha1, beta1);
    y (n,), sigma1 the first standard deviation. Stationarity asks for 0 < beta1 < 1 - alpha1, a bound that
    depends on another parameter: here beta1 = beta1_share * (1 - alpha1), and log(1 - alpha1) is the log of
    d beta1 / d beta1_share.
    """
    beta1 = beta1_share * (1.0 - alpha1)
    variance = sigma1 * sigma1
    lp = np.log(1.0 - alpha1) - 0.5 * (np.log(variance) + (y[0] - mu) ** 2 / variance)
    for t in range(1, len(y)):
        variance = alpha0 + alpha1 * (y[t - 1] - mu) ** 2 + beta1 * variance
        lp -= 0.5 * (np.log(variance) + (y[t] - mu) ** 2 / variance)
    return lp


def hidden_markov(theta1, theta2, mu, y):
    """A two-state hidden Markov chain, the states summed out by the forward algorithm in log space.

    theta1, theta2 (2,) simplexes: the transition probabilities out of either state; mu (2,) positive and
    ordered, mu[0] ~ N(3, 1), mu[1] ~ N(10, 1); y (n,) with y[t] ~ N(mu[state], 1). The first state has no
    weight of its own, as in posteriordb's program.
    """
    stay1, leave1 = np.log(theta1[0]), np.log(theta1[1])
    leave2, stay2 = np.log(theta2[0]), np.log(theta2[1])
    log1 = -0.5 * (y[0] - mu[0]) ** 2
    log2 = -0.5 * (y[0] - mu[1]) ** 2
    for t in range(1, len(y)):
        into1 = np.logaddexp(log1 + stay1, log2 + leave2)
        into2 = np.logaddexp(log1 + leave1, log2 + stay2)
        log1 = into1 - 0.5 * (y[t] - mu[0]) ** 2
        log2 = into2 - 0.5 * (y[t] - mu[1]) ** 2
    return np.logaddexp(log1, log2) - 0.5 * (mu[0] - 3.0) ** 2 - 0.5 * (mu[1] - 10.0) ** 2


def gaussian_process(rho, alpha, sigma, x, y):
    """Gaussian-process regression with a squared-exponential kernel; the Cholesky factor is a plain loop.

    rho, alpha, sigma > 0; x, y (n,). Covariance alpha^2 exp(-(x - x')^2 / (2 rho^2)) + sigma I (sigma is a
    variance). Priors: rho ~ Gamma(25, 4), alpha ~ half-N(0, 2), sigma ~ half-N(0, 1). Row i of the factor is
    made, then element i of the whitened observations.
    """
    n = len(x)
    factor = np.zeros((n, n))
    white = np.zeros(n)
    lp = 24.0 * np.log(rho) - 4.0 * rho - 0.5 * (alpha / 2.0) ** 2 - 0.5 * sigma**2
    for i in range(n):
        diagonal = alpha**2 + sigma
        residual = y[i]
        for j in range(i):
            entry = alpha**2 * np.exp(-0.5 * ((x[i] - x[j]) / rho) ** 2)
            for k in range(j):
                entry -= factor[i, k] * factor[j, k]
            factor[i, j] = entry / factor[j, j]
            diagonal -= factor[i, j] ** 2
            residual -= factor[i, j] * white[j]
        factor[i, i] = np.sqrt(diagonal)
        white[i] = residual / factor[i, i]
        lp -= np.log(factor[i, i]) + 0.5 * white[i] ** 2
    return lp


def predator_prey(u, v, theta):
    """The Lotka-Volterra rates of change of prey u and predators v."""
    return (theta[0] - theta[1] * v) * u, (theta[3] * u - theta[2]) * v


def lotka_volterra(theta, z_init, sigma, ts, y_init, y):
    """Hares and lynxes (Hudson's Bay Company pelts, 1900-1920): an ODE solved inside the density.

    theta (4,), z_init (2,), sigma (2,), all > 0; ts (n,) years since the first observation y_init (2,);
    y (n, 2). Priors: theta[0], theta[2] ~ N(1, 0.5), theta[1], theta[3] ~ N(0.05, 0.05),
    sigma ~ LogNormal(-1, 1), z_init ~ LogNormal(log 10, 1); observations LogNormal(log z, sigma).
    Ten classical Runge-Kutta steps from one observation to the next: at the posterior's parameters the
    solution is good to five digits and the log density to 1e-4.
    """
    lp = -0.5 * (((theta[0] - 1.0) / 0.5) ** 2 + ((theta[2] - 1.0) / 0.5) ** 2)
    lp -= 0.5 * (((theta[1] - 0.05) / 0.05) ** 2 + ((theta[3] - 0.05) / 0.05) ** 2)
    lp -= np.sum(np.log(sigma) + 0.5 * (np.log(sigma) + 1.0) ** 2)
    lp -= np.sum(np.log(z_init) + 0.5 * (np.log(z_init) - np.log(10.0)) ** 2)
    lp -= np.sum(np.log(sigma) + 0.5 * ((np.log(y_init) - np.log(z_init)) / sigma) ** 2)
    u, v, now = z_init[0], z_init[1], 0.0
    for i in range(len(ts)):
        h = (ts[i] - now) / 10.0
        for _ in range(10):
            du1, dv1 = predator_prey(u, v, theta)
            du2, dv2 = predator_prey(u + 0.5 * h * du1, v + 0.5 * h * dv1, theta)
            du3, dv3 = predator_prey(u + 0.5 * h * du2, v + 0.5 * h * dv2, theta)
            du4, dv4 = predator_prey(u + h * du3, v + h * dv3, theta)
            u += h / 6.0 * (du1 + 2.0 * du2 + 2.0 * du3 + du4)
            v += h / 6.0 * (dv1 + 2.0 * dv2 + 2.0 * dv3 + dv4)
        now = ts[i]
        lp -= np.log(sigma[0]) + 0.5 * ((np.log(y[i, 0]) - np.log(u)) / sigma[0]) ** 2
        lp -= np.log(sigma[1]) + 0.5 * ((np.log(y[i, 1]) - np.log(v)) / sigma[1]) ** 2
    return lp


def logistic_regression(beta, X, y):
    """Logistic regression: beta (d,) ~ N(0, 1); X (n, d), y (n,) of zeros and ones.

    log(1 + exp(t)) is written logaddexp(0, t), which does not overflow.
    """
    logits = X @ beta
    return np.sum(y * logits - np.logaddexp(0.0, logits)) - 0.5 * np.sum(beta**2)
