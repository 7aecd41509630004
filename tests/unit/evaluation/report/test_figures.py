"""Figures of a run: all of them drawn, the same bytes for the same results, methods with a look of their own."""

import pytest

from evaluation.report.figures.all_figures import write_figures
from evaluation.report.figures.style import COLORS, look_of
from evaluation.report.run_folder import Method
from tests.synthetic_run import METHODS, write_link_prediction, write_reconstruction, write_run

SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}


def captions_of(folder):
    return {path.stem: path.read_text().strip() for path in sorted((folder / "figures").glob("*.txt"))}


def method_named(name, role="baseline", variant_of=None):
    return Method(name, name, role, variant_of, None)


@pytest.fixture(scope="module")
def drawn(tmp_path_factory):
    """A run in which everything worked, with its figures."""
    folder = write_run(tmp_path_factory.mktemp("drawn"))
    write_figures(folder)
    return folder


def test_every_figure_is_drawn_in_three_formats_with_a_caption_that_says_n(drawn):
    captions = captions_of(drawn)
    assert list(captions) == [
        *("accuracy_time", "link_prediction", "link_prediction_operators", "ranks", "reconstruction")
    ]
    for name in captions:
        for suffix, signature in SIGNATURES.items():
            assert (drawn / "figures" / f"{name}.{suffix}").read_bytes().startswith(signature)
    assert "n = 12" in captions["link_prediction"]  # 3 seeds x 2 draws x 2 splits
    assert "n = 3 per point in time" in captions["accuracy_time"]  # 3 seeds
    assert "n = 6" in captions["reconstruction"]  # 3 seeds x 2 draws
    assert "n = 2 networks" in captions["ranks"]


def test_equal_results_give_equal_files(drawn, tmp_path):
    again = write_run(tmp_path)
    write_figures(again)
    contents = [{path.name: path.read_bytes() for path in (folder / "figures").iterdir()} for folder in (drawn, again)]
    assert contents[0] == contents[1]


def test_figures_whose_inputs_are_absent_are_not_drawn(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"])
    for path in folder.glob("reconstruction/**/*.csv"):
        path.unlink()
    write_figures(folder)
    assert list(captions_of(folder)) == ["accuracy_time", "link_prediction", "link_prediction_operators"]
    assert not (folder / "figures" / "reconstruction.svg").exists()


@pytest.mark.parametrize("names", [[], ["ehna_na"]], ids=["no repeats", "an ablation's variant alone"])
def test_run_with_nothing_to_compare_has_no_figures(tmp_path, names):
    folder = write_run(tmp_path, methods=[method for method in METHODS if method["name"] in names])
    write_figures(folder)
    assert list((folder / "figures").iterdir()) == []


def test_failed_method_is_left_out_of_the_ranks_and_named(tmp_path):
    folder = write_run(tmp_path)
    for seed in (1, 2, 3):
        write_link_prediction(folder, "digg", "line", seed, status="oom", reason="needed 20 GB")
        write_reconstruction(folder, "digg", "line", seed, status="oom", reason="needed 20 GB")
    write_figures(folder)
    assert captions_of(folder)["ranks"].endswith("Left out because a network has no number for them: LINE.")


def test_single_values_are_drawn_without_an_interval(tmp_path):
    folder = write_run(tmp_path, datasets=["toy"], methods=METHODS[:2], seeds=[1])
    path = folder / "link_prediction" / "toy" / "line" / "seed-1.csv"
    lines = [
        line
        for line in path.read_text().splitlines()
        if line.split(",")[3:6] in (["draw", "protocol", "split"], ["1", "paper", "1"])
    ]
    path.write_text("\n".join(lines) + "\n")
    write_figures(folder)
    assert "link_prediction" in captions_of(folder)


def test_methods_of_the_paper_keep_their_color_in_every_run():
    assert look_of(method_named("ehna", "proposed")).color == "#D55E00"
    assert len(set(COLORS.values())) == len(COLORS)


def test_unknown_method_looks_the_same_every_time_and_unlike_the_papers():
    look = look_of(method_named("my_method", "external"))
    assert look == look_of(method_named("my_method", "external"))
    assert look.color not in COLORS.values()


def test_controls_are_dashed_and_hollow_and_variants_share_the_color_of_their_method():
    control = look_of(method_named("edgebank", "control"))
    assert (control.line, control.filled) == ("--", False)
    variant = look_of(method_named("ehna_na", "proposed", variant_of="ehna"))
    assert variant.color == COLORS["ehna"]
    assert (variant.line, variant.filled) == (":", False)


@pytest.mark.parametrize("color", COLORS.values())
def test_colors_are_dark_enough_to_be_read_on_white_paper(color):
    red, green, blue = (int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))
    assert 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.75
