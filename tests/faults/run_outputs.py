"""What two runs of one configuration must have in common, byte for byte: everything but measured seconds and paths."""

from pathlib import Path

# Seconds and bytes of memory are measured, so they differ from run to run; so do pictures and pages that show them.
MEASURED_TABLES = ("efficiency", "scaling")
COMPARED = ("*.csv", "*.md", "*.tex", "*.arrow", "*.npy")


def run_outputs(results: Path) -> dict[str, bytes]:
    """Tables, raw repeats, networks, examples and embeddings of a run, by path; measured tables by name only."""
    found = sorted(path for pattern in COMPARED for path in results.rglob(pattern))
    # Hidden files and folders (.work of a fit) are not results yet.
    files = [path for path in found if not any(part.startswith(".") for part in path.relative_to(results).parts)]
    return {
        str(path.relative_to(results)): b"" if path.stem in MEASURED_TABLES else path.read_bytes() for path in files
    }


def assert_same_outputs(expected: Path, found: Path) -> None:
    """The same files with the same bytes; a failure names them, it does not print them."""
    wanted, given = run_outputs(expected), run_outputs(found)
    assert any(name.startswith("tables/") for name in wanted), f"{expected}: no tables"
    assert sorted(wanted) == sorted(given)
    assert [name for name in wanted if wanted[name] != given[name]] == []
