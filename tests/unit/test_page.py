"""The page is one file; what it shows is escaped, and Markdown tables keep their meaning."""

from evaluation.page import flatten, table_html


def test_a_markdown_table_becomes_rows_with_heads_and_bold_stays():
    page = table_html("| Operator | EHNA |\n| :-- | --: |\n| Mean | **0.9** |\n\nA note.\n")
    assert '<th scope="col">Operator</th><th scope="col">EHNA</th>' in page
    assert '<th scope="row">Mean</th><td><strong>0.9</strong></td>' in page
    assert page.endswith("<p>A note.</p>")


def test_names_cannot_smuggle_markup_into_the_page():
    page = table_html("| a |\n| -- |\n| <script>alert(1)</script> |\n")
    assert "<script>" not in page
    assert "&lt;script&gt;" in page


def test_an_escaped_pipe_does_not_end_a_cell():
    assert "<td>a|b</td>" in table_html("| x | y |\n| -- | -- |\n| 1 | a\\|b |\n")


def test_nested_facts_are_flattened_to_lines():
    facts = {"seen_pairs": {"share": 0.51234}, "nodes": 3}
    assert flatten(facts) == [("seen pairs: share", "0.5123"), ("nodes", "3")]
