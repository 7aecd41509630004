"""Example sets: the held-out contacts as positives and the negatives of every strategy, made once for all methods.

Stored as one Arrow table: positives, then one run of rows per strategy, with the times of its positives in order. The
file carries the hash of its rows and is checked against it, and against the network, whenever it is read. A strategy
that takes every pair once (PER_PAIR) has a row for the first contact of each, and only for that.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from evaluation.errors import EvaluationError
from evaluation.examples.negatives import PER_PAIR, STRATEGIES, HeldOut, draw_negatives, first_contacts
from harness.files import atomic_path
from networks.network import TemporalNetwork, TimeArray
from networks.pairs import contains_all, pair_keys, set_of

FORMAT = "examples-1"
POSITIVE = "positive"


@dataclass(frozen=True, eq=False)
class ExampleSet:
    """`rows` gives the rows of each kind ("positive" or a strategy); `unavailable` says why a strategy has none.

    `repeated`: the pair meets in training; `unseen`: an end has no training contact. `facts` holds dataset, block,
    draw, seed and, per strategy, how many candidates were rejected and why.
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    time: TimeArray
    repeated: NDArray[np.bool_]
    unseen: NDArray[np.bool_]
    rows: dict[str, slice]
    unavailable: dict[str, str]
    facts: dict[str, Any]

    @property
    def n_positive(self) -> int:
        return self.rows[POSITIVE].stop

    def positives(self, strategy: str) -> NDArray[np.int64]:
        """The rows of the positives that stand beside the negatives of a strategy."""
        rows = self.rows[POSITIVE]
        if strategy not in PER_PAIR:
            return np.arange(rows.stop)
        return first_contacts(pair_keys(self.source[rows], self.target[rows], self.facts["nodes"]))

    def sha256(self) -> str:
        """The hash of all rows, in the order of the columns."""
        digest = hashlib.sha256()
        for column in (self.source, self.target, self.time, self.repeated, self.unseen):
            digest.update(str(column.dtype).encode())
            digest.update(np.ascontiguousarray(column).data)
        digest.update(json.dumps({kind: [rows.start, rows.stop] for kind, rows in self.rows.items()}).encode())
        return digest.hexdigest()


def block_rows(train_end: int, tuning_end: int, n_edges: int, block: str) -> tuple[int, int]:
    """The rows [start, end) of the network that a block holds out; training is everything before `start`."""
    start, end = (train_end, n_edges) if block == "test" else (tuning_end, train_end)
    if not 0 < start < end <= n_edges:
        raise EvaluationError(
            f"the {block} block is rows {start} to {end} of {n_edges}: there must be contacts in it and before it; "
            "split the network again with other fractions"
        )
    return start, end


def make_examples(
    network: TemporalNetwork, start: int, end: int, strategies: Sequence[str], seed: int, draw: int, block: str = "test"
) -> ExampleSet:
    """Positives are rows [start, end) of the network; a strategy has as many negatives as it has positives."""
    unknown = set(strategies) - set(STRATEGIES)
    if unknown:
        raise EvaluationError(
            f"--negatives: no strategy named {', '.join(sorted(unknown))}; there are {', '.join(STRATEGIES)}"
        )
    # Later contacts do not exist yet: what is drawn for the validation block does not depend on the test block.
    held_out = HeldOut(network.first(end), start, end)
    known = set_of(held_out.keys())
    source, target = [held_out.source], [held_out.target]
    rows, unavailable = {POSITIVE: slice(0, end - start)}, {}
    rejected: dict[str, dict[str, int]] = {}
    for strategy in dict.fromkeys(strategies):
        try:
            negatives = draw_negatives(strategy, held_out, seed, draw, known)
        except EvaluationError as error:
            unavailable[strategy] = str(error)
            continue
        taken = max(kind.stop for kind in rows.values())
        rows[strategy] = slice(taken, taken + len(negatives.source))
        rejected[strategy] = negatives.rejected
        source.append(negatives.source)
        target.append(negatives.target)
    all_source, all_target = np.concatenate(source), np.concatenate(target)
    positions = [np.arange(end - start), *(held_out.positives(kind) for kind in list(rows)[1:])]
    all_time: TimeArray = network.time[start:end][np.concatenate(positions)]
    seen = network.first(start).degrees > 0
    return ExampleSet(
        source=all_source,
        target=all_target,
        time=all_time,
        repeated=contains_all(set_of(held_out.keys(0, start)), pair_keys(all_source, all_target, network.n_nodes)),
        unseen=~(seen[all_source] & seen[all_target]),
        rows=rows,
        unavailable=unavailable,
        facts={
            "dataset": network.name,
            "block": block,
            "draw": draw,
            "seed": seed,
            "start": start,
            "end": end,
            "nodes": network.n_nodes,
            "edges": network.n_edges,
            "rejected": rejected,
        },
    )


def save_examples(examples: ExampleSet, path: Path) -> None:
    kinds = list(examples.rows)
    sizes = [rows.stop - rows.start for rows in examples.rows.values()]
    codes = np.repeat(np.arange(len(kinds), dtype=np.int8), sizes)
    table = pa.table(
        {
            "source": examples.source,
            "target": examples.target,
            "time": examples.time,
            "kind": pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(kinds)).cast(pa.string()),
            "repeated": examples.repeated,
            "unseen": examples.unseen,
        }
    ).replace_schema_metadata(
        {
            "format": FORMAT,
            "sha256": examples.sha256(),
            "dataset": str(examples.facts["dataset"]),
            "block": str(examples.facts["block"]),
            "draw": str(examples.facts["draw"]),
            "facts": json.dumps(examples.facts),
            "unavailable": json.dumps(examples.unavailable),
        }
    )
    with (
        atomic_path(path) as temporary,
        pa.OSFile(str(temporary), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)


def load_examples(path: Path) -> ExampleSet:
    """Read an example set; a file whose rows do not have the hash that it states is refused."""
    try:
        with pa.memory_map(str(path)) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
        metadata = {key.decode(): value.decode() for key, value in (table.schema.metadata or {}).items()}
        if metadata.get("format") != FORMAT:
            raise EvaluationError(f"{path}: not an example set; make one with `python -m evaluation examples`")
        table.validate(full=True)
        runs = pc.run_end_encode(table["kind"].combine_chunks())
        ends = [0, *runs.run_ends.to_pylist()]
        columns = {name: table[name].to_numpy() for name in ("source", "target", "time", "repeated", "unseen")}
        examples = ExampleSet(
            **columns,
            rows={kind: slice(ends[i], ends[i + 1]) for i, kind in enumerate(runs.values.to_pylist())},
            unavailable=json.loads(metadata["unavailable"]),
            facts=json.loads(metadata["facts"]),
        )
        changed = examples.sha256() != metadata["sha256"]
    except FileNotFoundError:
        raise EvaluationError(f"{path}: no such file; make it with `python -m evaluation examples`") from None
    except (pa.ArrowException, OSError, ValueError, LookupError, AttributeError, TypeError, RecursionError) as error:
        raise EvaluationError(f"{path}: cannot be read as an example set ({error})") from error
    if changed:
        raise EvaluationError(f"{path}: the rows were changed after they were made (sha256 differs); make them again")
    return examples


def check_belongs(examples: ExampleSet, network: TemporalNetwork, path: Path) -> None:
    """Refuse examples of another network or another split: their positives must be rows of this one."""
    rows = slice(examples.facts["start"], examples.facts["end"])
    positives = examples.rows[POSITIVE]
    belongs = (examples.facts["nodes"], examples.facts["edges"]) == (network.n_nodes, network.n_edges) and all(
        np.array_equal(ours[positives], theirs[rows])
        for ours, theirs in (
            (examples.source, network.source),
            (examples.target, network.target),
            (examples.time, network.time),
        )
    )
    if not belongs:
        raise EvaluationError(f"{path}: made from another network than {network.name or 'this one'}")
