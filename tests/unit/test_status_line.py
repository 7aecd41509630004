"""The status line says how far a run is, and lets errors through."""

import io
import logging

from snakemake_interface_logger_plugins.common import LogEvent

from workflow.status_line import StatusLine, duration


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def record(level=logging.INFO, **facts):
    entry = logging.LogRecord("snakemake", level, "", 0, "words", (), None)
    entry.__dict__ |= facts
    return entry


def finish(line, job, done, total):
    line.filter(record(event=LogEvent.JOB_INFO, jobid=job, rule_name="fit", wildcards={"dataset": "toy", "seed": job}))
    line.filter(record(event=LogEvent.JOB_FINISHED, job_id=job))
    line.filter(record(event=LogEvent.PROGRESS, done=done, total=total))


def test_every_finished_step_is_one_line_on_a_terminal():
    stream = Terminal()
    line = StatusLine(stream)
    for job in (1, 2):
        finish(line, job, done=job, total=3)
    lines = stream.getvalue().splitlines()
    assert lines[0].startswith("[ 33%] 1/3  fit toy 1: 0 s; 0 running, about ")
    assert lines[1].startswith("[ 67%] 2/3  fit toy 2: 0 s; 0 running, about ")


def test_the_last_line_speaks_of_nothing_left():
    stream = Terminal()
    finish(StatusLine(stream), 1, done=1, total=1)
    assert stream.getvalue() == "[100%] 1/1  fit toy 1: 0 s\n"


def test_without_a_terminal_a_line_is_written_at_every_tenth():
    stream = io.StringIO()
    line = StatusLine(stream)
    for job in range(1, 201):
        finish(line, job, done=job, total=200)
    assert len(stream.getvalue().splitlines()) == 10


def test_errors_and_warnings_pass_and_chatter_does_not():
    line = StatusLine(Terminal())
    assert line.filter(record(level=logging.ERROR, event=LogEvent.JOB_ERROR))
    assert line.filter(record(level=logging.WARNING))
    assert not line.filter(record())


def test_durations_are_said_as_a_person_would():
    assert [duration(seconds) for seconds in (3.4, 89, 600, 7200)] == ["3 s", "89 s", "10 min", "2.0 h"]
