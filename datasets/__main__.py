"""`python -m datasets`: list, describe, fetch, prepare, split and generate networks."""

import argparse
import json
import logging
import textwrap
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from datasets.catalog import FORMATS, Entry, load_catalog
from datasets.command_line import run_command
from datasets.errors import DatasetError
from datasets.fetch import fetch
from datasets.home import with_home
from datasets.network import TemporalNetwork
from datasets.prepare import prepare_entry, prepare_file, write_prepared
from datasets.split import TIES, split_rows, write_split
from datasets.synthetic import generate

DOWNLOADS = Path(__file__).parent / "downloads"


def list_networks(_chosen: argparse.Namespace) -> None:
    rows = [("name", "nodes", "contacts", "comes from", "label")]
    for entry in load_catalog().values():
        nodes, edges = (f"{entry.paper[key]:,}" if entry.paper else "" for key in ("nodes", "edges"))
        rows.append((entry.name, nodes, edges, origin(entry), entry.label))
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        aligned = [
            cell.rjust(width) if column in (1, 2) else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(aligned).rstrip())
    print("\nCounts are the paper's; `describe NAME` tells all that is known of a network.")


def origin(entry: Entry) -> str:
    """In two words, what it takes to have this network."""
    if entry.generate is not None:
        return "generator"
    if entry.package is not None:
        return "installed package"
    return "your hand (terms)" if entry.terms is not None else "download"


def describe_network(chosen: argparse.Namespace) -> None:
    entry = entry_named(chosen.name)
    facts: dict[str, Any] = {
        "label": entry.label,
        "description": entry.description,
        "homepage": entry.homepage,
        "licence": entry.licence,
        "citation": entry.citation,
        "comes from": origin(entry),
        "address": " ".join(entry.urls),
        "package": " ".join(entry.package or ()),
        "generator": json.dumps(entry.generate) if entry.generate else "",
        "terms": entry.terms,
        "member": entry.member,
        "other names": ", ".join(entry.files),
        "size": f"{entry.size_bytes:,} bytes" if entry.size_bytes else "",
        "sha256": entry.sha256,
        "format": entry.format,
        "options": json.dumps(entry.options, ensure_ascii=False) if entry.options else "",
        "paper": "{nodes:,} nodes, {edges:,} contacts".format(**entry.paper) if entry.paper else "",
        "raw file": raw_file_line(entry, chosen.downloads),
    }
    print(entry.name)
    # Addresses and file names stay whole, so that they can be copied.
    layout = textwrap.TextWrapper(116, subsequent_indent=" " * 16, break_long_words=False, break_on_hyphens=False)
    for key, value in facts.items():
        if value:
            layout.initial_indent = f"  {key:14}"
            print(layout.fill(str(value)))


def raw_file_line(entry: Entry, downloads: Path) -> str:
    path = entry.raw_path(downloads)
    return "" if path is None else f"{path} ({'here' if path.exists() else 'not here yet'})"


def fetch_network(chosen: argparse.Namespace) -> None:
    print(fetch(entry_named(chosen.name), chosen.downloads, chosen.mirror))


def prepare_network(chosen: argparse.Namespace) -> None:
    """A name of the catalog goes first; a file of the same name needs a path (./digg)."""
    catalog = load_catalog()
    options = {
        key: value
        for key in ("columns", "separator", "time_format", "prefixes")
        if (value := getattr(chosen, key)) is not None
    }
    if chosen.network in catalog:
        given = [*options, *(key for key in ("format", "name") if getattr(chosen, key))]
        if given:
            named = ", ".join(f"--{key.replace('_', '-')}" for key in given)
            raise DatasetError(f"{chosen.network}: is in the catalog, which says how to read it; leave out {named}")
        entry = catalog[chosen.network]
        network = prepare_entry(entry, chosen.downloads, chosen.mirror)
        report = write_prepared(network, chosen.out, entry.paper, entry.raw_path(chosen.downloads))
    else:
        path = with_home(chosen.network, "prepare")
        if not path.exists():
            raise DatasetError(
                f"{chosen.network}: is neither a file nor in the catalog{nearest(chosen.network, catalog)}"
            )
        network = prepare_file(path, chosen.name or "", chosen.format, options)
        report = write_prepared(network, chosen.out, raw_file=path)
    dropped, comments = sum(report["source"].get("dropped", {}).values()), report["source"].get("comment_lines", 0)
    print(
        f"{chosen.out / 'network.arrow'}: {report['nodes']:,} nodes, {report['temporal_edges']:,} contacts, "
        f"{report['distinct_pairs']:,} pairs, {dropped:,} rows dropped, {comments:,} comment lines"
    )


def split_network(chosen: argparse.Namespace) -> None:
    network = TemporalNetwork.load(chosen.network)
    split = split_rows(network, chosen.test_fraction, chosen.validation_fraction, chosen.ties)
    report = write_split(network, split, chosen.out)
    for block in ("test", "validation"):
        if block in report:
            told = report[block]
            print(
                f"{block}: {told['rows']:,} contacts ({told['achieved_fraction']:.1%}), "
                f"{told['repeated_rows']:,} between pairs seen before, "
                f"{told['rows_with_unseen_nodes']:,} with an unseen node"
            )


def generate_network(chosen: argparse.Namespace) -> None:
    network = generate(
        chosen.nodes,
        chosen.edges,
        chosen.seed,
        communities=chosen.communities,
        drift=chosen.drift,
        triadic_closure=chosen.triadic_closure,
        repeat=chosen.repeat,
        bipartite=chosen.bipartite,
        n_times=chosen.times,
    )
    network.save(chosen.out)
    print(f"{chosen.out}: {network.n_nodes:,} nodes, {network.n_edges:,} contacts")


def entry_named(name: str) -> Entry:
    catalog = load_catalog()
    if name not in catalog:
        raise DatasetError(f"{name}: is not in the catalog{nearest(name, catalog)}")
    return catalog[name]


def nearest(name: str, catalog: dict[str, Entry]) -> str:
    near = get_close_matches(name.lower(), catalog, n=1, cutoff=0.4)
    return f"; did you mean {near[0]!r}?" if near else "; `python -m datasets list` shows what is"


def several(text: str) -> list[str]:
    """Comma-separated names, or a JSON list where a name holds a comma."""
    if not text.startswith("["):
        return text.split(",")
    try:
        return [str(name) for name in json.loads(text)]
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON list") from error


def command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m datasets", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    places = argparse.ArgumentParser(add_help=False)
    places.add_argument("--downloads", type=Path, default=DOWNLOADS, help="folder of raw files (default: %(default)s)")
    places.add_argument("--mirror", help="folder or address that is tried before the source")

    command = commands.add_parser("list", help="the networks of the catalog")
    command.set_defaults(command=list_networks)

    command = commands.add_parser("describe", parents=[places], help="all that is known of a network")
    command.add_argument("name", metavar="NAME")
    command.set_defaults(command=describe_network)

    command = commands.add_parser("fetch", parents=[places], help="make a network's raw file exist")
    command.add_argument("name", metavar="NAME")
    command.set_defaults(command=fetch_network)

    command = commands.add_parser(
        "prepare", parents=[places], help="write network.arrow and audit.json of a network of the catalog or of a file"
    )
    command.add_argument("network", metavar="NAME-or-FILE")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    command.add_argument("--name", help="the network's name (default: from the file's)")
    command.add_argument("--format", choices=FORMATS, help="of a file (default: seen from its first bytes)")
    command.add_argument(
        "--columns", type=several, help="source,target,time as in the header, or positions counted from 1"
    )
    command.add_argument("--separator", help="one character, or whitespace (default: seen from the first line)")
    command.add_argument(
        "--time-format", help="number, unix, year, iso or a pattern such as '%%Y-%%m-%%d' (default: number)"
    )
    command.add_argument(
        "--prefixes",
        type=several,
        help="put before sources,targets where both sides of a bipartite network count from 1",
    )
    command.set_defaults(command=prepare_network)

    command = commands.add_parser("split", help="hold out the newest contacts; write train, tuning and split.json")
    command.add_argument("--network", type=Path, required=True, metavar="FILE", help="network.arrow")
    command.add_argument("--out", type=Path, required=True, metavar="FOLDER")
    command.add_argument("--test-fraction", type=float, default=0.2)
    command.add_argument("--validation-fraction", type=float, default=0.1, help="of all contacts, before the test")
    command.add_argument("--ties", choices=TIES, default="group", help="keep equal times together, or cut exactly")
    command.set_defaults(command=split_network)

    command = commands.add_parser("generate", help="a network with planted, drifting communities")
    command.add_argument("--nodes", type=int, required=True)
    command.add_argument("--edges", type=int, required=True)
    command.add_argument("--out", type=Path, required=True, metavar="FILE")
    command.add_argument("--seed", type=int, default=1)
    command.add_argument("--communities", type=int)
    command.add_argument("--drift", type=float, default=2.0, help="moves to another community per node (%(default)s)")
    command.add_argument("--triadic-closure", type=float, default=0.2, help="share of contacts (%(default)s)")
    command.add_argument("--repeat", type=float, default=0.2, help="share of contacts (%(default)s)")
    command.add_argument("--bipartite", action="store_true")
    command.add_argument("--times", type=int, help="number of different times")
    command.set_defaults(command=generate_network)
    return parser


def main(arguments: list[str] | None = None) -> int:
    logging.basicConfig(level=logging.INFO, format="%(message)s")
    return run_command(command_parser(), arguments)


if __name__ == "__main__":
    raise SystemExit(main())
