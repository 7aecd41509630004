"""What runs in the child process: one fit or score, from a job file to an array and a journal.

`python -m methods.running.child JOB.json` is started by job.py, which watches it; it is no command for people.
"""

import errno
import faulthandler
import importlib
import json
import os
import platform
import sys
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from harness.errors import UserError
from harness.files import file_sha256
from harness.one_line import one_line
from methods.contract import journal
from methods.contract.errors import KilledError, MethodError
from methods.contract.registry import Method, load_method
from methods.contract.run import Run
from methods.running.external import fit_with_command
from methods.running.outputs import checked_embeddings, checked_scores, save_array
from methods.running.parent_death import end_with_parent
from networks.network import TemporalNetwork

DISK_ERRORS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO)
BLAS_FACTS = ("internal_api", "version", "architecture")
LIBRARIES = ("numpy", "numba", "scipy", "pyarrow", "pandas", "sklearn", "gensim", "torch")
Examples = tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]


def perform_fit(method: Method, network: TemporalNetwork, params: dict[str, Any], run: Run) -> NDArray[np.float32]:
    """Call the method and check that it kept the contract."""
    refuse_empty(network)
    if method.kind == "command":
        returned: Any = fit_with_command(method, network, params, run)
    else:
        returned = method_function(method)(network, params, run)
    embeddings = checked_embeddings(returned, network.n_nodes, params.get("dimensions"))
    _require_epoch(run, "fit")
    return embeddings


def perform_score(
    method: Method, network: TemporalNetwork, examples: Examples, params: dict[str, Any], run: Run
) -> NDArray[np.float64]:
    """Let the method score the pairs and check that it kept the contract."""
    refuse_empty(network)
    scores = checked_scores(method_function(method)(network, *examples, params, run), len(examples[0]))
    _require_epoch(run, "score")
    return scores


def refuse_empty(network: TemporalNetwork) -> None:
    if network.n_edges == 0:
        raise MethodError(f"the network {network.name!r} has no contacts; there is nothing to learn from")


def method_function(method: Method) -> Callable[..., Any]:
    """The function that the method's folder brings."""
    module = importlib.import_module(method.module)
    try:
        return getattr(module, method.kind)  # type: ignore[no-any-return]
    except AttributeError:
        file = method.folder / f"{method.kind}.py"
        raise MethodError(f"{file}: has no function named {method.kind}; see docs/add-a-method.md") from None


def _require_epoch(run: Run, function: str) -> None:
    if not run.epochs:
        raise MethodError(
            f"{function} recorded no epoch; put its work into `with run.epoch(amount, unit):`, or its speed is unknown"
        )


def pairs_to_score(path: Path, n_nodes: int) -> Examples:
    """Source, target and time of the pairs to score; which of them are positive stays untold."""
    try:
        with pa.memory_map(str(path)) as mapped:
            table = pa.ipc.open_file(mapped).read_all()
        source, target, time = (table.column(name).to_numpy() for name in ("source", "target", "time"))
    except FileNotFoundError:
        raise MethodError(f"{path}: no such file; make it with `python -m evaluation`") from None
    except (pa.ArrowInvalid, KeyError, OSError) as error:
        raise MethodError(f"{path}: not a set of examples ({error})") from None
    ends = np.concatenate([source, target])
    if len(ends) and (ends.min() < 0 or ends.max() >= n_nodes):
        raise MethodError(f"{path}: names a node that is not one of the network's 0 to {n_nodes - 1}")
    return source, target, time


def main(job_path: Path) -> None:
    job = json.loads(job_path.read_text(encoding="utf-8"))
    end_with_parent(job["parent"])
    process = os.getpid()
    work = job_path.parent
    notes = work / "journal.jsonl"
    with (work / "log.txt").open("w", encoding="utf-8", errors="backslashreplace") as log:
        faulthandler.enable(log)
        try:
            outcome = {"status": "ok"} | _perform(job, work, notes, process)
        except BaseException as error:
            _end_if_forked(process)
            traceback.print_exception(error, file=log)
            log.flush()
            outcome = _failure(error)
        work.mkdir(parents=True, exist_ok=True)  # a method may have removed it
        journal.append(notes, outcome=outcome | {"peak_bytes": peak_bytes()}, versions=versions())
    sys.stdout.flush()
    sys.stderr.flush()
    # Not sys.exit: it would wait for threads that the method left running.
    os._exit(0)


def _perform(job: dict[str, Any], work: Path, notes: Path, process: int) -> dict[str, Any]:
    try:
        method = load_method(job["method"])
        network = TemporalNetwork.load(Path(job["network"]))
        refuse_empty(network)
        examples = pairs_to_score(Path(job["examples"]), network.n_nodes) if job["kind"] == "score" else None
        device = _device(job["device"], method)
    except UserError as error:
        return {"status": "refused", "reason": str(error)}
    facts = {"name": network.name, "nodes": network.n_nodes, "edges": network.n_edges}
    journal.append(notes, network=facts, device=device)
    run = Run(job["seed"], job["threads"], device, folder=work, journal=notes)
    os.register_at_fork(after_in_child=lambda: setattr(run, "journal", None))
    array: NDArray[Any]
    if examples is None:
        array = perform_fit(method, network, job["parameters"], run)
    else:
        array = perform_score(method, network, examples, job["parameters"], run)
    _end_if_forked(process)
    if not notes.exists():
        raise MethodError("the method removed its scratch folder (run.folder), and with it what it had reported")
    save_array(work / "array.npy", array)
    return {"shape": list(array.shape), "sha256": file_sha256(work / "array.npy")}


def _end_if_forked(process: int) -> None:
    """A process that the method forked may come back from it too; the fit is not its to finish."""
    if os.getpid() != process:
        os._exit(0)


def _device(asked: str, method: Method) -> str:
    """A method that cannot use a GPU runs on the CPU whatever is asked; torch is not loaded for it."""
    if asked == "cpu" or not method.needs.get("gpu", False):
        return "cpu"
    import torch

    if torch.cuda.is_available():
        return "cuda"
    if asked == "cuda":
        raise MethodError("--device cuda: torch finds no GPU here; use --device cpu, or leave it to auto")
    return "cpu"


def _failure(error: BaseException) -> dict[str, str]:
    if (disk := _disk_error(error)) is not None:
        # Not the method's doing, and gone when there is room again: no result, but an error of this run.
        return {"status": "refused", "reason": f"the disk failed: {error if isinstance(error, UserError) else disk}"}
    if isinstance(error, UserError):
        return {"status": "killed" if isinstance(error, KilledError) else "failed", "reason": str(error)}
    last = one_line(traceback.format_exception_only(error)[-1])
    frames = traceback.extract_tb(error.__traceback__)
    # The method's own line says more than the line of the library that it called.
    own = [frame for frame in frames if "methods" in Path(frame.filename).parts and frame.filename != __file__]
    frame = (own or list(frames))[-1]
    place = "/".join(Path(frame.filename).parts[-3:])
    return {
        "status": "oom" if _out_of_memory(error) else "failed",
        "reason": f"{last[:300]} ({place}:{frame.lineno} in {frame.name})",
    }


def _disk_error(error: BaseException | None) -> OSError | None:
    """The error of a disk that is full or broken, if it is behind this one."""
    while error is not None:
        if isinstance(error, OSError) and error.errno in DISK_ERRORS:
            return error
        error = error.__cause__ or error.__context__
    return None


def _out_of_memory(error: BaseException) -> bool:
    """Python's and numpy's MemoryError, and torch's ways to say the same."""
    if isinstance(error, MemoryError) or type(error).__name__ == "OutOfMemoryError":
        return True
    return isinstance(error, RuntimeError) and "DefaultCPUAllocator" in str(error)


def versions() -> dict[str, str]:
    """Versions of Python and of the libraries that this process loaded, and the kernels that they chose for the CPU."""
    loaded = {name: str(sys.modules[name].__version__) for name in LIBRARIES if name in sys.modules}
    return {"python": platform.python_version()} | loaded | _kernels()


def _kernels() -> dict[str, str]:
    """numpy's BLAS and torch's kernels differ with the processor, and with them the last digits of a result."""
    chosen = {}
    with suppress(ImportError):  # an environment of a method's own may lack it
        import threadpoolctl

        libraries = [item for item in threadpoolctl.threadpool_info() if item["user_api"] == "blas"]
        named = {" ".join(str(item.get(key, "")) for key in BLAS_FACTS) for item in libraries}
        chosen["blas"] = ", ".join(sorted(named))
    if "torch" in sys.modules:
        chosen["torch kernels"] = sys.modules["torch"].backends.cpu.get_cpu_capability()
    return chosen


def peak_bytes() -> int:
    """The most memory this process ever held, from Linux; 0 elsewhere, where the parent's samples must do.

    Not ru_maxrss: it starts from the size of the process that started this one.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    kilobytes = next((line.split()[1] for line in status.splitlines() if line.startswith("VmHWM:")), "0")
    return int(kilobytes) * 1024


if __name__ == "__main__":
    main(Path(sys.argv[1]))
