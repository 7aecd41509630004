"""Which fits a new run makes again."""

from pathlib import Path

from workflow.killed_fits import times_killed


def test_lines_of_the_log_are_counted_for_the_wildcards_of_the_job(tmp_path: Path) -> None:
    times = times_killed(f"{tmp_path}/{{method}}/seed-{{seed}}")
    (tmp_path / "line" / "seed-2").mkdir(parents=True)
    (tmp_path / "line" / "seed-2" / ".killed").write_text("killed\nkilled\n")
    assert times({"method": "line", "seed": "2"}) == 2
    assert times({"method": "line", "seed": "1"}) == 0
