"""The paper's printed numbers, and the seven of them that our audit finds to contradict the others."""

import dataclasses

import pytest

from evaluation.report.paper.audit import find_inconsistencies
from evaluation.report.paper.numbers import PaperCell, our_name, paper_cells

# What a reader with a pocket calculator finds (kind, network, operator, metric, method, printed, recomputed).
SEVEN_CELLS = {
    ("error_reduction", "Digg", "Mean", "Recall", "EHNA", "16.1", 13.04),
    ("f1_vs_pr", "Digg", "Weighted-L1", "F1", "Node2Vec", "0.5843", 0.5873),
    ("error_reduction", "Digg", "Weighted-L1", "F1", "EHNA", "-6.7", -6.87),
    ("f1_vs_pr", "Digg", "Weighted-L2", "F1", "EHNA", "0.8267", 0.8246),
    ("error_reduction", "Digg", "Weighted-L2", "Recall", "EHNA", "19.6", 15.74),
    ("f1_vs_pr", "Yelp", "Mean", "F1", "EHNA", "0.7008", 0.7025),
    ("f1_vs_pr", "Tmall", "Weighted-L2", "F1", "EHNA", "0.8603", 0.864),
}


def test_audit_finds_exactly_the_seven_inconsistent_cells():
    found = {
        (
            item.kind,
            item.dataset,
            item.operator,
            item.metric,
            item.method,
            item.printed,
            round(item.recomputed, 2 if item.kind == "error_reduction" else 4),
        )
        for item in find_inconsistencies()
    }
    assert found == SEVEN_CELLS


def with_f1_of_ehna(dataset, operator, printed):
    one = (dataset, operator, "F1", "EHNA")
    return tuple(
        dataclasses.replace(cell, printed=printed)
        if (cell.dataset, cell.operator, cell.metric, cell.method) == one
        else cell
        for cell in paper_cells()
    )


def test_audit_clears_a_cell_once_its_number_is_mended():
    mended = with_f1_of_ehna("Tmall", "Weighted-L2", "0.8640")
    kinds = [(item.dataset, item.kind) for item in find_inconsistencies(mended)]
    assert ("Tmall", "f1_vs_pr") not in kinds


def test_audit_finds_a_cell_that_is_broken_by_one_digit_beyond_rounding():
    assert len(find_inconsistencies(with_f1_of_ehna("Digg", "Hadamard", "0.8634"))) == 8


def test_every_number_of_the_papers_tables_is_there():
    tables = [cell.table for cell in paper_cells()]
    assert {table: tables.count(table) for table in set(tables)} == {
        "datasets": 4 * 2,
        "link_prediction": 4 * 4 * 4 * 6,
        "ablation": 4 * 4,
        "efficiency": 7 * 4,
    }


@pytest.mark.parametrize(("printed", "rounding"), [("0.6020", 0.00005), ("16.1", 0.05), ("279630", 0.5), ("4.6e3", 50)])
def test_rounding_is_half_a_unit_of_the_last_printed_digit(printed, rounding):
    assert PaperCell("", "", "", "", "", printed).rounding == pytest.approx(rounding)


def test_names_of_the_paper_translate_into_ours():
    assert [our_name(name) for name in ("DBLP", "Weighted-L1", "AUC", "Node2Vec_10", "EHNA-NA")] == [
        "dblp",
        "weighted_l1",
        "auc",
        "node2vec_10",
        "ehna_na",
    ]
