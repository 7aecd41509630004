"""One table as CSV, Markdown and LaTeX, the same bytes for the same content."""

import csv
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from harness.files import atomic_path, write_text

LATEX_SPECIAL = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "†": r"$\dagger$",
    "‡": r"$\ddagger$",
    "—": "---",
    # Other characters in the old text fonts that LaTeX starts with.
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}


@dataclass(frozen=True)
class Table:
    """Texts in rows and columns. The first `labels` columns name the row; equal first labels make one block."""

    name: str
    header: list[str]
    rows: list[list[str]]
    caption: str
    labels: int = 1
    bold: frozenset[tuple[int, int]] = field(default_factory=frozenset)


def number_text(value: float | int | None, digits: int = 6) -> str:
    """Fixed digits, so that two runs with equal numbers give equal bytes; nothing for no number, never -0."""
    if value is None:
        return ""
    if isinstance(value, int):
        return str(value)
    text = f"{value:.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text


def p_text(value: float | None) -> str:
    """A p-value to two digits; those below the reach of the computation are given as a bound."""
    if value is None:
        return ""
    return "<1e-15" if value < 1e-15 else f"{value:.2g}"


def write_csv(path: Path, header: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def rows_of(path: Path) -> list[dict[str, str]]:
    """The rows of a csv table of a run; none if the run does not have it."""
    if not path.exists():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write_table(folder: Path, table: Table, formats: Sequence[str] = ("csv", "md", "tex")) -> None:
    if "csv" in formats:
        write_csv(folder / f"{table.name}.csv", table.header, table.rows)
    if "md" in formats:
        write_text(folder / f"{table.name}.md", markdown(table))
    if "tex" in formats:
        write_text(folder / f"{table.name}.tex", latex(table))


def markdown(table: Table) -> str:
    """A pipe table with the caption under it; labels to the left, numbers to the right."""

    def escaped(text: str) -> str:
        return text.replace("|", "\\|")

    def cell(row: int, column: int, text: str) -> str:
        return f"**{escaped(text)}**" if (row, column) in table.bold else escaped(text)

    rule = [":--" if column < table.labels else "--:" for column in range(len(table.header))]
    lines = [[escaped(text) for text in table.header], rule]
    lines += [[cell(i, j, text) for j, text in enumerate(row)] for i, row in enumerate(table.rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines) + f"\n{table.caption}\n"


def latex(table: Table) -> str:
    """A table environment with the caption on top and a rule between blocks of equal first label.

    A table that is wider than the page is made as small as it takes, and no other.
    """
    columns = "l" * table.labels + "r" * (len(table.header) - table.labels)
    heading = " & ".join(escape(text) for text in table.header)
    lines = [
        "% needs \\usepackage{booktabs,multirow,graphicx}",
        r"\begin{table*}",
        r"\centering",
        rf"\caption{{{escape(table.caption)}}}",
        rf"\label{{tab:{table.name}}}",
        r"\smallskip",
        r"\resizebox{\ifdim\width>\textwidth\textwidth\else\width\fi}{!}{%",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        rf"{heading} \\",
        r"\midrule",
    ]
    blocks = block_sizes([row[0] for row in table.rows]) if table.labels > 1 else [1] * len(table.rows)
    start = 0
    for size in blocks:
        if start and table.labels > 1:
            lines.append(r"\midrule")
        for i in range(start, start + size):
            cells = [
                rf"\textbf{{{latex_cell(text)}}}" if (i, j) in table.bold else latex_cell(text)
                for j, text in enumerate(table.rows[i])
            ]
            if size > 1:
                cells[0] = rf"\multirow{{{size}}}{{*}}{{{cells[0]}}}" if i == start else ""
            lines.append(" & ".join(cells) + r" \\")
        start += size
    lines += [
        r"\bottomrule",
        r"\end{tabular}}",
        r"\end{table*}",
    ]
    return "\n".join(lines) + "\n"


def latex_cell(text: str) -> str:
    """The text of a cell, with a minus and not a hyphen before a negative number."""
    negative = text[:1] == "-" and text[1:2].isdigit()
    return f"$-${escape(text[1:])}" if negative else escape(text)


def block_sizes(labels: Sequence[str]) -> list[int]:
    """Lengths of the runs of equal labels."""
    sizes: list[int] = []
    for i, label in enumerate(labels):
        if i and label == labels[i - 1]:
            sizes[-1] += 1
        else:
            sizes.append(1)
    return sizes


def escape(text: str) -> str:
    return "".join(LATEX_SPECIAL.get(character, character) for character in text)
