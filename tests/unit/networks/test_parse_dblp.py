"""The dblp dump."""

import gzip

import pytest

from networks.errors import NetworkError
from networks.parse import read_contacts
from tests.conftest import labeled

TOP = '<?xml version="1.0" encoding="ISO-8859-1"?>\n<!DOCTYPE dblp SYSTEM "dblp.dtd">\n'


def paper(*authors, year="2000", kind="article"):
    names = "\n".join(f'<author orcid="0">{name}</author>' for name in authors)
    return (
        f'<{kind} key="k">\n{names}\n<title>On <i>x</i> &amp; y.</title>\n'
        + (f"<year>{year}</year>\n" if year else "")
        + f"</{kind}>\n"
    )


@pytest.fixture
def read(tmp_path):
    def read(*papers, top=TOP, **options):
        path = tmp_path / "dblp.xml.gz"
        path.write_bytes(gzip.compress(f"{top}<dblp>\n{''.join(papers)}</dblp>\n".encode("iso-8859-1")))
        return read_contacts(path, "dblp_xml", options)

    return read


def test_all_authors_of_a_paper_meet_in_its_year(read):
    contacts = read(paper("A", "B", "C", year="1999"), paper("C", "A", year="2001", kind="inproceedings"))
    assert labeled(contacts) == [("A", "B", 1999), ("A", "C", 1999), ("B", "C", 1999), ("C", "A", 2001)]
    assert contacts.time_unit == "years"
    assert contacts.rows == 4


def test_named_characters_and_the_declared_encoding_are_read(read):
    assert labeled(read(paper("J&uuml;rgen &Aring;", "Zoë &#233; &lt;x&gt;"))) == [("Jürgen Å", "Zoë é <x>", 2000)]


def test_a_document_without_a_doctype_is_read(read):
    assert labeled(read(paper("&eacute;", "B"), top='<?xml version="1.0" encoding="ISO-8859-1"?>')) == [
        ("é", "B", 2000)
    ]


def test_other_records_and_their_editors_are_left_out(read):
    contacts = read(
        paper("A", "B", kind="www"),
        paper("A", "B", kind="phdthesis"),
        '<article key="k"><editor>E</editor><author>A</author><author>B</author><year>2000</year></article>',
    )
    assert labeled(contacts) == [("A", "B", 2000)]


def test_an_author_named_twice_on_a_paper_does_not_meet_himself(read):
    assert labeled(read(paper("A", "A", "B"))) == [("A", "B", 2000)]


def test_years_and_numbers_of_authors_outside_the_rule_are_dropped_and_counted(read):
    contacts = read(
        paper("A", "B", year="1954"),
        paper("A", "B", year="1955"),
        paper("A", "B", year="2017"),
        paper("A", "B", year="2018"),
        paper(*(f"N{i}" for i in range(11))),
        paper("A", "B", year=""),
        paper(),
    )
    assert labeled(contacts) == [("A", "B", 1955), ("A", "B", 2017)]
    assert contacts.facts["papers"] == 2
    assert contacts.facts["papers_dropped"] == {
        "outside the years": 2,
        "too many authors": 1,
        "no year": 1,
        "no author": 1,
    }


def test_only_the_authors_with_most_papers_are_kept(read):
    """A has four papers, of which one alone; C and B two each, and C is named first; D has one."""
    papers = paper("A", "C"), paper("B", "A", "D"), paper("A"), paper("C", "B"), paper("A")
    contacts = read(*papers, top_authors=2)
    assert labeled(contacts) == [("A", "C", 2000)]
    assert contacts.rows == 5
    assert contacts.dropped == {"an author outside the selection": 4}
    assert labeled(read(*papers, top_authors=3)) == [("A", "C", 2000), ("B", "A", 2000), ("C", "B", 2000)]


def test_limits_can_be_lifted(read):
    crowd = paper(*(f"N{i}" for i in range(12)))
    assert len(labeled(read(crowd, max_authors=None, top_authors=None))) == 66


def test_a_year_that_is_not_a_number_is_named_by_its_line(read):
    with pytest.raises(NetworkError, match=r"dblp.xml.gz:9: the year 'MM' of the paper that ends here is not a number"):
        read(paper("A", "B", year="MM"))


def test_broken_xml_is_named_by_its_line(read):
    with pytest.raises(NetworkError, match=r"dblp.xml.gz:5: is not well-formed dblp XML \(mismatched tag"):
        read("<article>\n<author>A</article>\n")


def test_a_character_name_that_dblp_does_not_know_is_named_by_its_line(read):
    with pytest.raises(NetworkError, match=r"dblp.xml.gz:5: the character &bogus; is not one"):
        read(paper("&bogus;", "B"))


def test_a_truncated_dump_is_named(tmp_path):
    whole = gzip.compress((TOP + "<dblp>" + paper("A", "B") * 5000 + "</dblp>").encode())
    path = tmp_path / "dblp.xml.gz"
    path.write_bytes(whole[:-200])
    with pytest.raises(NetworkError, match=r"dblp.xml.gz: the file is cut short or damaged"):
        read_contacts(path, "dblp_xml")
