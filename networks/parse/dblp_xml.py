"""The dblp dump (dblp.xml or dblp.xml.gz), streamed: authors of one paper are contacts of each other, in its year.

The paper does not say how its 175,000 authors and 5,881,024 contacts were chosen; the rule here is documented, its
numbers are options, and its counts are reported beside the paper's. networks/dblp_selection.py compares such rules.
"""

from array import array
from collections import Counter
from collections.abc import Sequence
from html.entities import name2codepoint
from pathlib import Path
from typing import BinaryIO
from xml.parsers import expat

import numpy as np
import pyarrow as pa

from networks.errors import NetworkError
from networks.parse.contacts import Contacts
from networks.parse.dblp_papers import Papers, contacts_among, first_authors
from networks.parse.raw_file import open_raw

PAPERS = frozenset({"article", "inproceedings"})
BYTES_PER_READ = 1 << 20
# The names that dblp.dtd gives to characters are those of HTML; XML itself knows the first five.
ENTITIES = "".join(
    f'<!ENTITY {name} "&#{code};">'
    for name, code in name2codepoint.items()
    if name not in {"amp", "lt", "gt", "quot", "apos"}
)


def read_dblp_xml(
    path: Path,
    *,
    years: Sequence[int] = (1955, 2017),
    max_authors: int | None = 10,
    top_authors: int | None = 175_000,
    rank: str = "papers",
) -> Contacts:
    """Pairs of co-authors of articles and inproceedings of the `years` (both included) with at most `max_authors`.

    Of the authors only the first `top_authors` by `rank` (dblp_papers.py) are kept, for which papers that somebody
    wrote alone count as well. None lifts a limit. An author who stands twice on a paper counts once.
    """
    papers, dropped = read_papers(path, years, max_authors)
    source, target, time = contacts_among(
        papers.authors, papers.ends, papers.years, first_authors(papers, rank, top_authors)
    )
    rows = int((papers.sizes * (papers.sizes - 1) // 2).sum())
    return Contacts(
        source,
        target,
        time,
        pa.array(papers.names, pa.large_string()),
        rows,
        "years",
        dropped={"an author outside the selection": rows - len(source)} if rows > len(source) else {},
        facts={"papers": len(papers.years), "papers_dropped": dropped, "authors": len(papers.names)},
    )


def read_papers(path: Path, years: Sequence[int], max_authors: int | None) -> tuple[Papers, dict[str, int]]:
    """The papers that the limits leave, and how many were dropped, by reason."""
    dump = _Dump(path, (years[0], years[1]), max_authors)
    with open_raw(path) as file:
        dump.read(file)
    papers = Papers(
        np.frombuffer(dump.authors, dtype=np.int32),
        np.frombuffer(dump.ends, dtype=np.int64),
        np.frombuffer(dump.years, dtype=np.int16),
        list(dump.codes),
    )
    return papers, dict(dump.dropped)


class _Dump:
    """What the stream leaves behind: 4 bytes per author of a paper, so that the whole dump stays far below 2 GB."""

    def __init__(self, path: Path, wanted_years: tuple[int, int], max_authors: int | None) -> None:
        self.path = path
        self.wanted_years = wanted_years
        self.max_authors = max_authors
        self.codes: dict[str, int] = {}
        self.authors = array("i")
        self.ends = array("q", [0])
        self.years = array("h")
        self.dropped: Counter[str] = Counter()

    def read(self, file: BinaryIO) -> None:
        parser = expat.ParserCreate()
        parser.buffer_text = True
        # dblp.dtd need not lie beside the file, nor is anything else ever opened: its entities are given here.
        parser.UseForeignDTD(True)
        parser.SetParamEntityParsing(expat.XML_PARAM_ENTITY_PARSING_ALWAYS)
        parser.ExternalEntityRefHandler = lambda context, *_: self._give_entities(parser, context)
        parser.SkippedEntityHandler = lambda name, _: self._refuse_entity(name, parser.CurrentLineNumber)
        parser.StartDoctypeDeclHandler = self._check_doctype
        self._listen(parser)
        try:
            while chunk := file.read(BYTES_PER_READ):
                parser.Parse(chunk, False)
            parser.Parse(b"", True)
        except expat.ExpatError as error:
            raise NetworkError(f"{self.path}:{error.lineno}: is not well-formed dblp XML ({error})") from error
        except (LookupError, ValueError) as error:
            raise NetworkError(f"{self.path}: declares an encoding that cannot be read ({error})") from error

    def _check_doctype(self, _name: str, _system: str | None, _public: str | None, has_internal_subset: bool) -> None:
        if has_internal_subset:
            raise NetworkError(
                f"{self.path}: declares entities of its own, which dblp never does and which may expand without end; "
                "get the file from dblp.org"
            )

    def _refuse_entity(self, name: str, line: int) -> None:
        raise NetworkError(f"{self.path}:{line}: the character &{name}; is not one that dblp.dtd knows")

    def _give_entities(self, parser: expat.XMLParserType, context: str | None) -> int:
        parser.ExternalEntityParserCreate(context).Parse(ENTITIES, True)
        return 1

    def _listen(self, parser: expat.XMLParserType) -> None:
        """Set the handlers; closures over locals, because they run some hundred million times for the full dump."""
        authors: list[str] = []
        text: list[str] = []
        year = ""
        in_paper = False

        def start(name: str, _attributes: dict[str, str]) -> None:
            nonlocal in_paper, year
            if in_paper:
                if name in ("author", "year"):
                    text.clear()
                    parser.CharacterDataHandler = text.append
            elif name in PAPERS:
                in_paper = True
                year = ""
                authors.clear()

        def end(name: str) -> None:
            nonlocal in_paper, year
            if not in_paper:
                return
            if name == "author":
                authors.append("".join(text).strip())
                parser.CharacterDataHandler = None
            elif name == "year":
                year = "".join(text).strip()
                parser.CharacterDataHandler = None
            elif name in PAPERS:
                in_paper = False
                self._add(authors, year, parser.CurrentLineNumber)

        parser.StartElementHandler = start
        parser.EndElementHandler = end

    def _add(self, authors: list[str], year: str, line: int) -> None:
        """Keep a paper, or count why not."""
        names = [name for name in dict.fromkeys(authors) if name]
        first, last = self.wanted_years
        if not names:
            self.dropped["no author"] += 1
        elif not year:
            self.dropped["no year"] += 1
        elif not (year.isascii() and year.isdecimal() and len(year) < 10):
            shown = year[:60]
            raise NetworkError(f"{self.path}:{line}: the year {shown!r} of the paper that ends here is not a number")
        elif not first <= int(year) <= last:
            self.dropped["outside the years"] += 1
        elif self.max_authors is not None and len(names) > self.max_authors:
            self.dropped["too many authors"] += 1
        else:
            codes = self.codes
            self.authors.extend([codes.setdefault(name, len(codes)) for name in names])
            self.ends.append(len(self.authors))
            self.years.append(int(year))
