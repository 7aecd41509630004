"""Networks for notebooks and scripts: one call by catalogue name or file, and the part that methods may see."""

from pathlib import Path
from typing import Any

from harness.files import with_home
from harness.schema import nearest
from networks.catalog import DOWNLOADS, load_catalog
from networks.errors import NetworkError
from networks.network import TemporalNetwork
from networks.prepare import prepare_entry, prepare_file
from networks.split import split_rows


def load_network(source: str | Path, mirror: str | None = None, **options: Any) -> TemporalNetwork:
    """A network by its name in the catalogue, from a stored network.arrow, or from a raw file.

    `options` are those of `python -m networks prepare FILE`: columns, separator, time_format, prefixes. A file that is
    named like a network of the catalogue needs a path (./digg).

    >>> load_network("college_msg")
    <TemporalNetwork college_msg: 1,899 nodes, 59,835 contacts>
    """
    catalog = load_catalog()
    if str(source) in catalog:
        if options:
            raise NetworkError(
                f"{source}: is in the catalog, which says how to read it; leave out {', '.join(options)}"
            )
        return prepare_entry(catalog[str(source)], DOWNLOADS, mirror)
    path = with_home(source, "load_network")
    if not path.is_file():
        raise NetworkError(f"{source}: is neither a file nor in the catalog{nearest(source, catalog)}")
    if path.suffix != ".arrow":
        return prepare_file(path, options=options)
    if options:
        raise NetworkError(f"{source}: is a stored network; leave out {', '.join(options)}")
    return TemporalNetwork.load(path)


def training_part(network: TemporalNetwork, test_fraction: float = 0.2) -> TemporalNetwork:
    """All but the newest `test_fraction` of the contacts, which `evaluation.evaluate` predicts; the same nodes."""
    return network.first(split_rows(network, test_fraction, validation_fraction=0).train_end)
