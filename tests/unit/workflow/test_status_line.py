"""The status line says how far a run is, and lets errors through."""

import io
import logging
import os
import pty

from snakemake_interface_logger_plugins.common import LogEvent

from workflow import status_line
from workflow.costs import Cost
from workflow.plan import Item, Plan
from workflow.status_line import ERASE_LINE, StatusLine, duration
from workflow.steps import Step


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(level=logging.INFO, **facts):
    entry = logging.LogRecord("snakemake", level, "", 0, "words", (), None)
    entry.__dict__ |= facts
    return entry


def begin(line, job, folder="fits/toy"):
    facts = {"rule_name": "fit", "wildcards": {"dataset": "toy", "seed": job}, "output": [f"{folder}/fit.json"]}
    line.filter(record(event=LogEvent.JOB_INFO, jobid=job, **facts))


def finish(line, job, done, total):
    begin(line, job)
    line.filter(record(event=LogEvent.JOB_FINISHED, job_id=job))
    line.filter(record(event=LogEvent.PROGRESS, done=done, total=total))


def test_every_finished_step_is_one_line_on_a_terminal():
    stream = Terminal()
    line = StatusLine(stream)
    for job in (1, 2, 3):
        finish(line, job, done=job, total=3)
    lines = stream.getvalue().replace(ERASE_LINE, "").splitlines()
    assert lines == ["[ 33%] 1/3  fit toy 1: 0 s", "[ 67%] 2/3  fit toy 2: 0 s", "[100%] 3/3  fit toy 3: 0 s"]


def test_the_living_line_counts_jobs_and_names_the_speed_of_running_fits(tmp_path):
    line = StatusLine(Terminal())
    finish(line, 1, done=1, total=5)
    begin(line, 2, tmp_path)
    begin(line, 3)
    (tmp_path / ".work").mkdir()
    (tmp_path / ".work" / "progress.txt").write_text("epoch 2 of 5 43%, 1.2k edges/s, 00:12 left")
    said = line.living_line(width=200)
    assert said.startswith("1 done, 2 running, 2 waiting, about ")
    assert said.endswith(" left | fit toy 2: epoch 2 of 5 43%, 1.2k edges/s, 00:12 left")
    assert len(line.living_line(width=80)) < 80


def test_on_a_terminal_the_living_line_is_redrawn_and_erased_when_the_run_is_over(monkeypatch):
    monkeypatch.setattr(status_line, "SECONDS_BETWEEN_REDRAWS", 0.01)
    reader, writer = pty.openpty()
    with os.fdopen(writer, "w") as stream:
        line = StatusLine(stream)
        begin(line, 1)
        thread = line.start()
        assert os.read(reader, 1000).startswith(f"{ERASE_LINE}1 running".encode())
        line.over.set()
        thread.join()
        said = os.read(reader, 100_000).decode()
    os.close(reader)
    assert said.endswith(ERASE_LINE)


def test_without_a_terminal_a_line_is_written_at_every_tenth():
    stream = io.StringIO()
    line = StatusLine(stream)
    for job in range(1, 201):
        finish(line, job, done=job, total=200)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 10
    assert lines[0].startswith("[ 10%] 20/200  fit toy 20: 0 s; 20 done, 0 running, 180 waiting, about ")
    assert lines[-1] == "[100%] 200/200  fit toy 200: 0 s"
    assert line.start() is None


def test_errors_and_warnings_pass_and_chatter_does_not():
    line = StatusLine(Terminal())
    assert line.filter(record(level=logging.ERROR, event=LogEvent.JOB_ERROR))
    assert line.filter(record(level=logging.WARNING))
    assert not line.filter(record())


def test_durations_are_said_as_a_person_would():
    assert [duration(seconds) for seconds in (3.4, 89, 600, 7200)] == ["3 s", "89 s", "10 min", "2.0 h"]


def planned(**core_seconds):
    """A plan of fits that take so long, on two cores."""
    costs = {Step("fit", "", f"{name}/fit.json"): Cost(seconds, 0) for name, seconds in core_seconds.items()}
    return Plan(None, 2, [Item(step, cost, done=False) for step, cost in costs.items()], [])


def test_the_time_left_follows_from_the_costs_of_what_is_ahead_not_from_the_number_of_steps(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(status_line.time, "monotonic", lambda: now[0])
    line = StatusLine(Terminal(), planned(first=10, second=100, third=300))
    begin(line, 1, "first")
    now[0] += 10
    line.filter(record(event=LogEvent.JOB_FINISHED, job_id=1))
    assert line.left() == (100 + 300) / 2
    begin(line, 2, "second")
    now[0] += 40
    assert line.left() == (60 + 300) / 2


def test_a_machine_that_is_slower_than_the_costs_say_has_more_time_left(monkeypatch):
    now = [1000.0]
    monkeypatch.setattr(status_line.time, "monotonic", lambda: now[0])
    line = StatusLine(Terminal(), planned(first=10, second=100))
    begin(line, 1, "first")
    now[0] += 30
    line.filter(record(event=LogEvent.JOB_FINISHED, job_id=1))
    assert line.left() == 3 * 100 / 2


def test_an_interrupted_run_ends_with_one_line_that_says_how_to_go_on(monkeypatch):
    monkeypatch.setattr(status_line.sys, "argv", ["/bin/snakemake", "--config", "datasets=[a, b]"])
    stream = Terminal()
    line = StatusLine(stream)
    finish(line, 1, done=1, total=3)
    begin(line, 2)
    ending = record()
    ending.msg = f"{status_line.INTERRUPTION}, this might take some time."
    for words in (ending, record(level=logging.ERROR, event=LogEvent.JOB_ERROR), ending):
        assert not line.filter(words)
    last = stream.getvalue().replace(ERASE_LINE, "").splitlines()[-1]
    assert stream.getvalue().count("interrupted") == 1
    assert last.startswith("interrupted: 1 finished steps are kept")
    assert last.endswith("snakemake --config 'datasets=[a, b]'")
