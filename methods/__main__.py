"""`python -m methods`: list and describe methods, fit one to a network, let one score pairs."""

import argparse
import signal
import textwrap
from pathlib import Path
from typing import Any

from harness.command_line import run_command
from harness.files import read_json
from harness.schema import allowed, shown
from methods.contract.errors import MethodError
from methods.contract.new_method import new_method
from methods.contract.parameters import checked_value, complete_parameters, parse_settings
from methods.contract.registry import Method, load_method, method_names
from methods.running.job import Job, run_job
from methods.running.limits import Limits


def list_methods(arguments: argparse.Namespace) -> None:
    methods = [load_method(name) for name in method_names(variants=True)]
    width = max((len(method.name) for method in methods), default=0) + 4
    for method in methods:
        name = f"  {method.name}" if method.variant_of else method.name
        kind = ", ".join(part for part in ("variant" if method.variant_of else method.role, method.purpose) if part)
        print(f"{name:<{width}}{kind:<20}{method.label}: {_sentence(method)}")


def new(arguments: argparse.Namespace) -> None:
    for path in new_method(arguments.name):
        print(path)
    print(
        f"They work as they are: `python -m methods describe {arguments.name}`; docs/add-a-method.md says what goes in."
    )


def _sentence(method: Method) -> str:
    changed = load_method(method.variant_of).defaults if method.variant_of else None
    if changed is None or method.description != load_method(method.variant_of or method.name).description:
        return method.description
    settings = [f"{key} = {shown(value)}" for key, value in method.defaults.items() if value != changed[key]]
    settings += [f"threads = {method.threads}"] if method.threads > 1 else []
    return ", ".join(settings)


def describe(arguments: argparse.Namespace) -> None:
    method = load_method(arguments.name)
    print(f"{method.name}: {method.label}")
    print(textwrap.fill(method.description, 100, initial_indent="  ", subsequent_indent="  "))
    print(f"  {method.role}; {method.citation}")
    if method.variant_of:
        print(f"  variant of {method.variant_of}, for {method.purpose}")
    print(f"  threads: {method.threads}; GPU: {'can use one' if method.needs.get('gpu') else 'not used'}")
    print("parameters:" if method.parameters else "no parameters")
    for key, schema in method.parameters.items():
        about = f"  {key} = {shown(method.defaults[key])}  ({allowed(schema)})"
        print(about)
        print(textwrap.fill(schema["description"].strip(), 100, initial_indent="      ", subsequent_indent="      "))
    if method.search:
        print("search grid:")
        for key, values in method.search.items():
            print(f"  {key}: {shown(values, most=200)}")
    if method.variants:
        print("variants:")
        for name in method.variants:
            print(f"  {name}: {load_method(name).label}, {_sentence(load_method(name))}")


def fit(arguments: argparse.Namespace) -> None:
    method = load_method(arguments.name)
    if method.kind == "score":
        raise MethodError(f"{method.name} scores pairs and has no embedding; use `python -m methods score`")
    _run(arguments, method, None)


def score(arguments: argparse.Namespace) -> None:
    method = load_method(arguments.name)
    if method.kind != "score":
        raise MethodError(f"{method.name} makes an embedding and scores no pairs; use `python -m methods fit`")
    _run(arguments, method, arguments.examples)


def _run(arguments: argparse.Namespace, method: Method, examples: Path | None) -> None:
    given = _settings_file(arguments.settings, method) | parse_settings(method.parameters, arguments.set)
    job = Job(
        kind="fit" if examples is None else "score",
        method=method.name,
        parameters=complete_parameters(method.parameters, given, "--set", method.defaults),
        network=arguments.network,
        examples=examples,
        out=arguments.out,
        seed=arguments.seed,
        threads=arguments.threads or method.threads,
        device=arguments.device,
    )
    limits = Limits(
        wall_seconds=None if arguments.hours is None else arguments.hours * 3600,
        memory_bytes=None if arguments.memory_gb is None else int(arguments.memory_gb * 1e9),
    )
    record = run_job(job, limits)
    if record["status"] != "ok" and not arguments.record_failures:
        raise MethodError(_summary(job, record))
    print(_summary(job, record))


def _settings_file(path: Path | None, method: Method) -> dict[str, Any]:
    """The `parameters` of a file that tuning wrote; those that a variant fixes stay as the variant has them."""
    if path is None:
        return {}
    chosen = read_json(path)
    if not isinstance(chosen, dict) or not isinstance(chosen.get("parameters"), dict):
        raise MethodError(f"{path}: has no `parameters`; give a file that `python -m evaluation choose` wrote")
    own = load_method(method.variant_of).defaults if method.variant_of else method.defaults
    free = {key: value for key, value in chosen["parameters"].items() if method.defaults.get(key) == own.get(key)}
    return {key: checked_value(method.parameters, key, value, str(path)) for key, value in free.items()}


def _summary(job: Job, record: dict[str, Any]) -> str:
    wall, cpu, megabytes = record["wall_seconds"], record["cpu_seconds"], record["peak_bytes"] / 1e6
    used = f"{wall:.1f} s, {cpu:.1f} s of CPU, peak {megabytes:.0f} MB"
    if record["status"] != "ok":
        return f"{job.method}: {record['status']}: {record['reason']} ({used}; see {job.log_path})"
    shape = record["embeddings"] if job.kind == "fit" else record["scores"]
    size = " x ".join(str(shape[key]) for key in ("rows", "dimensions") if key in shape)
    note = f"; note: {record['facts']['note']}" if "note" in record["facts"] else ""
    return f"{job.method}: ok, {job.array_path} ({size}) in {used}{note}"


def _positive(text: str) -> float:
    number = float(text)
    if not 0 < number < float("inf"):
        raise ValueError
    return number


def _whole_positive(text: str) -> int:
    if int(text) < 1:
        raise ValueError
    return int(text)


def _seed(text: str) -> int:
    if not 0 <= int(text) < 2**32:
        raise ValueError
    return int(text)


# argparse names the type when a value does not fit.
_positive.__name__ = "positive number"
_whole_positive.__name__ = "positive whole number"
_seed.__name__ = "seed (a whole number from 0 to 4294967295)"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m methods", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    listing = commands.add_parser("list", help="all methods and their variants")
    listing.set_defaults(command=list_methods)
    describing = commands.add_parser("describe", help="what a method is and which parameters it has")
    describing.add_argument("name", metavar="NAME")
    describing.set_defaults(command=describe)
    creating = commands.add_parser("new", help="make the folder of a method, and its test, from a working example")
    creating.add_argument("name", metavar="NAME")
    creating.set_defaults(command=new)
    fitting = commands.add_parser("fit", help="fit a method to a network: embeddings.npy and fit.json")
    fitting.set_defaults(command=fit)
    scoring = commands.add_parser("score", help="let a method score the pairs of an example set")
    scoring.add_argument("--examples", type=Path, required=True, metavar="FILE", help="pairs to score")
    scoring.set_defaults(command=score)
    for command in (fitting, scoring):
        command.add_argument("name", metavar="NAME", help="a method or a variant")
        command.add_argument("--network", type=Path, required=True, metavar="FILE", help="stored network to learn from")
        command.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="where the results go")
        command.add_argument(
            "--set", action="append", default=[], metavar="KEY=VALUE", help="a parameter; may be given several times"
        )
        command.add_argument("--settings", type=Path, metavar="FILE", help="parameters that tuning chose; --set wins")
        command.add_argument("--seed", type=_seed, default=1, help="default: 1")
        command.add_argument("--threads", type=_whole_positive, metavar="N", help="default: what method.yaml says")
        command.add_argument("--device", choices=["auto", "cpu", "cuda"], default="auto", help="default: auto")
        command.add_argument("--hours", type=_positive, metavar="H", help="stop it after so long (status timeout)")
        command.add_argument(
            "--record-failures", action="store_true", help="a failure is a result: written as ever, with exit code 0"
        )
        command.add_argument("--memory-gb", type=_positive, metavar="G", help="stop it at so much memory (status oom)")
    return parser


def main() -> int:
    # A polite kill ends as Ctrl-C does: the child's processes first, then this one.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    return run_command(build_parser())


if __name__ == "__main__":
    raise SystemExit(main())
