"""`python -m networks`."""

import gzip

import pytest

from harness.files import read_json
from networks.__main__ import main
from networks.catalog import load_catalog
from networks.network import TemporalNetwork


@pytest.fixture
def run(capsys):
    """Run a command; return its exit code, what it printed, and what it said on standard error."""

    def run(*arguments):
        code = main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return run


@pytest.fixture
def contacts(tmp_path):
    path = tmp_path / "friends.csv.gz"
    lines = [f"p{i % 7};2020-01-{i % 28 + 1:02};q{i % 5}" for i in range(60)]
    path.write_bytes(gzip.compress("\n".join(["who;when;whom", *lines]).encode()))
    return path


@pytest.fixture
def columns():
    return ["--columns", "who,whom,when", "--separator", ";", "--time-format", "%Y-%m-%d"]


def test_list_shows_every_network_and_the_papers_counts(run):
    code, out, _ = run("list")
    assert code == 0
    for name in load_catalog():
        assert any(line.split()[:1] == [name] for line in out.splitlines())
    assert "1,731,653" in out


@pytest.mark.parametrize("name", load_catalog())
def test_describe_tells_licence_citation_and_source(run, name):
    code, out, _ = run("describe", name)
    entry = load_catalog()[name]
    assert code == 0
    flat = " ".join(out.split())
    for word in (entry.licence, entry.citation, *entry.urls, entry.sha256 or "", entry.terms or ""):
        assert " ".join(word.split()) in flat


@pytest.mark.parametrize("command", [("describe", "dig"), ("fetch", "dig"), ("prepare", "dig", "--out", "x")])
def test_an_unknown_name_is_answered_with_the_nearest(run, command):
    code, out, err = run(*command)
    assert (code, out) == (1, "")
    assert err.startswith("error: dig: ")
    assert "did you mean 'digg'?" in err
    assert len(err.splitlines()) == 1


def test_a_file_is_prepared_and_split(run, tmp_path, contacts, columns):
    code, out, err = run("prepare", contacts, "--out", tmp_path / "n", "--name", "friends", *columns)
    assert (code, err) == (0, "")
    assert "12 nodes, 60 contacts" in out
    network = TemporalNetwork.load(tmp_path / "n" / "network.arrow")
    assert (network.name, network.n_nodes, network.n_edges) == ("friends", 12, 60)
    report = read_json(tmp_path / "n" / "audit.json")
    assert report["times"]["first_date"] == "2020-01-01 00:00:00"
    assert report["bipartite"] is True

    code, out, _ = run("split", "--network", tmp_path / "n" / "network.arrow", "--out", tmp_path / "n")
    assert code == 0
    split = read_json(tmp_path / "n" / "split.json")
    assert out.startswith(f"test: {split['test']['rows']} contacts")
    assert TemporalNetwork.load(tmp_path / "n" / "train.arrow").n_edges == split["train_end"]
    assert TemporalNetwork.load(tmp_path / "n" / "tuning.arrow").n_edges == split["tuning_end"]


def test_split_takes_fractions_and_the_rule_for_ties(run, tmp_path, network_of):
    network_of([(0, 1, 1)] * 10).save(tmp_path / "n.arrow")
    options = ["--test-fraction", "0.5", "--validation-fraction", "0", "--ties", "row"]
    assert run("split", "--network", tmp_path / "n.arrow", "--out", tmp_path, *options)[0] == 0
    assert read_json(tmp_path / "split.json")["train_end"] == 5


def test_a_format_that_is_given_is_not_guessed(run, tmp_path):
    """KONECT's fourth column is the time, and a line that begins with % is its header."""
    path = tmp_path / "ratings.txt"
    path.write_text("% user item time stars\n1 2 100 5\n3 4 200 1\n")
    for format, times in (("delimited", [100, 200]), ("konect", [1, 5])):
        assert run("prepare", path, "--out", tmp_path, "--format", format)[0] == 0
        assert TemporalNetwork.load(tmp_path / "network.arrow").time.tolist() == times


def test_comment_lines_are_told(run, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("#news bob 1\n1 2 3\n")
    assert run("prepare", path, "--out", tmp_path)[1].endswith("1 pairs, 0 rows dropped, 1 comment lines\n")
    assert read_json(tmp_path / "audit.json")["source"]["comment_lines"] == 1


def test_a_file_in_the_place_of_the_folder_is_one_sentence(run, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1 2 3\n")
    code, _, err = run("prepare", path, "--out", path)
    assert (code, err) == (1, f"error: {path}: no folder can be made there: File exists\n")


def test_columns_with_commas_in_their_names_are_given_as_a_list(run, tmp_path):
    path = tmp_path / "a.tsv"
    path.write_text("name, first\tname, second\tat\nx\ty\t1\n")
    columns = '["name, first", "name, second", "at"]'
    assert run("prepare", path, "--out", tmp_path, "--columns", columns, "--separator", "\t")[0] == 0


def test_both_sides_can_be_told_apart(run, tmp_path):
    path = tmp_path / "a.txt"
    path.write_text("1 1 5\n1 2 6\n")
    assert run("prepare", path, "--out", tmp_path, "--prefixes", "user:,item:")[0] == 0
    labels = TemporalNetwork.load(tmp_path / "network.arrow").labels.to_pylist()
    assert labels == ["user:1", "item:1", "item:2"]


def test_a_network_inside_a_package_is_prepared_without_a_download(run, tmp_path):
    code, out, _ = run("prepare", "college_msg", "--out", tmp_path, "--downloads", tmp_path / "none")
    assert code == 0
    assert "1,899 nodes, 59,835 contacts" in out
    assert not (tmp_path / "none").exists()


def test_a_mirror_serves_the_raw_file(run, tmp_path):
    mirror = tmp_path / "mirror"
    mirror.mkdir()
    (mirror / "dblp-htne.txt.gz").write_bytes(gzip.compress(b"1 2 0\n2 3 5\n3 3 6\n"))
    places = ["--downloads", tmp_path / "downloads", "--mirror", mirror]
    code, out, _ = run("prepare", "dblp_htne", "--out", tmp_path / "n", *places)
    assert code == 0
    assert "3 nodes, 2 contacts, 2 pairs, 1 rows dropped" in out
    code, out, _ = run("fetch", "dblp_htne", *places)
    assert (code, out) == (0, f"{tmp_path / 'downloads' / 'dblp_htne' / 'dblp.txt'}\n")


def test_the_catalog_cannot_be_overruled_by_flags(run, tmp_path):
    code, _, err = run(
        "prepare", "college_msg", "--out", tmp_path, "--separator", ";", "--name", "x", "--format", "konect"
    )
    assert code == 1
    assert err == (
        "error: college_msg: is in the catalog, which says how to read it; leave out --separator, --format, --name\n"
    )


def test_a_malformed_file_is_one_sentence_and_nothing_is_written(run, tmp_path):
    path = tmp_path / "bad.txt"
    path.write_text("1 2 3\n1 2 x\n")
    code, out, err = run("prepare", path, "--out", tmp_path / "n")
    assert (code, out) == (1, "")
    assert err == f"error: {path}:2: the time 'x' is not a number\n"
    assert not (tmp_path / "n").exists()


def test_a_network_that_cannot_be_split_leaves_no_files(run, tmp_path, one_timestamp):
    one_timestamp.save(tmp_path / "n.arrow")
    code, _, err = run("split", "--network", tmp_path / "n.arrow", "--out", tmp_path / "out")
    assert code == 1
    assert "only 1 different times" in err
    assert not (tmp_path / "out").exists()


def test_generate_writes_a_network_of_the_size_asked_for(run, tmp_path):
    code, out, _ = run(
        "generate", "--nodes", 30, "--edges", 80, "--seed", 4, "--bipartite", "--out", tmp_path / "g.arrow"
    )
    assert code == 0
    assert "30 nodes, 80 contacts" in out
    network = TemporalNetwork.load(tmp_path / "g.arrow")
    assert (network.n_nodes, network.n_edges) == (30, 80)


def test_a_command_is_needed(capsys):
    with pytest.raises(SystemExit) as stopped:
        main([])
    assert stopped.value.code == 2
    assert "COMMAND" in capsys.readouterr().err
