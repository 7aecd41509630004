"""`python -m networks`: list, describe, fetch, prepare, split and generate networks; select-dblp compares rules."""

import argparse
import json
import logging
import textwrap
from pathlib import Path
from typing import Any

from harness.command_line import positive_integer, run_command
from harness.files import with_home
from harness.schema import nearest
from networks.catalog import DOWNLOADS, FORMATS, Entry, load_catalog
from networks.dblp_selection import compare_selections
from networks.errors import NetworkError
from networks.fetch.obtain import fetch
from networks.network import TemporalNetwork
from networks.prepare import prepare_entry, prepare_file, write_prepared
from networks.split import TIES, split_rows, write_split
from networks.synthetic import generate

# The others are in audit.json.
SKIPPED_SHOWN = 20


def list_networks(_arguments: argparse.Namespace) -> None:
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


def describe_network(arguments: argparse.Namespace) -> None:
    entry = entry_named(arguments.name)
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
        "md5": entry.md5,
        "format": entry.format if entry.otherwise is None else f"{entry.format}, otherwise {entry.otherwise}",
        "options": json.dumps(entry.options, ensure_ascii=False) if entry.options else "",
        "counts": "{nodes:,} nodes, {edges:,} contacts".format(**entry.counts) if entry.counts else "",
        "about": "{nodes:,} nodes, {edges:,} contacts".format(**entry.about) if entry.about else "",
        "paper": "{nodes:,} nodes, {edges:,} contacts".format(**entry.paper) if entry.paper else "",
        "raw file": raw_file_line(entry, arguments.downloads),
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


def fetch_network(arguments: argparse.Namespace) -> None:
    print(fetch(entry_named(arguments.name), arguments.downloads, arguments.mirror))


def prepare_network(arguments: argparse.Namespace) -> None:
    """A name of the catalog goes first; a file of the same name needs a path (./digg)."""
    catalog = load_catalog()
    options = {
        key: value
        for key in ("columns", "separator", "time_format", "prefixes", "skip_bad_rows")
        if (value := getattr(arguments, key)) is not None
    }
    if arguments.network in catalog:
        given = [*options, *(key for key in ("format", "name") if getattr(arguments, key))]
        if given:
            named = ", ".join(f"--{key.replace('_', '-')}" for key in given)
            raise NetworkError(f"{arguments.network}: is in the catalog, which says how to read it; leave out {named}")
        entry = catalog[arguments.network]
        network = prepare_entry(entry, arguments.downloads, arguments.mirror)
        report = write_prepared(network, arguments.out, entry.paper, entry.raw_path(arguments.downloads))
    else:
        path = with_home(arguments.network, "prepare")
        if not path.exists():
            raise NetworkError(
                f"{arguments.network}: is neither a file nor in the catalog{nearest(arguments.network, catalog)}"
            )
        network = prepare_file(path, arguments.name or "", arguments.format, options)
        report = write_prepared(network, arguments.out, raw_file=path)
    dropped, comments = sum(report["source"].get("dropped", {}).values()), report["source"].get("comment_lines", 0)
    print(
        f"{arguments.out / 'network.arrow'}: {report['nodes']:,} nodes, {report['temporal_edges']:,} contacts, "
        f"{report['distinct_pairs']:,} pairs, {dropped:,} rows dropped, {comments:,} comment lines"
    )
    skipped = report["source"].get("skipped_lines", {})
    for line, reason in list(skipped.items())[:SKIPPED_SHOWN]:
        print(f"skipped line {line}: {reason}")
    if len(skipped) > SKIPPED_SHOWN:
        print(f"{len(skipped) - SKIPPED_SHOWN} more skipped lines are listed in {arguments.out / 'audit.json'}")
    if merged := report["times"]["merged"]:
        print(
            f"note: {merged:,} distinct times of the source fell together with others: a date is read to the "
            "microsecond, a number with a fraction to 15 digits; whole numbers are exact to 18 digits"
        )


def split_network(arguments: argparse.Namespace) -> None:
    network = TemporalNetwork.load(arguments.network)
    split = split_rows(network, arguments.test_fraction, arguments.validation_fraction, arguments.ties)
    report = write_split(network, split, arguments.out)
    for block in ("test", "validation"):
        if block in report:
            told = report[block]
            print(
                f"{block}: {told['rows']:,} contacts ({told['achieved_fraction']:.1%}), "
                f"{told['repeated_rows']:,} between pairs seen before, "
                f"{told['rows_with_unseen_nodes']:,} with an unseen node"
            )


def generate_network(arguments: argparse.Namespace) -> None:
    network = generate(
        arguments.nodes,
        arguments.edges,
        arguments.seed,
        communities=arguments.communities,
        drift=arguments.drift,
        triadic_closure=arguments.triadic_closure,
        repeat=arguments.repeat,
        bipartite=arguments.bipartite,
        n_times=arguments.times,
    )
    network.save(arguments.out)
    print(f"{arguments.out}: {network.n_nodes:,} nodes, {network.n_edges:,} contacts")


def select_dblp(arguments: argparse.Namespace) -> None:
    """Years and number of authors are those of the catalog's `dblp`, the counts those of the paper."""
    entry = entry_named("dblp")
    assert entry.paper is not None  # it is one of the paper's networks
    first, last = entry.options["years"]
    count, edges = entry.options["top_authors"], entry.paper["edges"]
    selections = compare_selections(arguments.file, (first, last), count, edges)
    print(f"paper: {entry.paper['nodes']:,} nodes, {edges:,} edges; here the first {count:,} authors by")
    print(f"{'rank':10}  {'max authors':>11}  {'nodes':>9}  {'contacts':>11}  {'counted':>7}  difference")
    for selection in selections:
        counted = "twice" if selection.directions == 2 else "once"
        print(
            f"{selection.rank:10}  {selection.max_authors or 'any':>11}  {selection.nodes:>9,}  "
            f"{selection.contacts:>11,}  {counted:>7}  "
            f"{selection.edges_difference:+,} ({selection.edges_difference / edges:+.1%})"
        )
    print(f"closest: options: {json.dumps(selections[0].options((first, last), count))}")


def entry_named(name: str) -> Entry:
    catalog = load_catalog()
    if name not in catalog:
        raise NetworkError(f"{name}: is not in the catalog{nearest(name, catalog)}")
    return catalog[name]


def several(text: str) -> list[str]:
    """Comma-separated names, or a JSON list where a name holds a comma."""
    if not text.startswith("["):
        return text.split(",")
    try:
        return [str(name) for name in json.loads(text)]
    except json.JSONDecodeError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is not a JSON list") from error


def command_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m networks", description=__doc__)
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
    command.add_argument(
        "--skip-bad-rows",
        type=positive_integer,
        metavar="N",
        help="leave out up to N rows that cannot be read, and list them here and in audit.json (default: none)",
    )
    command.set_defaults(command=prepare_network)

    command = commands.add_parser(
        "select-dblp", help="which selection of authors from a dblp dump comes closest to the paper's counts"
    )
    command.add_argument("file", type=Path, metavar="FILE", help="a dump (dblp.xml.gz), of any day")
    command.set_defaults(command=select_dblp)

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
