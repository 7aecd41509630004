"""The weights that the aggregation starts from: H is the mean of what the walks met, z = unit([e ; c H + b]).

With torch's random start H is noise, and training has to find first what a mean has already. So:

- layer 1 of the node-level LSTM is a leaky sum, c_t = sigmoid(1) c_(t-1) + scale * input, its gates open; layer 2
  passes on what it reads (a second sum would count the oldest step most);
- the walk-level LSTM is the same, but hardly leaks, so that all walks count alike;
- batch normalization before the ReLU has a bias of 3, so that the ReLU cuts nothing;
- W is two blocks, one half of z for e and one for H, and H's half has a constant b. The more different nodes x has
  met, the shorter is their mean, so the share of b in z tells how active x is: popularity, which unit vectors lose
  otherwise.

What torch drew stays as noise of one fiftieth, so that units differ and can learn different things.
"""

import torch
from torch import nn

NOISE = 0.02
OPEN_GATE, CLOSED_GATE = 4.0, -4.0
NODE_SCALE, NODE_KEEP = 0.5, 1.0
WALK_SCALE, WALK_KEEP = 0.05, 7.0
ABOVE_ZERO = 3.0


def start_projection(projection: nn.Linear, history_share: float, activity_share: float) -> None:
    """W [H ; e] + bias = [e ; c H + b], c the `history_share` and b the `activity_share`."""
    d = projection.in_features // 2
    with torch.no_grad():
        projection.weight.zero_()
        projection.bias.zero_()
        projection.weight[:d, d:] = torch.eye(d)
        # H leaves its normalization with length sqrt(d), e has length 1.
        projection.weight[d:, :d] = history_share * torch.eye(d) / d**0.5
        projection.bias[d:] = activity_share / d**0.5


def start_as_sum(lstm: nn.LSTM, scale: float, keep: float, noise: float = NOISE) -> None:
    """Layer 1: c_t = sigmoid(keep) c_(t-1) + scale * input; every other layer: what the one below says now."""
    d = lstm.hidden_size
    with torch.no_grad():
        for layer in range(lstm.num_layers):
            for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                getattr(lstm, f"{name}_l{layer}").mul_(noise)
            # torch stacks the gates as input, forget, candidate, output.
            getattr(lstm, f"weight_ih_l{layer}")[2 * d : 3 * d] += torch.eye(d) * (scale if layer == 0 else 1.0)
            bias = getattr(lstm, f"bias_ih_l{layer}")
            bias[:d] += OPEN_GATE
            bias[d : 2 * d] += keep if layer == 0 else CLOSED_GATE
            bias[3 * d :] += OPEN_GATE
