"""`python -m workflow plan`: what a run would take, before it starts."""

import argparse
import os
from pathlib import Path
from typing import Any

import yaml

from harness.command_line import positive_integer, run_command
from harness.errors import UserError
from workflow.configuration import read_configuration
from workflow.experiments import read_experiments
from workflow.part import overridden, part_of
from workflow.plan import make_plan, report

DEFAULT = Path(__file__).parents[1] / "config" / "paper.yaml"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m workflow", description="Before a run.")
    subparsers = parser.add_subparsers(required=True, metavar="COMMAND")
    plan = subparsers.add_parser("plan", help="jobs, hours, memory and disk of a run")
    plan.add_argument("--configfile", type=Path, default=DEFAULT, metavar="FILE", help="default: config/paper.yaml")
    plan.add_argument("--config", nargs="+", default=[], metavar="KEY=VALUE", help="as for snakemake")
    plan.add_argument("--cores", type=positive_integer, default=os.cpu_count() or 1, help="default: all here")
    plan.set_defaults(command=_plan)
    return parser


def _plan(arguments: argparse.Namespace) -> None:
    changes = overridden(arguments.config)
    config, dropped = part_of(read_yaml(arguments.configfile) | changes, changes)
    for sentence in dropped:
        print(sentence)
    experiments = read_experiments(read_configuration(config))
    print(report(make_plan(experiments, arguments.cores)))


def read_yaml(path: Path) -> dict[str, Any]:
    try:
        config = yaml.safe_load(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: cannot be read ({error})") from error
    except yaml.YAMLError as error:
        raise UserError(f"{path}: not YAML ({' '.join(str(error).split())})") from error
    if not isinstance(config, dict):
        raise UserError(f"{path}: must be a mapping of keys to values")
    return config


if __name__ == "__main__":
    raise SystemExit(run_command(build_parser()))
