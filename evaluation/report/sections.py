"""Which tables and figures belong together and what they are called, on the page and in snakemake's report."""

from typing import NamedTuple

LINK_PREDICTION = "Link prediction"
RANKING = "Ranking"
RECONSTRUCTION = "Network reconstruction"
ABLATION = "Ablation"
EFFICIENCY = "Efficiency"
SENSITIVITY = "Sensitivity"
TUNING = "Tuning"
COMPARISONS = "Comparisons"  # "Statistics" is a name that snakemake's report has for itself
PAPER = "Beside the paper"
NETWORKS = "Networks and leakage"
OTHER = "Other"
STATUS = "Run status"

# In the order in which they are shown.
SECTIONS = (
    *(LINK_PREDICTION, RANKING, RECONSTRUCTION, ABLATION, EFFICIENCY, SENSITIVITY, TUNING, COMPARISONS, PAPER),
    *(NETWORKS, OTHER, STATUS),
)


class Place(NamedTuple):
    section: str
    title: str


FIGURES = {
    "link_prediction": Place(LINK_PREDICTION, "AUC of every method, both protocols"),
    "link_prediction_operators": Place(LINK_PREDICTION, "AUC under each operator"),
    "accuracy_time": Place(EFFICIENCY, "Accuracy against time"),
    "reconstruction": Place(RECONSTRUCTION, "Precision@P"),
    "scaling": Place(EFFICIENCY, "Cost against size"),
    "sensitivity": Place(SENSITIVITY, "AUC as one parameter changes"),
    "ranks": Place(COMPARISONS, "Average ranks over networks"),
}
TABLES = {
    "board": Place(LINK_PREDICTION, "All methods, by mean rank"),
    "link_prediction": Place(LINK_PREDICTION, "Every protocol, operator and metric in long form"),
    "link_prediction_subsets": Place(LINK_PREDICTION, "By subset of the examples in long form"),
    "link_prediction_layers": Place(LINK_PREDICTION, "Standard deviation over seeds, draws and splits in long form"),
    "ranking": Place(RANKING, "MRR of one positive against stored negatives"),
    "reconstruction": Place(RECONSTRUCTION, "Precision@P"),
    "ablation": Place(ABLATION, "Variants of the method"),
    "efficiency": Place(EFFICIENCY, "Seconds, speed and memory of fitting"),
    "scaling": Place(EFFICIENCY, "Seconds per epoch by number of edges"),
    "sensitivity": Place(SENSITIVITY, "AUC as one parameter changes"),
    "sensitivity_long": Place(SENSITIVITY, "All metrics in long form"),
    "tuning": Place(TUNING, "Trials and choices"),
    "ranks": Place(COMPARISONS, "Average ranks over networks"),
    "significance": Place(COMPARISONS, "Comparisons, corrected for repeated tests"),
    "paper_diff": Place(PAPER, "Link prediction: ours, the paper's, the difference"),
    "paper_protocols": Place(PAPER, "Which protocol the paper's numbers fit"),
    "paper_diff_ablation": Place(PAPER, "Ablation: ours, the paper's, the difference"),
    "paper_diff_efficiency": Place(PAPER, "Seconds per epoch: ours, the paper's, the difference"),
    "paper_audit": Place(PAPER, "Numbers of the paper that contradict each other"),
    "datasets": Place(NETWORKS, "Networks of this run"),
    "status": Place(STATUS, "Cells without a number, and why"),
}


def place_of_table(name: str, networks: dict[str, str]) -> Place:
    """The place of a table by the name of its file; `networks` has the labels of the run's networks by name."""
    network = name.removeprefix("link_prediction_")
    if name not in TABLES and network in networks:
        return Place(LINK_PREDICTION, f"Link prediction on {networks[network]}")
    return TABLES.get(name, Place(OTHER, name.replace("_", " ")))


def place_of_figure(name: str) -> Place:
    return FIGURES.get(name, Place(OTHER, name.replace("_", " ")))
