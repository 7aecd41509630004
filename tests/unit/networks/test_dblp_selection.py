"""Which selection of authors from the dblp dump comes closest to the paper's counts."""

import numpy as np
import pytest

from networks.__main__ import main
from networks.dblp_selection import CAPS, Selection, compare_selections
from networks.errors import NetworkError
from networks.parse import read_contacts
from networks.parse.dblp_papers import RANKS, Papers, first_authors

# Per paper its year and authors; the first has more authors than the smallest cap allows.
PAPERS = [
    (2001, "EABCDF"),
    (2000, "AB"),
    (2002, "AB"),
    (2003, "AC"),
    (1999, "GH"),
    (2003, "G"),
    (2003, "G"),
    (2003, "G"),
]


@pytest.fixture
def dump(tmp_path):
    records = [
        f"<article>{''.join(f'<author>{name}</author>' for name in names)}<year>{year}</year></article>"
        for year, names in PAPERS
    ]
    path = tmp_path / "dblp.xml"
    path.write_text(f"<dblp>{''.join(records)}</dblp>")
    return path


@pytest.fixture
def papers():
    names = sorted({name for _, names in PAPERS for name in names})
    authors = [names.index(name) for _, team in PAPERS for name in team]
    ends = np.cumsum([0, *(len(team) for _, team in PAPERS)])
    return Papers(np.array(authors, np.int32), ends, np.array([year for year, _ in PAPERS], np.int16), names)


@pytest.mark.parametrize(
    ("rank", "cap", "order"),
    [
        ("papers", None, "AGBCEDFH"),  # 4, 4, 3, 2, then 1 each; equals as they come
        ("papers", 5, "GABCH"),  # 4, 3, 2, 1, 1
        ("contacts", None, "ABCEDFGH"),  # 8, 7, 6, 5, 5, 5, 1, 1
        ("contacts", 5, "ABCGH"),  # 3, 2, 1, 1, 1
        ("place", None, "EABCDFGH"),
        ("place", 5, "ABCGH"),
        ("first_year", None, "GHABECDF"),
        ("first_year", 5, "GHABC"),
    ],
)
def test_authors_are_ranked_by_the_papers_that_the_cap_leaves(papers, rank, cap, order):
    within = papers.with_at_most(cap)
    chosen = ["".join(np.array(papers.names)[first_authors(within, rank, count)]) for count in range(len(order) + 1)]
    assert chosen == ["".join(sorted(order[:count])) for count in range(len(order) + 1)]
    assert first_authors(within, rank, None).sum() == len(order)


def test_an_unknown_rank_is_answered_with_the_nearest(dump):
    with pytest.raises(NetworkError, match=r"^rank 'paper' is not known; did you mean 'papers'\?; it is one of"):
        read_contacts(dump, "dblp_xml", {"rank": "paper"})


@pytest.mark.parametrize(
    ("edges", "closest"),
    [
        (3, Selection("papers", 5, 3, 3, 1, 0)),  # G, A, B, C: A-B twice and A-C; G only meets H
        (4, Selection("first_year", 8, 4, 4, 1, 0)),  # G, H, A, B: A-B three times and G-H
        (9, Selection("contacts", 8, 4, 9, 1, 0)),  # A, B, C, E: six pairs, A-B twice more, A-C
        (18, Selection("contacts", 8, 4, 9, 2, 0)),
        (13, Selection("papers", 8, 3, 6, 2, -1)),  # A, G, B, C
    ],
)
def test_the_selection_closest_to_the_wanted_number_is_first(dump, edges, closest):
    selections = compare_selections(dump, (1999, 2003), 4, edges)
    assert len(selections) == len(CAPS) * len(RANKS)
    assert selections[0] == closest
    distances = [abs(selection.edges_difference) for selection in selections]
    assert distances == sorted(distances)


def test_a_selection_is_what_prepare_makes_of_its_options(dump):
    years = (2000, 2003)
    for selection in compare_selections(dump, years, 3, 7):
        contacts = read_contacts(dump, "dblp_xml", selection.options(years, 3))
        met = {*contacts.source.tolist(), *contacts.target.tolist()}
        assert (len(met), len(contacts.time)) == (selection.nodes, selection.contacts)


def test_command_prints_the_selections_and_the_options_of_the_closest(dump, capsys):
    assert main(["select-dblp", str(dump)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "paper: 175,000 nodes, 5,881,024 edges; here the first 175,000 authors by"
    assert lines[2].split() == ["papers", "8", "8", "19", "twice", "-5,880,986", "(-100.0%)"]
    assert lines[-1] == (
        'closest: options: {"years": [1955, 2017], "max_authors": 8, "top_authors": 175000, "rank": "papers"}'
    )


def test_a_dump_without_papers_is_said(tmp_path, capsys):
    (tmp_path / "dblp.xml").write_text("<dblp/>")
    assert main(["select-dblp", str(tmp_path / "dblp.xml")]) == 1
    assert "holds no article or inproceedings with an author, of 1955 to 2017" in capsys.readouterr().err
