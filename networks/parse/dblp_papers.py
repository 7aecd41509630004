"""Papers of dblp as arrays: which authors a rule selects, and the contacts that are left between them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numba
import numpy as np
from numpy.typing import NDArray

from harness.schema import nearest
from networks.errors import NetworkError


@dataclass(frozen=True, eq=False)
class Papers:
    """Paper i, of years[i], was written by authors[ends[i] : ends[i + 1]], which are places in `names`."""

    authors: NDArray[np.int32]
    ends: NDArray[np.int64]
    years: NDArray[np.int16]
    names: list[str]

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many authors each paper has."""
        return np.diff(self.ends)

    def with_at_most(self, max_authors: int | None) -> Papers:
        """The papers of at most so many authors; all names stay."""
        if max_authors is None:
            return self
        kept = self.sizes <= max_authors
        ends = np.concatenate(([0], np.cumsum(self.sizes[kept])))
        return Papers(self.authors[np.repeat(kept, self.sizes)], ends, self.years[kept], self.names)


def _papers(papers: Papers) -> NDArray[np.int64]:
    return -np.bincount(papers.authors, minlength=len(papers.names))


def _contacts(papers: Papers) -> NDArray[np.int64]:
    met = np.repeat(papers.sizes - 1, papers.sizes)
    return -np.bincount(papers.authors, met, minlength=len(papers.names)).astype(np.int64)


def _place(papers: Papers) -> NDArray[np.int64]:
    place = np.full(len(papers.names), len(papers.authors))
    # Written backwards, so that what remains is an author's first place.
    place[papers.authors[::-1]] = np.arange(len(papers.authors))[::-1]
    return place


def _first_year(papers: Papers) -> NDArray[np.int64]:
    first = np.full(len(papers.names), np.iinfo(np.int64).max)
    np.minimum.at(first, papers.authors, np.repeat(papers.years.astype(np.int64), papers.sizes))
    return first


# What authors are ranked by, smallest first: most papers, most contacts, first in the dump, first to publish.
RANKS: dict[str, Callable[[Papers], NDArray[np.int64]]] = {
    "papers": _papers,
    "contacts": _contacts,
    "place": _place,
    "first_year": _first_year,
}


def first_authors(papers: Papers, rank: str, count: int | None) -> NDArray[np.bool_]:
    """Marks the first `count` authors by `rank` (None: all); equals are settled by who comes first in the papers."""
    if rank not in RANKS:
        raise NetworkError(f"rank {rank!r} is not known{nearest(rank, RANKS)}; it is one of {', '.join(RANKS)}")
    place = _place(papers)
    order = np.lexsort((place, RANKS[rank](papers)))
    has_paper = place < len(papers.authors)
    chosen = np.zeros(len(papers.names), dtype=np.bool_)
    chosen[order[has_paper[order]][:count]] = True
    return chosen


@numba.njit(cache=True)
def contacts_among(authors, ends, years, chosen):
    """All pairs of chosen authors of one paper, the earlier named as the source, and the paper's year."""
    count = 0
    for paper in range(len(years)):
        members = 0
        for at in range(ends[paper], ends[paper + 1]):
            members += chosen[authors[at]]
        count += members * (members - 1) // 2
    source = np.empty(count, dtype=np.int32)
    target = np.empty(count, dtype=np.int32)
    time = np.empty(count, dtype=np.int64)
    row = 0
    for paper in range(len(years)):
        for at in range(ends[paper], ends[paper + 1]):
            if chosen[authors[at]]:
                for other in range(at + 1, ends[paper + 1]):
                    if chosen[authors[other]]:
                        source[row], target[row], time[row] = authors[at], authors[other], years[paper]
                        row += 1
    return source, target, time
