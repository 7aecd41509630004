"""Which selection of authors gives the paper's DBLP: rules are tried on one reading of the dump, the closest first."""

from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

from networks.errors import NetworkError
from networks.parse.dblp_papers import RANKS, Papers, contacts_among, first_authors
from networks.parse.dblp_xml import read_papers

# Papers of more authors than this are dropped; None keeps all.
CAPS = (5, 8, 10, 15, 20, 25, 30, 50, 100, None)


@dataclass(frozen=True)
class Selection:
    """What one rule leaves: nodes are the authors with a contact; `directions` is 2 if each contact counts both ways.

    Whether the paper counts a contact once or in both directions is not known (its number is even): the closer counts.
    """

    rank: str
    max_authors: int | None
    nodes: int
    contacts: int
    directions: int
    edges_difference: int

    def options(self, years: tuple[int, int], top_authors: int) -> dict[str, Any]:
        """The options of the catalog's entry that make this selection."""
        return {"years": list(years), "max_authors": self.max_authors, "top_authors": top_authors, "rank": self.rank}


def compare_selections(path: Path, years: tuple[int, int], top_authors: int, edges: int) -> list[Selection]:
    """Every rank with every cap, the one whose contacts come closest to `edges` first; the dump is read once."""
    papers, _ = read_papers(path, years, max_authors=None)
    if not len(papers.years):
        raise NetworkError(f"{path}: holds no article or inproceedings with an author, of {years[0]} to {years[1]}")
    rules = product(CAPS, RANKS)
    tried = [_selection(papers.with_at_most(cap), rank, cap, top_authors, edges) for cap, rank in rules]
    return sorted(tried, key=lambda selection: abs(selection.edges_difference))


def _selection(papers: Papers, rank: str, cap: int | None, top_authors: int, edges: int) -> Selection:
    chosen = first_authors(papers, rank, top_authors)
    source, target, _ = contacts_among(papers.authors, papers.ends, papers.years, chosen)
    has_contact = np.zeros(len(papers.names), dtype=np.bool_)
    has_contact[source] = has_contact[target] = True
    nodes = int(np.count_nonzero(has_contact))
    directions = min((1, 2), key=lambda times: abs(times * len(source) - edges))
    return Selection(rank, cap, nodes, len(source), directions, directions * len(source) - edges)
