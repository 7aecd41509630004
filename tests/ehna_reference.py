"""EHNA read literally: one target, one walk, one step at a time, in float64, with torch's own derivatives.

Slow on purpose. Every function follows an equation or a line of Algorithm 1; nothing is shared with methods/ehna.
"""

import torch
from torch import Tensor

from tests.conftest import network_of

EPSILON = 1e-5
# Both readings are compared on this: equal times, a pair that meets twice, two nodes without contact.
NETWORK = network_of(
    [
        (0, 1, 0),
        (1, 2, 2),
        (0, 2, 3),
        (3, 4, 3),
        (2, 3, 5),
        (0, 4, 6),
        (5, 6, 6),
        (1, 4, 7),
        (0, 1, 8),
        (4, 6, 9),
        (2, 6, 10),
        (5, 3, 11),
    ],
    n_nodes=9,
)

Walk = tuple[list[int], list[float]]  # nodes from the target into the past, times of the steps


def time_sum(walk: Walk, node: int) -> float:
    """Sum of t_(u,v) over the steps (u, v) of the walk that lead to v."""
    nodes, times = walk
    return sum(time for reached, time in zip(nodes[1:], times, strict=True) if reached == node)


def alpha(table: Tensor, walk: Walk) -> list[Tensor]:
    """Eq. 3, over positions; the empty sum of a start that is never reached again gives a logit of 0."""
    nodes, _ = walk
    logits = []
    for node in nodes:
        total = time_sum(walk, node)
        distance = ((table[nodes[0]] - table[node]) ** 2).sum()
        logits.append(-distance / total if total > 0 else torch.zeros((), dtype=table.dtype))
    numerators = torch.exp(torch.stack(logits) - torch.stack(logits).max().detach())
    return list(numerators / numerators.sum())


def beta(embedding: Tensor, representations: list[Tensor], walks: list[Walk]) -> list[Tensor]:
    """Eq. 4, with r' throughout the denominator."""
    logits = []
    for h, walk in zip(representations, walks, strict=True):
        sums = [time_sum(walk, node) for node in walk[0]]
        factor = sum(1 / total for total in sums if total > 0) / len(walk[0])
        logits.append(-factor * ((embedding - h) ** 2).sum())
    numerators = torch.exp(torch.stack(logits) - torch.stack(logits).max().detach())
    return list(numerators / numerators.sum())


def lstm(sequence: list[Tensor], layers: list[tuple[Tensor, Tensor, Tensor]]) -> Tensor:
    """The last hidden state of a stacked LSTM; a layer is (W_ih, W_hh, b), gates in the order i, f, g, o."""
    for weight_ih, weight_hh, bias in layers:
        h = c = torch.zeros(weight_hh.shape[1], dtype=weight_hh.dtype)
        outputs = []
        for x in sequence:
            i, f, g, o = (weight_ih @ x + weight_hh @ h + bias).chunk(4)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        sequence = outputs
    return sequence[-1]


def batch_norm(rows: list[Tensor], weight: Tensor, bias: Tensor) -> list[Tensor]:
    stacked = torch.stack(rows)
    mean = stacked.mean(0)
    variance = ((stacked - mean) ** 2).mean(0)
    return list((stacked - mean) / torch.sqrt(variance + EPSILON) * weight + bias)


def aggregate(
    table: Tensor,
    weights: dict[str, Tensor],
    targets: list[int],
    walks: list[list[Walk]],
    attention: list[bool],
    layers: int,
    levels: int,
) -> list[Tensor]:
    """Algorithm 1 for a batch: z of every target. `walks[i]` is empty for a target without history."""

    def stack(level: str) -> list[tuple[Tensor, Tensor, Tensor]]:
        return [
            (
                weights[f"{level}_lstm.input.{layer}"],
                weights[f"{level}_lstm.recurrent.{layer}"],
                weights[f"{level}_lstm.bias.{layer}"],
            )
            for layer in range(layers)
        ]

    with_history = [target for target in range(len(targets)) if walks[target]]
    fed = {}
    for target in with_history:
        for number, walk in enumerate(walks[target]):
            factors = alpha(table, walk) if attention[target] else [1.0] * len(walk[0])
            # "a sequence of chronological events": oldest first, the target last
            fed[target, number] = [a * table[v] for a, v in zip(factors, walk[0], strict=True)][::-1]

    if levels == 2:
        keys = list(fed)
        raw = [lstm(fed[key], stack("node")) for key in keys]
        normal = batch_norm(raw, weights["node_norm.weight"], weights["node_norm.bias"])
        h = {key: torch.relu(row) for key, row in zip(keys, normal, strict=True)}
        raw = []
        for target in with_history:
            own = [h[target, number] for number in range(len(walks[target]))]
            factors = beta(table[targets[target]], own, walks[target]) if attention[target] else [1.0] * len(own)
            raw.append(lstm([b * row for b, row in zip(factors, own, strict=True)], stack("walk")))
        neighborhoods = batch_norm(raw, weights["walk_norm.weight"], weights["walk_norm.bias"])
    else:
        raw = [
            lstm([x for number in range(len(walks[target])) for x in fed[target, number]], stack("node"))
            for target in with_history
        ]
        neighborhoods = batch_norm(raw, weights["node_norm.weight"], weights["node_norm.bias"])

    found = dict(zip(with_history, neighborhoods, strict=True))
    result = []
    for target, node in enumerate(targets):
        h_x = found.get(target, torch.zeros_like(table[node]))
        z = weights["projection"] @ torch.cat((h_x, table[node]))
        result.append(z / torch.sqrt((z * z).sum()))
    return result


def loss(z: list[Tensor], edges: list[tuple[int, int, list[int], list[int]]], margin: float) -> Tensor:
    """Eq. 7 per edge: (x, y, negatives around x, negatives around y) are places in z."""
    total = torch.zeros((), dtype=z[0].dtype)
    for x, y, around_x, around_y in edges:
        near = ((z[x] - z[y]) ** 2).sum()
        for q in around_x:
            total = total + torch.relu(margin + near - ((z[x] - z[q]) ** 2).sum())
        for q in around_y:
            total = total + torch.relu(margin + near - ((z[y] - z[q]) ** 2).sum())
    return total / len(edges)
