"""How a method looks in every figure: one color, marker and line, readable in print and for the color-blind."""

from dataclasses import dataclass
from typing import Any, Literal
from zlib import crc32

from evaluation.report.run_folder import Method

# Okabe and Ito's colors, apart in hue and in lightness. The paper's methods keep theirs in every run.
COLORS = {
    "line": "#0072B2",
    "node2vec": "#009E73",
    "ctdne": "#E69F00",
    "htne": "#CC79A7",
    "ehna": "#D55E00",
    "random": "#A6A6A6",
    "degree": "#8C8C8C",
    "common_neighbors": "#595959",
    "edgebank": "#404040",
}
MARKERS = {
    "line": "s",
    "node2vec": "^",
    "ctdne": "D",
    "htne": "v",
    "ehna": "o",
    "ehna_untrained": "d",
    "ehna_table": "X",
    "random": "P",
    "degree": "<",
    "common_neighbors": "p",
    "edgebank": ">",
}
# Any other method gets one of these by its name, so that it looks the same in every run.
MORE_COLORS = ("#56B4E9", "#332288", "#882255", "#117733", "#999933", "#6699CC")
MORE_GRAYS = ("#737373", "#999999", "#666666")
MORE_MARKERS = ("X", "h", "d", "*", "8", "H")

# Any, because the type stubs of matplotlib list every key as a literal.
SETTINGS: Any = {
    "font.family": "DejaVu Sans",  # comes with matplotlib, so every machine draws the same letters
    "font.size": 8,
    "axes.titlesize": 9,
    "axes.labelsize": 8,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6E6E6",
    "grid.linewidth": 0.6,
    "axes.axisbelow": True,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "lines.linewidth": 1.4,
    "lines.markersize": 4.5,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "figure.dpi": 100,
    "savefig.dpi": 200,
    "pdf.fonttype": 42,  # letters as letters: publishers refuse Type 3 fonts
    "svg.hashsalt": "evaluation",  # ids inside the file would differ from run to run without it
}


@dataclass(frozen=True)
class Look:
    color: str
    marker: str
    line: Literal["-", "--", ":"]
    filled: bool


def look_of(method: Method) -> Look:
    """Controls are gray and dashed; a variant has the color of its method and another line."""
    base = method.variant_of or method.name
    is_control = method.role == "control"
    color = COLORS.get(base) or pick(MORE_GRAYS if is_control else MORE_COLORS, base)
    marker = MARKERS.get(method.name) or pick(MORE_MARKERS, method.name)
    if method.variant_of:
        return Look(color, marker, ":", filled=False)
    return Look(color, marker, "--" if is_control else "-", filled=not is_control)


def pick(choices: tuple[str, ...], name: str) -> str:
    return choices[crc32(name.encode()) % len(choices)]
