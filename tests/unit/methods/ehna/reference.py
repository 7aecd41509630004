"""EHNA read literally: one target, one walk, one step at a time, in float64, with torch's own derivatives.

Slow on purpose. Every function follows an equation or a line of Algorithm 1; nothing is shared with methods/ehna.
"""

import torch
from torch import Tensor

Walk = tuple[list[int], list[float]]  # nodes from the target into the past, times of the steps
Weights = dict[str, Tensor]


def unit(vector: Tensor) -> Tensor:
    """A vector of zeros stays as it is."""
    return vector / torch.sqrt((vector * vector).sum()) if vector.any() else vector


def distance(a: Tensor, b: Tensor) -> Tensor:
    return ((a - b) ** 2).sum()


def softmax(logits: list[Tensor]) -> list[Tensor]:
    largest = max(logit.item() for logit in logits)
    numerators = [torch.exp(logit - largest) for logit in logits]
    return [numerator / sum(numerators) for numerator in numerators]


def inverse_time(walk: Walk, node: int, first_time: float) -> float:
    """1 / sum of t_(u,v) over the steps (u, v) of the walk that lead to v."""
    nodes, times = walk
    return 1 / sum(time + first_time for reached, time in zip(nodes[1:], times, strict=True) if reached == node)


def node_weights(table: Tensor, walk: Walk, attention: str) -> list[Tensor | float]:
    """alpha (Eq. 3) of every position but the start; literally, of the start as well, whose distance is 0.

    Softly, and without attention, a return to the target weighs nothing, and the others weigh 1 in the mean.
    """
    nodes, _ = walk
    own = table[nodes[0]]
    if attention == "none":
        return [float(node != nodes[0]) for node in nodes[1:]]
    if attention == "literal":
        reached = [-inverse_time(walk, node, 0) * distance(own, table[node]) for node in nodes[1:]]
        return list(softmax([torch.zeros((), dtype=table.dtype), *reached]))
    others = [node for node in nodes[1:] if node != nodes[0]]
    found = iter(softmax([-inverse_time(walk, node, 1) * distance(own, table[node]) for node in others]))
    return [len(others) * next(found) if node != nodes[0] else 0.0 for node in nodes[1:]]


def walk_weights(own: Tensor, h: list[Tensor], walks: list[Walk], attention: str, total: float) -> list[Tensor | float]:
    """beta (Eq. 4), with r' throughout the denominator; the weights add up to `total` unless read literally."""
    if attention == "none":
        return [total / len(h)] * len(h)
    logits = []
    for said, walk in zip(h, walks, strict=True):
        if attention == "literal":  # the sum is over all nodes of r, and no step leads to its start
            inverse = [0.0, *(inverse_time(walk, node, 0) for node in walk[0][1:])]
        else:
            inverse = [inverse_time(walk, node, 1) for node in walk[0][1:]]
            said = unit(said)
        logits.append(-sum(inverse) / len(inverse) * distance(own, said))
    return [beta if attention == "literal" else total * beta for beta in softmax(logits)]


def lstm(sequence: list[Tensor], weights: Weights, level: str, layers: int) -> Tensor:
    """The last hidden state of a stacked LSTM; torch stacks the gates as i, f, g, o."""
    for layer in range(layers):
        w_input, w_hidden, b_input, b_hidden = (
            weights[f"{level}_lstm.{name}_l{layer}"] for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
        )
        h = c = torch.zeros(w_hidden.shape[1], dtype=w_hidden.dtype)
        outputs = []
        for x in sequence:
            i, f, g, o = (w_input @ x + b_input + w_hidden @ h + b_hidden).chunk(4)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
            outputs.append(h)
        sequence = outputs
    return sequence[-1]


def batch_norm(rows: list[Tensor], weights: Weights, level: str, epsilon: float) -> list[Tensor]:
    mean = sum(rows) / len(rows)
    variance = sum((row - mean) ** 2 for row in rows) / len(rows)
    scale, shift = weights[f"{level}_norm.weight"], weights[f"{level}_norm.bias"]
    return [(row - mean) / torch.sqrt(variance + epsilon) * scale + shift for row in rows]


def aggregate(
    table: Tensor,
    weights: Weights,
    targets: list[int],
    walks: list[list[Walk]],
    attention: str,
    layers: int,
    levels: int,
    walk_weight: float,
    epsilon: float,
) -> list[Tensor]:
    """Algorithm 1 for a batch: z of every target. `walks[i]` is empty for a target without history."""
    with_history = [target for target in range(len(targets)) if walks[target]]
    fed = {}
    for target in with_history:
        for number, walk in enumerate(walks[target]):
            nodes = walk[0] if attention == "literal" else walk[0][1:]
            alpha = node_weights(table, walk, attention)
            # "a sequence of chronological events": the oldest first
            fed[target, number] = [a * table[v] for a, v in zip(alpha, nodes, strict=True)][::-1]

    if levels == 2:
        raw = [lstm(sequence, weights, "node", layers) for sequence in fed.values()]
        h = dict(zip(fed, map(torch.relu, batch_norm(raw, weights, "node", epsilon)), strict=True))
        raw = []
        for target in with_history:
            own = [h[target, number] for number in range(len(walks[target]))]
            beta = walk_weights(table[targets[target]], own, walks[target], attention, walk_weight)
            raw.append(lstm([b * said for b, said in zip(beta, own, strict=True)], weights, "walk", layers))
    else:  # the walks of a target, one after the other
        raw = []
        for target in with_history:
            share = walk_weight / len(walks[target])
            sequence = [share * x for number in range(len(walks[target])) for x in fed[target, number]]
            raw.append(lstm(sequence, weights, "node", layers))

    histories = batch_norm(raw, weights, "walk", epsilon)
    found = dict(zip(with_history, histories, strict=True))
    w, b = weights["projection.weight"], weights["projection.bias"]
    return [
        unit(w @ torch.cat((found.get(target, torch.zeros_like(table[node])), table[node])) + b)
        for target, node in enumerate(targets)
    ]


def margin_terms(z: Tensor, x: int, y: int, negatives: list[int], margin: float) -> list[Tensor]:
    """Eq. 7 around x: [m + |z_x - z_y|^2 - |z_x - z_q|^2]_+ for every q."""
    return [torch.relu(margin + distance(z[x], z[y]) - distance(z[x], z[q])) for q in negatives]
