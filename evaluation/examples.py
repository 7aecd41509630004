"""Example sets: the held-out contacts as positives and the negatives of every strategy, made once for all methods.

Stored as one Arrow table: positives, then one run of rows per strategy, where row i has the time of positive i. The
file carries the hash of its rows and is checked against it, and against the network, whenever it is read.
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

from datasets.atomic import atomic_path
from datasets.network import TemporalNetwork, TimeArray
from datasets.pairs import pair_keys
from evaluation.errors import EvaluationError
from evaluation.negatives import STRATEGIES, HeldOut, draw_negatives
from evaluation.pair_table import contains_all, table_of

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
    """Positives are rows [start, end) of the network; as many negatives per strategy as there are positives."""
    unknown = set(strategies) - set(STRATEGIES)
    if unknown:
        raise EvaluationError(
            f"--negatives: no strategy named {', '.join(sorted(unknown))}; there are {', '.join(STRATEGIES)}"
        )
    # Later contacts do not exist yet: what is drawn for the validation block does not depend on the test block.
    held_out = HeldOut(network.first(end), start, end)
    known = table_of(held_out.keys())
    source, target = [held_out.source], [held_out.target]
    rows, unavailable = {POSITIVE: slice(0, end - start)}, {}
    rejected: dict[str, dict[str, int]] = {}
    for strategy in dict.fromkeys(strategies):
        try:
            negatives = draw_negatives(strategy, held_out, seed, draw, known)
        except EvaluationError as error:
            unavailable[strategy] = str(error)
            continue
        rows[strategy] = slice(len(rows) * (end - start), (len(rows) + 1) * (end - start))
        rejected[strategy] = negatives.rejected
        source.append(negatives.source)
        target.append(negatives.target)
    held_out_time: TimeArray = network.time[start:end]
    all_source, all_target = np.concatenate(source), np.concatenate(target)
    seen = network.first(start).degrees > 0
    return ExampleSet(
        source=all_source,
        target=all_target,
        time=np.concatenate([held_out_time] * len(rows)),
        repeated=contains_all(table_of(held_out.keys(0, start)), pair_keys(all_source, all_target, network.n_nodes)),
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
    codes = np.repeat(np.arange(len(kinds), dtype=np.int8), examples.n_positive)
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
