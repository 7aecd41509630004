"""Training: contacts in order of time, each with the past strictly before it, against a random other end."""

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score
from torch import Tensor
from torch.nn import functional

from methods.contract.run import Run
from methods.ehna.validation import ValidationBlock, validation_block
from methods.graphmixer.model import GraphMixer
from methods.graphmixer.past import Past
from networks.network import TemporalNetwork

BATCH = 600
NODES_AT_ONCE = 2000
# The newest contacts, by which the pass is chosen that is kept.
VALIDATION_SHARE = 0.1
WEIGHT_DECAY = 1e-6
WEIGHTS, VALIDATION, PASS = 1, 2, 3


@dataclass(frozen=True)
class Reach:
    """How much of the past is read; the names are the parameters in method.yaml."""

    contacts: int
    window: int


def trained(network: TemporalNetwork, params: dict[str, Any], run: Run) -> GraphMixer:
    """The model after the pass that ranks the newest contacts best; after the last where they are too few to tell."""
    reach = Reach(params["contacts"], params["window"])
    block = validation_block(network, VALIDATION_SHARE, network.n_edges, (run.seed, VALIDATION))
    past = Past(block.older if block else network)
    with torch.random.fork_rng(devices=[]):  # type: ignore[no-untyped-call]
        torch.manual_seed((run.seed << 8) + WEIGHTS)
        model = GraphMixer(network.n_nodes, reach.contacts, params["dimensions"], params["layers"], params["dropout"])
        dense = [weights for name, weights in model.named_parameters() if name != "identity"]
        optimizers = [
            torch.optim.Adam(dense, params["learning_rate"], weight_decay=WEIGHT_DECAY),
            torch.optim.SparseAdam([model.identity], params["learning_rate"]),
        ]
        losses: list[float] = []
        aucs: list[float] = []
        best = model
        for number in range(params["epochs"]):
            losses.append(round(train_pass(model, past, reach, optimizers, (run.seed, PASS, number), run), 4))
            run.report(loss=losses)
            if block is not None:
                aucs.append(round(auc(model, past, reach, block), 4))
                run.report(validation_auc=aucs)
                if aucs[-1] == max(aucs):
                    best = copy.deepcopy(model)
                elif len(aucs) - 1 - int(np.argmax(aucs)) >= params["patience"]:
                    break
    return best if block else model


def train_pass(
    model: GraphMixer,
    past: Past,
    reach: Reach,
    optimizers: list[torch.optim.Optimizer],
    seed: tuple[int, ...],
    run: Run,
) -> float:
    """One pass of Adam over the contacts; returns the mean loss."""
    generator = np.random.default_rng(seed)
    network = past.network
    everyone = np.flatnonzero(network.degrees).astype(np.int32)
    losses = []
    model.train()
    with run.epoch(network.n_edges, "edges"), run.progress(network.n_edges, "edges", "GraphMixer") as bar:
        for first in range(0, network.n_edges, BATCH):
            rows = np.arange(first, min(first + BATCH, network.n_edges))
            noise = generator.choice(everyone, len(rows))
            loss = batch_loss(model, past, reach, rows, noise, generator.random(len(rows)) < 0.5)
            for optimizer in optimizers:
                optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            for optimizer in optimizers:
                optimizer.step()
            losses.append(loss.item())
            bar.update(len(rows))
    return float(np.mean(losses))


def batch_loss(
    model: GraphMixer,
    past: Past,
    reach: Reach,
    rows: NDArray[np.int64],
    noise: NDArray[np.int32],
    keep_source: NDArray[np.bool_],
) -> Tensor:
    """Cross entropy of the contacts `rows`, plus that of one end of each with a `noise` node in place of the other."""
    network = past.network
    nodes = np.concatenate((network.source[rows], network.target[rows], noise))
    ends, times = np.tile(past.rows_before(rows), 3), np.tile(network.time[rows], 3)
    # Acquaintances as of the first contact of the batch, as in the authors' code: one table for all of it.
    source, target, other = states(model, past, reach, nodes, ends, times, int(ends[0])).split(len(rows))
    kept = torch.where(torch.from_numpy(keep_source)[:, None], source, target)
    met, never = model.logit(source, target), model.logit(kept, other)
    return functional.softplus(-met).mean() + functional.softplus(never).mean()


def states(
    model: GraphMixer,
    past: Past,
    reach: Reach,
    nodes: NDArray[np.int32],
    ends: NDArray[np.int64],
    times: NDArray[Any],
    window_end: int,
) -> Tensor:
    """Each node's state from its contacts among the first `ends` rows, seen from `times`."""
    others, begin = past.met(window_end, reach.window).of(nodes)
    return model.state(
        torch.from_numpy(past.elapsed(nodes, ends, times, reach.contacts)),
        torch.from_numpy(nodes.astype(np.int64)),
        torch.from_numpy(others),
        torch.from_numpy(begin),
    )


def latest_states(model: GraphMixer, past: Past, reach: Reach) -> Tensor:
    """The state of every node at the end of the network, by which any pair can be scored.

    Always in the same blocks, so that a score does not depend on which pairs are asked for.
    """
    network = past.network
    model.eval()
    with torch.no_grad():
        blocks = []
        for first in range(0, network.n_nodes, NODES_AT_ONCE):
            nodes = np.arange(first, min(first + NODES_AT_ONCE, network.n_nodes), dtype=np.int32)
            ends = np.full(len(nodes), network.n_edges)
            times = np.repeat(network.time[-1:], len(nodes))
            blocks.append(states(model, past, reach, nodes, ends, times, network.n_edges))
    return torch.cat(blocks)


def auc(model: GraphMixer, past: Past, reach: Reach, block: ValidationBlock) -> float:
    """Of later contacts against pairs that never meet: the mean over uniform ones and ones matched in degree."""
    state = latest_states(model, past, reach)
    positive = pair_logits(model, state, *block.positive.T)
    found = []
    for negative in block.negatives:
        scores = np.concatenate((positive, pair_logits(model, state, *negative.T)))
        found.append(roc_auc_score(np.repeat([1, 0], len(positive)), scores))
    return float(np.mean(found))


def pair_logits(
    model: GraphMixer, state: Tensor, source: NDArray[np.int32], target: NDArray[np.int32]
) -> NDArray[np.float64]:
    """The classifier's answer to every pair, in blocks."""
    logits = np.empty(len(source))
    with torch.no_grad():
        for first in range(0, len(source), NODES_AT_ONCE):
            part = slice(first, first + NODES_AT_ONCE)
            one, other = (torch.from_numpy(end[part].astype(np.int64)) for end in (source, target))
            logits[part] = model.logit(state[one], state[other]).numpy()
    return logits
