"""What SECURITY.md promises of the code: nothing from outside is ever run, and no XML expands or opens a file."""

import ast
import gzip
from pathlib import Path

import pytest
import yaml

from networks.catalog import load_catalog
from networks.errors import NetworkError
from networks.parse import read_contacts

ROOT = Path(__file__).parents[2]
SOURCES = sorted(
    path
    for part in ("harness", "networks", "methods", "evaluation", "workflow")
    for path in (ROOT / part).rglob("*.py")
)
RULES = [ROOT / "workflow" / "Snakefile", *sorted((ROOT / "workflow").rglob("*.smk"))]

# Modules that turn bytes into code or objects, and functions that do so or that let a shell read a text.
UNSAFE_MODULES = {
    "pickle",
    "cPickle",
    "dill",
    "cloudpickle",
    "joblib",
    "shelve",
    "marshal",
    "xml",
    "telnetlib",
    "ftplib",
}
SAFE_PARTS = {"xml.parsers.expat", "xml.parsers"}
UNSAFE_CALLS = {
    "eval",
    "exec",
    "compile",
    "os.system",
    "os.popen",
    "subprocess.getoutput",
    "yaml.unsafe_load",
    "tempfile.mktemp",
}
SAFE_LOADERS = {"_PlainLoader"}


def dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def unsafe_uses(path: Path) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        found += [name for name in names if name.split(".")[0] in UNSAFE_MODULES and name not in SAFE_PARTS]
        if isinstance(node, ast.Call):
            name = dotted(node.func)
            given = {keyword.arg: keyword.value for keyword in node.keywords}
            loader = dotted(given["Loader"]) if "Loader" in given else ""
            if name in UNSAFE_CALLS or (name == "yaml.load" and loader not in SAFE_LOADERS):
                found.append(name)
            for argument, harmless in (("shell", False), ("allow_pickle", False)):
                value = given.get(argument)
                if value is not None and not (isinstance(value, ast.Constant) and value.value is harmless):
                    found.append(f"{name}({argument}=…)")
            if name in ("np.load", "numpy.load", "np.save", "numpy.save") and "allow_pickle" not in given:
                found.append(f"{name} without allow_pickle=False")
    return found


def test_no_code_unpickles_evaluates_or_asks_a_shell() -> None:
    assert len(SOURCES) > 50
    assert {str(path.relative_to(ROOT)): uses for path in SOURCES if (uses := unsafe_uses(path))} == {}


@pytest.mark.parametrize(
    "line",
    [
        "import pickle",
        "from joblib import load",
        "eval(text)",
        "subprocess.run(words, shell=True)",
        "np.load(path)",
        "np.load(path, allow_pickle=True)",
        "yaml.load(text, Loader=yaml.Loader)",
        "os.system(text)",
    ],
)
def test_the_search_for_unsafe_code_finds_it(line: str, tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(line)
    assert unsafe_uses(tmp_path / "bad.py")


def test_every_text_that_a_rule_hands_to_the_shell_is_quoted_or_plain() -> None:
    """Wildcards are constrained to plain names; everything else in a command is quoted by `:q` or a number."""
    plain = {"wildcards.dataset", "wildcards.method", "wildcards.seed", "wildcards.draw", "wildcards.block", "threads"}
    for path in RULES:
        for line in path.read_text().splitlines():
            if line.strip().startswith(("shell(", '"')):
                fields = [part.split("}")[0] for part in line.replace("{{", "").split("{")[1:]]
                unquoted = {field for field in fields if not field.endswith(":q")} - plain
                assert unquoted <= UNQUOTED, f"{path.name}: {line.strip()}"


# Each is made of numbers or of words that the schema lists.
UNQUOTED = {"params.threads", "params.seed", "params.negatives", "params.protocols", "params.protocol"}


def document(doctype: str, author: str) -> bytes:
    record = f"<article><author>{author}</author><author>b</author><year>2000</year></article>"
    return f"<!DOCTYPE dblp {doctype}><dblp>{record}</dblp>".encode()


LAUGHS = "".join(f'<!ENTITY l{i} "{f"&l{i - 1};" * 10}">' for i in range(1, 10))
BOMBS = {
    "billion laughs": document(f'[<!ENTITY l0 "ha">{LAUGHS}]', "&l9;"),
    "quadratic": document(f'[<!ENTITY a "{"x" * 10_000}">]', "&a;" * 10_000),
    "file of this machine": document('[<!ENTITY a SYSTEM "file:///etc/passwd">]', "&a;"),
    "parameter entity": document('[<!ENTITY % a SYSTEM "http://127.0.0.1:9/x.dtd"> %a;]', "a"),
}


@pytest.mark.parametrize("bomb", BOMBS)
@pytest.mark.parametrize("packed", [False, True])
def test_an_xml_document_with_entities_of_its_own_is_refused_before_they_expand(bomb, packed, tmp_path: Path) -> None:
    (tmp_path / "dblp.xml").write_bytes(gzip.compress(BOMBS[bomb]) if packed else BOMBS[bomb])
    with pytest.raises(NetworkError, match=r"declares entities of its own"):
        read_contacts(tmp_path / "dblp.xml", "dblp_xml")


def test_a_doctype_that_names_a_file_opens_no_file(tmp_path: Path) -> None:
    (tmp_path / "dblp.dtd").write_text('<!ENTITY uuml "from the file">')
    (tmp_path / "dblp.xml").write_bytes(document('SYSTEM "dblp.dtd"', "&uuml;"))
    assert read_contacts(tmp_path / "dblp.xml", "dblp_xml").labels.to_pylist() == ["ü", "b"]


def test_downloads_that_are_neither_encrypted_nor_pinned_are_confessed() -> None:
    """KONECT answers over http only, and states no checksums; SECURITY.md names what that concerns."""
    bare = [
        name
        for name, entry in load_catalog().items()
        if not entry.sha256 and any(url.startswith("http:") for url in entry.urls)
    ]
    page = (ROOT / "SECURITY.md").read_text()
    assert [name for name in bare if f"`{name}`" not in page] == []


def test_workflows_of_the_public_repository_may_only_read() -> None:
    for path in sorted((ROOT / ".github" / "workflows").glob("*.yml")):
        assert yaml.safe_load(path.read_text())["permissions"] == {"contents": "read"}, path.name
