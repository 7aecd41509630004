"""The catalog: what is known of every network, and where its raw file lies; also for a user's own network."""

from __future__ import annotations

import importlib.metadata
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import unquote, urlsplit

from harness.files import with_home
from harness.schema import NAME, breach
from harness.yaml_file import read_yaml
from networks.errors import NetworkError

CATALOG_FILE = Path(__file__).with_name("catalog.yaml")
DOWNLOADS = Path(__file__).with_name("downloads")

# Where a network comes from: every entry has exactly one of these keys.
SOURCES = ("urls", "package", "generate", "terms")

FORMATS = ["delimited", "konect", "dblp_xml", "yelp_json", "tmall_log"]

_TEXT = {"type": "string", "minLength": 1}
_NAME = {"type": "string", "pattern": NAME}
_FILE_NAME = {"type": "string", "pattern": r"^[^/\\]*[^./\\][^/\\]*$"}
_COUNT = {"type": "integer", "minimum": 1}
_SHARE = {"type": "number", "minimum": 0, "maximum": 1}


def _record(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


_COUNTS = _record({"nodes": _COUNT, "edges": _COUNT}, ["nodes", "edges"])

_GENERATE = _record(
    {
        "n_nodes": _COUNT,
        "n_edges": _COUNT,
        "seed": {"type": "integer", "minimum": 0},
        "communities": _COUNT,
        "drift": {"type": "number", "minimum": 0},
        "triadic_closure": _SHARE,
        "repeat": _SHARE,
        "bipartite": {"type": "boolean"},
        "n_times": _COUNT,
    },
    ["n_nodes", "n_edges", "seed"],
)

ENTRY_SCHEMA = _record(
    {
        "label": _TEXT,
        "description": _TEXT,
        "homepage": {"type": "string", "pattern": "^https?://"},
        "licence": _TEXT,
        "citation": _TEXT,
        "urls": {"type": "array", "minItems": 1, "items": {"type": "string", "pattern": "^(https?|file)://.*[^/]$"}},
        "package": _record({"distribution": _TEXT, "path": _TEXT}, ["distribution", "path"]),
        "generate": _GENERATE,
        "terms": _TEXT,
        "files": {"type": "array", "minItems": 1, "items": _FILE_NAME},
        # Only its last part becomes a file name, but a member that climbs out of its archive is a mistake anyway.
        "member": {"type": "string", "pattern": r"^(?!/)(?!(.*/)?\.\.(/|$)).*[^/]$"},
        "size_bytes": {"type": ["integer", "null"], "minimum": 1},
        "sha256": {"type": ["string", "null"], "pattern": "^[0-9a-f]{64}$"},
        "md5": {"type": "string", "pattern": "^[0-9a-f]{32}$"},
        "format": {"enum": FORMATS},
        "options": {"type": "object"},
        "counts": _COUNTS,
        "about": _COUNTS,
        "otherwise": {"enum": FORMATS},
        "paper": _COUNTS,
    },
    ["label", "description", "licence", "citation"],
)

_COLUMN = {"type": ["string", "integer"], "minLength": 1, "minimum": 1}

OWN_NETWORK_SCHEMA = _record(
    {
        "name": _NAME,
        "path": _TEXT,
        "label": _TEXT,
        "format": {"enum": FORMATS},
        "columns": {"type": "array", "minItems": 3, "maxItems": 3, "items": _COLUMN},
        "separator": _TEXT,
        "time_format": _TEXT,
        "bipartite": {"type": "boolean"},
        "skip_bad_rows": {"type": "integer", "minimum": 0},
    },
    ["name", "path"],
)


@dataclass(frozen=True)
class Entry:
    """One network of the catalog; `sha256`, `md5` and `size_bytes` are those of the file as the source sends it.

    Exactly one of `urls`, `package`, `generate`, `terms` and `path` says where it comes from: a download, a file inside
    an installed package, the generator, a file that the user must get by hand, or the user's own file.
    `files` are other names under which a mirror, or the user, may hold the same network: the member without its
    archive, or in another compression. `counts` are those of the raw file in `format`, before anything is dropped;
    `about` are counts that a file need not have, for the plan of a run.
    Where such a file cannot be had, one in the format `otherwise` will do, whose counts nobody knows.
    """

    name: str
    label: str
    description: str = ""
    homepage: str = ""
    licence: str = ""
    citation: str = ""
    urls: tuple[str, ...] = ()
    package: tuple[str, str] | None = None
    generate: dict[str, Any] | None = None
    terms: str | None = None
    path: Path | None = None
    files: tuple[str, ...] = ()
    member: str | None = None
    size_bytes: int | None = None
    sha256: str | None = None
    md5: str | None = None
    format: str = ""
    options: dict[str, Any] = field(default_factory=dict)
    counts: dict[str, int] | None = None
    about: dict[str, int] | None = None
    otherwise: str | None = None
    paper: dict[str, int] | None = None

    def raw_path(self, downloads: Path) -> Path | None:
        """Where the raw (extracted) file lies, there already or not; None for a generated network."""
        if self.generate is not None:
            return None
        if self.path is not None:
            return self.path
        if self.package is not None:
            return self._package_path(*self.package)
        return downloads / self.name / self.file_name

    @property
    def download_names(self) -> tuple[str, ...]:
        """The file names at the end of the addresses, without repeats."""
        return tuple(dict.fromkeys(PurePosixPath(unquote(urlsplit(url).path)).name for url in self.urls))

    @property
    def file_name(self) -> str:
        """The raw file's name: that of the archive's member, or of the first choice if there are two formats."""
        if self.member is not None and self.otherwise is None:
            return PurePosixPath(self.member).name
        return (self.download_names + self.files)[0]

    def _package_path(self, distribution: str, path: str) -> Path:
        try:
            return Path(str(importlib.metadata.distribution(distribution).locate_file(path)))
        except importlib.metadata.PackageNotFoundError:
            raise NetworkError(
                f"{self.name}: comes with the package {distribution}, which is not installed; "
                "install what requirements.lock lists"
            ) from None


def load_catalog(file: Path = CATALOG_FILE) -> dict[str, Entry]:
    """Read and check the catalog; entries keep the order of the file."""
    entries = read_yaml(file, NetworkError)
    if not isinstance(entries, dict):
        raise NetworkError(f"{file}: must be a mapping from names of networks to what is known of them")
    return {name: _entry(name, values, f"{file.name}: {name}") for name, values in entries.items()}


def entry_from_config(config: Mapping[str, Any]) -> Entry:
    """The entry of a user's own network: a file of contacts, one per line, gz or not, or in another known format.

    `columns` are the names or positions (from 1) of source, target and time; `bipartite` says that the two ends are
    named apart: user 7 is not item 7. Up to `skip_bad_rows` rows that cannot be read are left out and listed.
    """
    where = f"network {config.get('name', 'without a name')}"
    _check(dict(config), OWN_NETWORK_SCHEMA, where)
    name = config["name"]
    options = {key: config[key] for key in ("columns", "separator", "time_format", "skip_bad_rows") if key in config}
    if config.get("bipartite"):
        options["prefixes"] = ("left:", "right:")
    format = config.get("format", "delimited")
    if options and format != "delimited":
        key = next(key for key in (*options, "bipartite") if key in config)
        raise NetworkError(f"{where}: the format {format} has no {key}; leave it out, or leave out the format")
    return Entry(
        name=name,
        label=config.get("label", name),
        path=with_home(config["path"], f"{where}: key path"),
        format=format,
        options=options,
    )


def _entry(name: Any, values: Any, where: str) -> Entry:
    _check(name, _NAME, where)
    _check(values, ENTRY_SCHEMA, where)
    given = [key for key in SOURCES if key in values]
    if len(given) != 1:
        has = " and ".join(given) or "none of them"
        raise NetworkError(f"{where}: needs exactly one of the keys {', '.join(SOURCES)}, but has {has}")
    if "generate" not in values and "format" not in values:
        raise NetworkError(f"{where}: the key format is missing; it names the parser of the raw file")
    if "terms" in values and "files" not in values and "member" not in values:
        raise NetworkError(f"{where}: the key files is missing; it names the file that the user must get by hand")
    package = values.get("package")
    return Entry(
        **{
            **values,
            "name": name,
            "urls": tuple(values.get("urls", ())),
            "files": tuple(values.get("files", ())),
            "package": (package["distribution"], package["path"]) if package else None,
        }
    )


def _check(value: Any, schema: dict[str, Any], where: str) -> None:
    """Raise one sentence that names the key for the first thing that does not fit the schema."""
    problem = breach(value, schema)
    if problem is not None:
        raise NetworkError(f"{where}: {problem}")
