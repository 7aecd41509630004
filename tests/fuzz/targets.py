"""What is fuzzed: every reader of files that come from outside.

A reader either accepts a file or refuses it with a UserError; anything else that it raises is a bug.
"""

import bz2
import gzip
import lzma
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from evaluation.embeddings import read_embeddings
from evaluation.examples.example_set import load_examples
from evaluation.repeats_file import read_repeats
from harness.errors import UserError
from harness.files import read_json
from methods.contract.description import read_description
from methods.running.external import read_vectors
from networks.catalog import CATALOG_FILE, load_catalog
from networks.fetch.extract import unpack
from networks.network import TemporalNetwork
from networks.parse import read_contacts
from networks.prepare import network_of_contacts, prepare_file
from tests.fuzz import documents as d
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments

ROOT = Path(__file__).parents[2]
EDGES = b"1 2 3\n2 3 4\n"
LONGEST_SENTENCE = 2000


@dataclass(frozen=True)
class Target:
    """A reader, sound documents for it, pieces that mean something to it, and the ending of its files' names."""

    read: Callable[[Path], Any]
    documents: Callable[[], list[bytes]]
    pieces: tuple[bytes, ...] = ()
    suffix: str = ""


def contacts_as(format: str, **options: Any) -> Callable[[Path], Any]:
    """Read raw contacts and make a network of them, which looks at every row."""
    return lambda path: network_of_contacts(read_contacts(path, format, options), "fuzzed").adjacency


def unpacked(path: Path) -> None:
    unpack(path, "folder/edges.txt", path.with_name("unpacked.txt"))


def configured(path: Path) -> None:
    """As the Snakefile does it: snakemake reads the YAML and wants a mapping, the rest is ours."""
    try:
        values = yaml.safe_load(path.read_bytes())
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    if isinstance(values, dict):
        planned(values)


def planned(values: dict[str, Any]) -> None:
    """Ask for everything that the rules ask of a configuration."""
    settings = read_configuration(values)
    experiments = read_experiments(settings)
    settings.description()
    settings.link_prediction_files()
    settings.reconstruction_files()
    for dataset in settings.dataset_names:
        settings.prepare_arguments(dataset)
    for method in settings.described_methods:
        settings.fit_arguments(method.name)
    experiments.timing_files()
    experiments.sensitivity_files()
    experiments.tuning_files()


def loaded_network(path: Path) -> None:
    """Open a stored network and go over all of it, as a method would."""
    network = TemporalNetwork.load(path)
    network.labels.to_pylist()
    network.unit_time()
    assert len(network.degrees) == network.n_nodes
    assert len(network.adjacency.neighbors) == 2 * network.n_edges


TARGETS: dict[str, Target] = {
    "delimited": Target(
        contacts_as("delimited"),
        lambda: [b"a,b,1\nb,c,2.5\n", b"# snap\n1 2 3\n2\t3 4\n", b'source,target,time\n"x, y",z,7\nz,w,8\n'],
        d.TABLE,
    ),
    "iso_dates": Target(
        contacts_as("delimited", time_format="iso", separator=","),
        lambda: [b"a,b,2020-01-02T03:04:05Z\nb,c,2020-01-02\n", b"a,b,1969-12-31 23:59:59.25+02:00\n"],
        d.TABLE + d.DATES,
    ),
    "strptime_dates": Target(
        contacts_as("delimited", time_format="%d.%m.%Y", separator=";", prefixes=("left:", "right:")),
        lambda: [b"a;b;31.12.2020\nb;c;01.01.1970\n"],
        d.TABLE + d.DATES,
    ),
    "konect": Target(
        contacts_as("konect"), lambda: [b"% sym positive\n% 2 3\n1 2 1 10\n2 3 1 11\n", b"% bip\n1 1 1 5\n"], d.TABLE
    ),
    "dblp_xml": Target(contacts_as("dblp_xml"), lambda: [d.DBLP], d.XML),
    "yelp_json": Target(contacts_as("yelp_json"), lambda: [d.YELP], d.JSON + d.DATES),
    "tmall_log": Target(contacts_as("tmall_log"), lambda: [d.TMALL], (*d.TABLE, b"1332", b"230", b"action_type")),
    "guessed": Target(
        prepare_file,
        lambda: [d.DBLP, d.TMALL, d.YELP, b"% bip\n1 2 1 5\n2 2 1 6\n", b"1;2;3\n2;3;4\n", b"u v t\na b 1\n"],
        (*d.TABLE, b"<dblp>", b"{", b"% bip\n"),
    ),
    "gzip": Target(prepare_file, lambda: [gzip.compress(EDGES, mtime=0)]),
    "bzip2": Target(prepare_file, lambda: [bz2.compress(EDGES)]),
    "xz": Target(prepare_file, lambda: [lzma.compress(EDGES)]),
    "zip": Target(unpacked, lambda: [d.zip_file()], (b"..", b"/", b"\0", b"PK\x05\x06"), ".zip"),
    "tar": Target(unpacked, lambda: [d.tar_file()], (b"..", b"/", b"\0", b"2", b"L", b"x", b"ustar"), ".tar"),
    "network": Target(loaded_network, lambda: [d.written(d.NETWORK.save)], d.ARROW),
    "examples": Target(load_examples, lambda: [d.examples_file()], d.ARROW),
    "embeddings_npy": Target(lambda path: read_embeddings(path, d.NETWORK), d.npy_files, d.NPY, ".npy"),
    "embeddings_text": Target(
        lambda path: read_embeddings(path, d.NETWORK),
        lambda: [d.WORD2VEC, d.WORD2VEC_ALL],
        (*d.TABLE, b"inf", b"\x80", b"PK", b"9999999999 9999999999\n", b"3 2000000000\n"),
    ),
    "vectors_of_a_program": Target(
        lambda path: read_vectors(path, 5, None), lambda: [d.WORD2VEC, d.WORD2VEC_ALL], (*d.TABLE, b"5 2000000000\n")
    ),
    "method_yaml": Target(
        read_description,
        lambda: [path.read_bytes() for path in sorted((ROOT / "methods").glob("*/method.yaml"))],
        d.NUMBERS + d.YAML,
    ),
    "configuration": Target(
        configured, lambda: [path.read_bytes() for path in sorted((ROOT / "config").glob("*.yaml"))], d.NUMBERS + d.YAML
    ),
    "catalog": Target(load_catalog, lambda: [CATALOG_FILE.read_bytes()], d.NUMBERS + d.YAML),
    "json": Target(read_json, lambda: [b'{"a": [1, 2.5, null, "x"]}'], (*d.JSON, b"NaN", b"Infinity")),
    "repeats": Target(lambda path: read_repeats(path, d.REPEATS_COLUMNS.split(",")), lambda: [d.REPEATS], d.TABLE),
}


def feed(target: Target, contents: bytes, folder: Path) -> bool:
    """Write the contents to a file and read it; False if it was refused with a sentence of a decent length."""
    path = folder / f"document{target.suffix}"
    path.write_bytes(contents)
    try:
        target.read(path)
    except UserError as error:
        assert 0 < len(str(error).strip()) < LONGEST_SENTENCE, f"a sentence of {len(str(error))} characters"
        return False
    return True
