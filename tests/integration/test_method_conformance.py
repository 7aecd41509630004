"""The contract of docs/add-a-method.md, checked on every method folder that there is; a new folder is found by itself.

Fits run with the small `conformance:` parameters of `method.yaml` and in this process, except where the child process
is the point. Networks are stored and opened again first, as in a real run: mapped arrays cannot be written to.
"""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from methods.contract.errors import MethodError
from methods.contract.parameters import complete_parameters
from methods.contract.registry import load_method, method_names
from methods.contract.run import Epoch, Run
from methods.running.child import method_function, perform_fit, perform_score, refuse_empty
from methods.running.environments import EnvironmentBuildError, interpreter
from methods.running.job import Job, run_job
from methods.running.limits import Limits
from networks.network import TemporalNetwork
from tests.conftest import network_of

EMBEDDING = [name for name in method_names() if load_method(name).kind != "score"]
# A process in another environment may compile for 20 seconds; these stand for all in the tests of many small networks.
HERE = [name for name in EMBEDDING if load_method(name).environment is None]
SCORING = [name for name in method_names() if load_method(name).kind == "score"]
VARIANTS = [name for name in method_names(variants=True) if name not in method_names()]

CANNOT_BE_MADE: dict[Path | None, str] = {}

DEGENERATE = {
    "one edge": [(0, 1, 5)],
    "one timestamp": [(0, 1, 7), (1, 2, 7), (2, 3, 7), (3, 0, 7)],
    "star": [(0, leaf, leaf) for leaf in range(1, 6)],
    "two components": [(0, 1, 1), (3, 4, 2), (1, 2, 3), (3, 4, 4), (2, 0, 5)],
    "one pair again and again": [(0, 1, time) for time in range(6)],
    "one pair again and again at once": [(0, 1, 3)] * 6,
    "times that are not whole": [(0, 1, 0.25), (1, 2, 0.5), (2, 0, 0.5), (0, 3, 1.75)],
    "times before zero": [(0, 1, -30), (1, 2, -20), (2, 3, -10)],
    "times in nanoseconds": [(0, 1, 1_700_000_000_000_000_000), (1, 2, 1_700_000_000_000_000_001), (2, 0, 2**62)],
}


def stored(network: TemporalNetwork, folder: Path) -> TemporalNetwork:
    network.save(folder / "network.arrow")
    return TemporalNetwork.load(folder / "network.arrow")


def small_parameters(name: str) -> dict[str, Any]:
    """Defaults, then `conformance:`, then what makes a variant that variant."""
    method = load_method(name)
    own = load_method(method.variant_of).variants[name].get("parameters", {}) if method.variant_of else {}
    return complete_parameters(method.parameters, method.conformance | own, name, method.defaults)


def fitted(name: str, network: TemporalNetwork, seed: int = 1, run: Run | None = None) -> NDArray[np.float32]:
    if load_method(name).environment is not None:
        return fitted_elsewhere(name, network, run or Run(seed))
    return perform_fit(load_method(name), network, small_parameters(name), run or Run(seed))


def fitted_elsewhere(name: str, network: TemporalNetwork, run: Run) -> NDArray[np.float32]:
    """By a process in the method's own environment, which a test skips if it cannot be made here."""
    refuse_empty(network)
    with TemporaryDirectory() as folder:
        network.save(Path(folder) / "train.arrow")
        job = Job("fit", name, small_parameters(name), Path(folder) / "train.arrow", Path(folder) / "out", run.seed)
        record = run_job(job, Limits())
        assert (record["status"], record["reason"]) == ("ok", None)
        run.epochs += [Epoch(**epoch) for epoch in record["epochs"]]
        vectors: NDArray[np.float32] = np.load(job.array_path)
        return vectors


@pytest.fixture(autouse=True)
def environment_or_skip(request: pytest.FixtureRequest) -> None:
    """Methods with an environment of their own need the packages it names, from the registry or a cache."""
    name = getattr(request.node, "callspec", None) and request.node.callspec.params.get("name")
    environment = load_method(name).environment if name else None
    if environment in CANNOT_BE_MADE:
        pytest.skip(CANNOT_BE_MADE[environment])
    try:
        interpreter(environment)
    except EnvironmentBuildError as error:
        CANNOT_BE_MADE[environment] = str(error)
        pytest.skip(str(error))


def scored(name: str, network: TemporalNetwork, pairs: Any, seed: int = 1, run: Run | None = None) -> NDArray[Any]:
    return perform_score(load_method(name), network, pairs, small_parameters(name), run or Run(seed))


def all_pairs(network: TemporalNetwork) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[Any]]:
    """Every ordered pair of different nodes, one unit of time after the end of training."""
    source, target = np.nonzero(~np.eye(network.n_nodes, dtype=bool))
    return source.astype(np.int32), target.astype(np.int32), np.full(len(source), network.time[-1] + 1)


def town(seed: int = 0, n_edges: int = 120) -> TemporalNetwork:
    """24 people in two groups who mostly meet within their group; people 0, 11 and 23 meet nobody."""
    rng = np.random.default_rng(seed)
    contacts: list[tuple[int, int, float]] = []
    while len(contacts) < n_edges:
        u, v = (int(person) for person in rng.integers(1, 23, 2))
        if u != v and 11 not in (u, v) and ((u < 11) == (v < 11) or rng.random() < 0.1):
            contacts.append((u, v, 1000 + 10 * len(contacts)))
    return network_of(contacts, n_nodes=24, name="town")


@pytest.fixture(scope="module")
def training(tmp_path_factory: pytest.TempPathFactory) -> TemporalNetwork:
    return stored(town(), tmp_path_factory.mktemp("town"))


@pytest.mark.parametrize("name", EMBEDDING)
def test_fit_returns_one_finite_float32_vector_per_node_also_for_nodes_without_contact(
    name: str, training: TemporalNetwork
) -> None:
    method, params, run = load_method(name), small_parameters(name), Run(1)
    if method.environment is not None:
        embeddings = fitted(name, training, run=run)
    elif method.kind == "fit":
        embeddings = method_function(method)(training, params, run)
    else:
        embeddings = perform_fit(method, training, params, run)
    assert embeddings.dtype == np.float32
    assert embeddings.shape == (24, params.get("dimensions", embeddings.shape[1]))
    assert np.isfinite(embeddings).all()


@pytest.mark.parametrize("name", EMBEDDING)
def test_fit_records_the_unit_and_amount_of_work_of_every_epoch(name: str, training: TemporalNetwork) -> None:
    run = Run(1)
    fitted(name, training, run=run)
    assert run.epochs
    assert all(epoch.work > 0 and epoch.unit for epoch in run.epochs)


@pytest.mark.parametrize("name", EMBEDDING)
def test_two_processes_with_one_seed_and_one_thread_write_the_same_bytes(
    name: str, training: TemporalNetwork, tmp_path: Path
) -> None:
    training.save(tmp_path / "train.arrow")
    jobs = [
        Job("fit", name, small_parameters(name), tmp_path / "train.arrow", tmp_path / f"run-{run}", seed=7)
        for run in (1, 2)
    ]
    records = [run_job(job, Limits()) for job in jobs]
    assert [(record["status"], record["reason"]) for record in records] == [("ok", None)] * 2
    assert jobs[0].array_path.read_bytes() == jobs[1].array_path.read_bytes()


@pytest.mark.parametrize("name", EMBEDDING)
def test_fit_runs_with_two_threads(name: str, training: TemporalNetwork, tmp_path: Path) -> None:
    training.save(tmp_path / "train.arrow")
    job = Job("fit", name, small_parameters(name), tmp_path / "train.arrow", tmp_path / "out", threads=2)
    record = run_job(job, Limits())
    assert (record["status"], record["reason"]) == ("ok", None)


@pytest.mark.parametrize("name", EMBEDDING)
def test_another_seed_gives_another_embedding_unless_the_method_is_deterministic(
    name: str, training: TemporalNetwork
) -> None:
    same = np.array_equal(fitted(name, training, seed=1), fitted(name, training, seed=2))
    assert same == load_method(name).deterministic


@pytest.mark.parametrize("name", EMBEDDING)
def test_fit_does_not_see_the_held_out_contacts(name: str) -> None:
    """They lie right behind the training contacts in memory, where an index out of bounds would find them."""
    whole, other = town(seed=0), town(seed=1)
    n_training = 90
    changed = TemporalNetwork(
        np.concatenate([whole.source[:n_training], other.source[n_training:]]),
        np.concatenate([whole.target[:n_training], other.target[n_training:]]),
        np.concatenate([whole.time[:n_training], 10 * other.time[n_training:]]),
        whole.labels,
        name="another town",
        facts={"edges": 1, "times": [0, 1]},
    )
    assert np.array_equal(fitted(name, whole.first(n_training)), fitted(name, changed.first(n_training)))


@pytest.mark.parametrize("contacts", DEGENERATE.values(), ids=DEGENERATE.keys())
@pytest.mark.parametrize("name", HERE)
def test_fit_copes_with_a_degenerate_network(name: str, contacts: Any, tmp_path: Path) -> None:
    network = stored(network_of(contacts), tmp_path)
    run = Run(1)
    assert len(fitted(name, network, run=run)) == network.n_nodes


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_runs_as_its_method_does(name: str, training: TemporalNetwork) -> None:
    if load_method(name).kind == "score":
        assert len(scored(name, training, all_pairs(training))) == 24 * 23
    else:
        assert len(fitted(name, training)) == 24


@pytest.mark.parametrize("name", SCORING)
def test_a_pair_scores_the_same_in_both_directions(name: str, training: TemporalNetwork) -> None:
    source, target, time = all_pairs(training)
    assert np.array_equal(
        scored(name, training, (source, target, time)), scored(name, training, (target, source, time))
    )


@pytest.mark.parametrize("name", SCORING)
def test_scores_are_finite_and_their_work_is_recorded(name: str, training: TemporalNetwork) -> None:
    run = Run(1)
    scores = scored(name, training, all_pairs(training), run=run)
    assert scores.shape == (24 * 23,)
    assert np.isfinite(scores).all()
    assert all(epoch.work > 0 and epoch.unit for epoch in run.epochs)


@pytest.mark.parametrize("name", SCORING)
def test_another_seed_gives_other_scores_unless_the_method_is_deterministic(
    name: str, training: TemporalNetwork
) -> None:
    pairs = all_pairs(training)
    same = np.array_equal(scored(name, training, pairs, seed=1), scored(name, training, pairs, seed=2))
    assert same == load_method(name).deterministic


@pytest.mark.parametrize("contacts", DEGENERATE.values(), ids=DEGENERATE.keys())
@pytest.mark.parametrize("name", SCORING)
def test_score_copes_with_a_degenerate_network(name: str, contacts: Any, tmp_path: Path) -> None:
    network = stored(network_of(contacts, n_nodes=8), tmp_path)
    assert len(scored(name, network, all_pairs(network))) == 8 * 7


@pytest.mark.parametrize("name", SCORING)
def test_score_of_no_pairs_is_no_scores(name: str, training: TemporalNetwork) -> None:
    none = np.empty(0, np.int32)
    assert len(scored(name, training, (none, none, np.empty(0, np.int64)))) == 0


@pytest.mark.parametrize("name", EMBEDDING + SCORING)
def test_an_empty_network_is_refused_with_a_sentence(name: str) -> None:
    empty = network_of([], n_nodes=3, name="nobody")
    with pytest.raises(MethodError, match="'nobody' has no contacts"):
        if name in EMBEDDING:
            fitted(name, empty)
        else:
            scored(name, empty, (np.array([0], np.int32), np.array([1], np.int32), np.array([0])))


@pytest.mark.parametrize("name", EMBEDDING + SCORING)
def test_bad_parameters_are_refused_by_name(name: str) -> None:
    properties = load_method(name).parameters
    with pytest.raises(MethodError, match="unknown parameter 'no_such_parameter'"):
        complete_parameters(properties, {"no_such_parameter": 1}, name)
    for key in properties:
        with pytest.raises(MethodError, match=f"parameter {key} is .*, but must be "):
            complete_parameters(properties, {key: {"neither": "number nor text"}}, name)
