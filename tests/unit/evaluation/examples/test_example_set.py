"""Example sets: what they hold, and that a changed or foreign one is refused."""

import numpy as np
import pyarrow as pa
import pytest

from evaluation.errors import EvaluationError
from evaluation.examples.example_set import block_rows, check_belongs, load_examples, make_examples, save_examples
from evaluation.examples.negatives import STRATEGIES
from tests.conftest import network_of

# Training: 0-1, 1-2, 3-4. Held out: 1-0 (seen, in reverse), 0-2 (new), 2-5 (node 5 is new). 6-7 meet later.
CONTACTS = [(0, 1, 1), (1, 2, 2), (3, 4, 3), (1, 0, 4), (0, 2, 5), (2, 5, 6), (6, 7, 7)]


def small_examples(strategies=("uniform", "same_source"), seed=1, draw=1):
    return make_examples(network_of(CONTACTS), 3, 6, strategies, seed, draw)


def same(ours, theirs):
    return ours.sha256() == theirs.sha256() and (ours.rows, ours.unavailable, ours.facts) == (
        theirs.rows,
        theirs.unavailable,
        theirs.facts,
    )


def test_positives_come_first_and_are_the_held_out_rows():
    examples = small_examples()
    assert examples.rows == {"positive": slice(0, 3), "uniform": slice(3, 6), "same_source": slice(6, 9)}
    assert examples.source[:3].tolist() == [1, 0, 2]
    assert examples.target[:3].tolist() == [0, 2, 5]


def test_a_negative_has_the_time_of_its_positive():
    assert small_examples().time.tolist() == [4, 5, 6] * 3


def test_a_strategy_that_counts_pairs_once_has_one_negative_per_pair_at_its_first_time(tmp_path):
    contacts = [(0, 1, 0), (2, 3, 1), (4, 5, 2), (0, 1, 3), (1, 0, 4), (2, 5, 5), (6, 7, 6)]
    made = make_examples(network_of(contacts), 3, 7, ("uniform", "degree_matched_pairs"), seed=1, draw=1)
    assert made.rows == {"positive": slice(0, 4), "uniform": slice(4, 8), "degree_matched_pairs": slice(8, 11)}
    assert made.positives("uniform").tolist() == [0, 1, 2, 3]
    assert made.positives("degree_matched_pairs").tolist() == [0, 2, 3]
    assert made.time[8:].tolist() == [3, 5, 6]
    save_examples(made, tmp_path / "draw.arrow")
    assert same(load_examples(tmp_path / "draw.arrow"), made)


def test_repeated_marks_pairs_of_training_in_either_direction():
    examples = small_examples()
    assert examples.repeated[:3].tolist() == [True, False, False]
    assert not examples.repeated[3:].any()


def test_unseen_marks_pairs_with_an_end_that_training_does_not_know():
    examples = small_examples()
    assert examples.unseen[:3].tolist() == [False, False, True]
    expected = (examples.source >= 5) | (examples.target >= 5)
    assert examples.unseen.tolist() == expected.tolist()


def test_a_strategy_that_is_not_available_is_recorded_with_its_reason():
    examples = small_examples(("historical", "uniform"))
    assert list(examples.rows) == ["positive", "uniform"]
    assert "only 2 distinct training pairs" in examples.unavailable["historical"]


def test_another_strategy_beside_it_changes_no_negative():
    alone, beside = small_examples(("same_source",)), small_examples(("uniform", "same_source"))
    rows, rows_beside = alone.rows["same_source"], beside.rows["same_source"]
    assert alone.target[rows].tolist() == beside.target[rows_beside].tolist()


def test_an_unknown_strategy_is_named():
    with pytest.raises(EvaluationError, match="no strategy named hard"):
        small_examples(("hard",))


def test_what_is_saved_is_what_is_loaded(tmp_path):
    examples = small_examples(("uniform", "type_respecting", "same_source"))
    save_examples(examples, tmp_path / "draw.arrow")
    assert same(load_examples(tmp_path / "draw.arrow"), examples)


def test_the_file_is_a_plain_table_with_the_documented_columns(tmp_path):
    save_examples(small_examples(), tmp_path / "draw.arrow")
    table = pa.ipc.open_file(str(tmp_path / "draw.arrow")).read_all()
    assert table.column_names == ["source", "target", "time", "kind", "repeated", "unseen"]
    assert table["kind"].to_pylist() == ["positive"] * 3 + ["uniform"] * 3 + ["same_source"] * 3
    assert table.schema.field("source").type == pa.int32()


def test_a_changed_row_is_noticed(tmp_path):
    path = tmp_path / "draw.arrow"
    save_examples(small_examples(), path)
    table = pa.ipc.open_file(str(path)).read_all()
    target = table["target"].to_numpy().copy()
    target[4] += 1
    changed = table.set_column(1, "target", pa.array(target))
    with pa.ipc.new_file(str(path), changed.schema) as writer:
        writer.write_table(changed)
    with pytest.raises(EvaluationError, match="sha256 differs"):
        load_examples(path)


def test_the_hash_depends_on_every_column():
    examples = small_examples()
    hashes = {examples.sha256()}
    for column in ("source", "target", "time", "repeated", "unseen"):
        values = getattr(examples, column)
        before = values[-1]
        writable = values.copy()
        writable[-1] = not before if values.dtype == np.bool_ else before + 1
        object.__setattr__(examples, column, writable)
        hashes.add(examples.sha256())
        object.__setattr__(examples, column, values)
    assert len(hashes) == 6


def test_examples_of_another_network_are_refused(tmp_path):
    other = network_of([*CONTACTS[:4], (0, 3, 5), *CONTACTS[5:]])
    check_belongs(small_examples(), network_of(CONTACTS), tmp_path)
    with pytest.raises(EvaluationError, match="made from another network"):
        check_belongs(small_examples(), other, tmp_path)


@pytest.mark.parametrize("content", [b"", b"not arrow", b"ARROW1"])
def test_a_file_that_is_no_example_set_is_refused(tmp_path, content):
    path = tmp_path / "draw.arrow"
    path.write_bytes(content)
    with pytest.raises(EvaluationError, match="cannot be read as an example set"):
        load_examples(path)


def test_a_missing_file_says_how_to_make_it(tmp_path):
    with pytest.raises(EvaluationError, match="python -m evaluation examples"):
        load_examples(tmp_path / "none.arrow")


def test_the_test_block_is_the_newest_and_the_validation_block_lies_before_it():
    assert block_rows(train_end=8, tuning_end=7, n_edges=10, block="test") == (8, 10)
    assert block_rows(train_end=8, tuning_end=7, n_edges=10, block="validation") == (7, 8)


@pytest.mark.parametrize("strategy", [name for name in STRATEGIES if name != "historical"])
def test_validation_examples_do_not_depend_on_the_test_block(strategy):
    shared = [(u % 4, 4 + (u * u) % 5, u) for u in range(20)]
    first = network_of([*shared, (0, 9, 20), (1, 8, 21)], n_nodes=12)
    second = network_of([*shared, (9, 10, 30), (10, 11, 31)], n_nodes=12)
    ours, theirs = (make_examples(network, 14, 20, [strategy], 1, 1, "validation") for network in (first, second))
    assert ours.sha256() == theirs.sha256()
    assert ours.unavailable == theirs.unavailable
    # Nodes 9, 10 and 11 appear only afterwards.
    assert max(ours.source.max(), ours.target.max()) < 9


def test_an_empty_block_is_refused():
    with pytest.raises(EvaluationError, match="the validation block is rows 8 to 8 of 10"):
        block_rows(train_end=8, tuning_end=8, n_edges=10, block="validation")
