"""The loss of one HTNE sample and its gradient, in one pass and without a graph of operations.

A sample is a contact of node s with node t at time T, negatives t_1..t_K, and the contacts h_1..h_n of s before T. With
squared distances d(x, y) = |e_x - e_y|^2, the conditional intensity of HTNE with attention (Zuo et al. 2018) is

    lambda_k = -d(s, t_k) - sum_j w_j d(h_j, t_k),    w_j = a_j exp(-delta_s (T - T_j)),    a = softmax_j(-d(s, h_j))

with t_0 = t, and the loss of the released code

    L = -log(sigmoid(lambda_0) + 1e-6) - sum_{k>0} log(sigmoid(-lambda_k) + 1e-6).

Written out, lambda has 1+K times n distances. Distances do not change when s is moved to the origin, and with
x_k = e_{t_k} - e_s, y_j = e_{h_j} - e_s, m = sum_j w_j y_j and W = sum_j w_j

    lambda_k = -(1 + W) |x_k|^2 + 2 x_k . m - sum_j w_j |y_j|^2,

so that the work is linear in K + n. The gradient folds in the same way, with g_k = dL/dlambda_k, v = sum_k g_k x_k and
G = sum_k g_k:

    dL/dw_j    = -G |y_j|^2 + 2 y_j . v - sum_k g_k |x_k|^2
    dL/dd(s,h_j) = -a_j (r_j - sum_i a_i r_i),    r_j = dL/dw_j exp(-delta_s (T - T_j))
    dL/de_t_k  = -2 g_k ((1 + W) x_k - m)
    dL/de_h_j  = 2 w_j (v - G y_j) + 2 dL/dd(s,h_j) y_j
    dL/de_s    = 2 v - 2 sum_j dL/dd(s,h_j) y_j
    dL/ddelta_s = -sum_j dL/dw_j w_j (T - T_j).
"""

import math

import numba
import numpy as np

from methods.kernels.rows import VECTORIZE, prefetch

EPSILON = 1e-6
# The loss is minus the logarithm of a product of 1+K probabilities; it is taken once, unless they grow too small.
SMALLEST_PRODUCT = 1e-200
# exp(-delta dt) is cut off here. Rates are free to turn negative, as released, and a hub's step may overshoot: beyond
# 88 float32 would overflow, and infinity times a gradient of 0 is not a number. Rates near 1 are nowhere near.
LARGEST_EXPONENT = 50.0


@numba.njit(cache=True, fastmath=VECTORIZE)
def sample_gradient(
    embeddings, delta, nodes, n_targets, n_history, n_real, elapsed, sign, gradient, at, ahead, n_ahead, m, v, scalars
):
    """Fill `gradient[at]` (place i for nodes[at, i]); return (loss, gradient of delta_s).

    `nodes[at]` is s, then t_0..t_K (`n_targets` of them), then the history (`n_history`, the first `n_real` of which
    are contacts and the others padding that takes attention but adds nothing, as in the released code).
    `elapsed[at, j]` is T - T_j; `sign` is -1 for decay, +1 for the released code's growth. `m`, `v` (a vector each) and
    `scalars` (4 rows) are scratch. All floats have the type of `embeddings`. The rows of sample `ahead`, `n_ahead` of
    them, are asked for one at a time, because a processor has only some twenty requests under way.

    Rows are indexed where they stand: a view of a row, `x = gradient[at, k]`, costs two atomic counts of references,
    more than the arithmetic on it. No loop over a row both takes a sum and writes: LLVM would choose by addresses
    between a vector and a scalar form of it, which round differently (tests/unit/test_layout.py).
    """
    number = embeddings.dtype.type
    one, two, epsilon = number(1), number(2), number(EPSILON)
    dimensions = embeddings.shape[1]
    attention, decay, distance, slope = 0, 1, 2, 3  # rows of `scalars`
    s = nodes[at, 0]
    history = 1 + n_targets

    prefetch(embeddings, nodes[ahead, 0])
    # y_j, in the place of h_j, and the softmax of minus its squared length.
    nearest = number(np.inf)
    for j in range(n_history):
        if history + j < n_ahead:
            prefetch(embeddings, nodes[ahead, history + j])
        h, squared = nodes[at, history + j], number(0)
        for i in range(dimensions):
            squared += (embeddings[h, i] - embeddings[s, i]) ** 2
        for i in range(dimensions):
            gradient[at, history + j, i] = embeddings[h, i] - embeddings[s, i]
        scalars[distance, j] = squared
        nearest = min(nearest, squared)
    total = number(0)
    for j in range(n_history):
        scalars[attention, j] = math.exp(nearest - scalars[distance, j])
        total += scalars[attention, j]

    w_sum = w_distance = number(0)
    for i in range(dimensions):
        m[i] = v[i] = number(0)
    for j in range(n_history):
        scalars[attention, j] /= total
        growth = min(sign * delta[s] * elapsed[at, j], number(LARGEST_EXPONENT))
        scalars[decay, j] = math.exp(growth) if j < n_real else number(0)
        w_j = scalars[attention, j] * scalars[decay, j]
        w_sum += w_j
        w_distance += w_j * scalars[distance, j]
        for i in range(dimensions):
            m[i] += w_j * gradient[at, history + j, i]

    # The intensity of t_k from x_k, the share of x_k in v, and in the place of t_k its gradient.
    g_sum = g_distance = number(0)
    loss, product = 0.0, 1.0
    for k in range(n_targets):
        prefetch(embeddings, nodes[ahead, 1 + k])
        t, squared, dot = nodes[at, 1 + k], number(0), number(0)
        for i in range(dimensions):
            x = embeddings[t, i] - embeddings[s, i]
            squared += x * x
            dot += x * m[i]
        intensity = two * dot - (one + w_sum) * squared - w_distance
        label = one if k == 0 else -one
        probability = one / (one + math.exp(-label * intensity))
        g_k = -label * probability * (one - probability) / (probability + epsilon)
        g_sum += g_k
        g_distance += g_k * squared
        for i in range(dimensions):
            x = embeddings[t, i] - embeddings[s, i]
            v[i] += g_k * x
        for i in range(dimensions):
            x = embeddings[t, i] - embeddings[s, i]
            gradient[at, 1 + k, i] = two * g_k * (m[i] - (one + w_sum) * x)
        product *= probability + epsilon
        if product < SMALLEST_PRODUCT:
            loss -= math.log(product)
            product = 1.0
    loss -= math.log(product)

    delta_gradient = mean_r = number(0)
    for j in range(n_history):
        dot = number(0)
        for i in range(dimensions):
            dot += gradient[at, history + j, i] * v[i]
        scalars[slope, j] = two * dot - g_sum * scalars[distance, j] - g_distance
        r_j = scalars[slope, j] * scalars[decay, j]
        mean_r += scalars[attention, j] * r_j
        delta_gradient += sign * scalars[attention, j] * r_j * elapsed[at, j]

    for i in range(dimensions):
        gradient[at, 0, i] = two * v[i]
    for j in range(n_history):
        w_j = scalars[attention, j] * scalars[decay, j]
        by_distance = -scalars[attention, j] * (scalars[slope, j] * scalars[decay, j] - mean_r)
        for i in range(dimensions):
            y = gradient[at, history + j, i]
            gradient[at, 0, i] -= two * by_distance * y
        for i in range(dimensions):
            y = gradient[at, history + j, i]
            gradient[at, history + j, i] = two * (w_j * v[i] + (by_distance - w_j * g_sum) * y)
    return loss, delta_gradient
