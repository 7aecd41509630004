"""Methods are found by their folders, and a wrong method.yaml is refused with its file and key."""

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from methods.contract.description import PLACEHOLDERS
from methods.contract.errors import MethodError
from methods.contract.registry import load_method, method_code, method_names, parameters_schema, resolve

GOOD = """\
label: Toy
role: baseline
citation: nobody
description: for tests
parameters:
  dimensions: {type: integer, minimum: 1, default: 8, description: size}
  p: {type: number, minimum: 0, default: 1, description: return}
  order: {type: string, enum: [first, second], default: first, description: proximity}
search: {p: [0.5, 1]}
variants:
  toy_10: {label: Toy_10, threads: 10, purpose: timing}
  toy_second: {label: Toy-2, purpose: ablation, parameters: {order: second, p: 1}}
needs: {threads: 2, gpu: false}
conformance: {dimensions: 2}
"""


def put(folder: Path, name: str = "toy", text: str = GOOD, file: str | None = "fit.py") -> Path:
    method = folder / "methods" / name
    method.mkdir(parents=True)
    (method / "__init__.py").touch()
    (method / "method.yaml").write_text(text)
    if file:
        (method / file).touch()
    return folder / "methods"


def test_a_folder_with_a_method_yaml_is_a_method_and_no_other_is(tmp_path: Path) -> None:
    methods = put(tmp_path)
    (methods / "walks").mkdir()
    assert method_names(folder=methods) == ["toy"]
    assert method_names(variants=True, folder=methods) == ["toy", "toy_10", "toy_second"]


def test_a_method_is_what_its_file_says(tmp_path: Path) -> None:
    method = load_method("toy", put(tmp_path))
    assert (method.label, method.role, method.kind, method.threads) == ("Toy", "baseline", "fit", 2)
    assert method.defaults == {"dimensions": 8, "p": 1.0, "order": "first"}
    assert (method.variant_of, method.purpose) == (None, None)
    assert method.module == "methods.toy.fit"


def test_a_variant_is_its_method_under_other_settings(tmp_path: Path) -> None:
    methods = put(tmp_path)
    timing, ablation = load_method("toy_10", methods), load_method("toy_second", methods)
    assert (timing.label, timing.threads, timing.variant_of, timing.purpose) == ("Toy_10", 10, "toy", "timing")
    assert (ablation.threads, ablation.defaults["order"], ablation.purpose) == (2, "second", "ablation")
    assert ablation.folder == load_method("toy", methods).folder


def test_a_method_may_stand_apart_from_the_comparison(tmp_path: Path) -> None:
    methods = put(tmp_path, text=GOOD.replace("role: baseline", "role: baseline\npurpose: extra"))
    assert (load_method("toy", methods).purpose, load_method("toy_10", methods).purpose) == ("extra", "timing")


def test_an_edited_file_is_read_again(tmp_path: Path) -> None:
    methods = put(tmp_path)
    load_method("toy", methods)
    (methods / "toy" / "method.yaml").write_text(GOOD.replace("label: Toy\n", "label: Another\n"))
    assert load_method("toy", methods).label == "Another"


def test_an_unknown_name_is_answered_with_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match=r"no method named 'toy_sceond'; did you mean 'toy_second'\?"):
        load_method("toy_sceond", put(tmp_path))


def test_the_configuration_of_a_method_holds_for_its_variant_unless_the_variant_says_otherwise(tmp_path: Path) -> None:
    section = {"toy": {"dimensions": 4, "p": 3, "order": "first"}, "toy_second": {"dimensions": 5}}
    methods = put(tmp_path)
    assert resolve("toy", section, methods) == {"dimensions": 4, "p": 3.0, "order": "first"}
    assert resolve("toy_10", section, methods) == {"dimensions": 4, "p": 3.0, "order": "first"}
    assert resolve("toy_second", section, methods) == {"dimensions": 5, "p": 1.0, "order": "second"}
    assert resolve("toy", None, methods)["dimensions"] == 8


def test_the_schema_of_the_configuration_knows_every_method_and_parameter(tmp_path: Path) -> None:
    schema = parameters_schema(put(tmp_path))
    Draft202012Validator.check_schema(schema)
    validator = Draft202012Validator(schema)
    assert validator.is_valid({"toy": {"p": 2}, "toy_second": {"dimensions": 1}})
    assert not validator.is_valid({"toy": {"q": 2}})
    assert not validator.is_valid({"toy": {"p": -1}})
    assert not validator.is_valid({"toi": {}})


def test_the_schema_leaves_filling_in_defaults_to_the_method(tmp_path: Path) -> None:
    properties = parameters_schema(put(tmp_path))["properties"]["toy_second"]["properties"]
    assert "default" not in properties["order"]
    assert properties["order"]["description"] == 'proximity (default: "second")'


def test_the_code_of_a_method_is_its_modules_and_its_description(tmp_path: Path) -> None:
    methods = put(tmp_path)
    (methods / "__init__.py").touch()
    (methods / "contract").mkdir()
    for name in ("__init__", "run", "registry"):
        (methods / "contract" / f"{name}.py").touch()
    (methods / "toy" / "fit.py").write_text("from methods.contract.run import Run\n")
    names = [str(path.relative_to(methods)) for path in method_code("toy_10", methods)]
    assert names == [
        "__init__.py",
        "contract/__init__.py",
        "contract/run.py",
        "toy/__init__.py",
        "toy/fit.py",
        "toy/method.yaml",
    ]


def test_the_code_of_a_program_is_its_folder(tmp_path: Path) -> None:
    methods = put(tmp_path, text=GOOD + 'command: [awk, -f, "{folder}/embed.awk", "{edges}"]\n', file="embed.awk")
    assert [path.name for path in method_code("toy", methods)] == ["__init__.py", "embed.awk", "method.yaml"]


def test_importing_the_registry_loads_no_numerical_library() -> None:
    code = (
        "import sys, methods.contract.registry; print(sorted({'numpy', 'numba', 'torch', 'pandas'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def replaced(old: str, new: str) -> str:
    assert old in GOOD
    return GOOD.replace(old, new)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is null, but must be a mapping of keys to values"),
        ("- 1\n", "is [1], but must be a mapping of keys to values"),
        ("label: [\n", ":2: expected the node content"),
        ("label: !!python/object/apply:os.system [ls]\n", ":1: could not determine a constructor for the tag"),
        ("a: &x [1]\nb: *x\n", ":2: aliases (*name) are not read here"),
        (replaced("role: baseline", "role: baseline\nrole: control"), ":3: the key role stands twice"),
        (replaced("role: baseline", "role: baseline\non: 1"), ":3: a key must be a text"),
        (replaced("label: Toy\n", ""), "the key 'label' is missing"),
        (replaced("role: baseline", "role: hero"), 'key role is "hero", but must be one of "proposed", "baseline"'),
        (replaced("label: Toy\n", "label: 3\n"), "key label is 3, but must be a text"),
        (replaced("search:", "serach:"), "unknown key 'serach'; did you mean 'search'?"),
        (replaced("default: 8", "defualt: 8"), "key parameters.dimensions: unknown key 'defualt'; did you mean 'defau"),
        (replaced(", default: 8", ""), "key parameters.dimensions: the key 'default' is missing"),
        (replaced("type: integer", "type: whole"), 'key parameters.dimensions.type: "whole" is none of the forms that'),
        (replaced("type: integer", '$ref: "http://localhost/x"'), "key parameters.dimensions: unknown key '$ref'"),
        (replaced("default: 8", "default: 0"), "key parameters: parameter dimensions is 0, but must be an integer, at"),
        (replaced("default: 8", "default: .nan"), "key parameters.dimensions.default is NaN, but must be"),
        (replaced("  p: {", "  2p: {"), 'key parameters is "2p", but must be a value, matching'),
        (replaced("{p: [0.5, 1]}", "{p: [0.5, -1]}"), "key search.p: parameter p is -1, but must be a number, at leas"),
        (replaced("{p: [0.5, 1]}", "{q: [0.5, 1]}"), "key search.q: unknown parameter 'q'"),
        (replaced("{p: [0.5, 1]}", "{p: 1}"), "key search.p is 1, but must be a list"),
        (replaced("order: second,", "ordre: second,"), "key variants.toy_second: unknown parameter 'ordre'; did you m"),
        (replaced("toy_10:", "Toy-10:"), '"Toy-10" is no name; use small letters, digits and _'),
        (replaced("  toy_10:", "  toy:"), "key variants.toy: the name is taken by the method itself"),
        (replaced("purpose: timing", "purpose: fun"), 'key variants.toy_10.purpose is "fun", but must be one of "timi'),
        (replaced("threads: 10", "threads: 0"), "key variants.toy_10.threads is 0, but must be an integer, at least 1"),
        (replaced("gpu: false", "gpu: maybe"), 'key needs.gpu is "maybe", but must be true or false'),
        (replaced("gpu: false", "memory: {base_mb: 100}"), "key needs: unknown key 'memory'"),
        (replaced("{dimensions: 2}", "{dimensions: two}"), 'key conformance: parameter dimensions is "two"'),
        (GOOD + "command: awk {edges}\n", 'key command is "awk {edges}", but must be a list'),
        (GOOD + 'command: [awk, "{egdes}"]\n', "key command: unknown placeholder in '{egdes}'; did you mean 'edges'?"),
        (GOOD + 'command: [awk, "{seed.__class__}"]\n', "key command: unknown placeholder in '{seed.__class__}'"),
        (GOOD + 'command: [awk, "{"]\n', "key command: '{': "),
        (GOOD + 'command: [awk, "{edges}"]\n', "a method has one of fit.py, score.py and the key command; found fit a"),
        ("[" * 100_000, "not readable as YAML"),
        ("label: 2020-99-99\n", "not readable as YAML"),
    ],
)
def test_a_wrong_description_is_refused_with_its_file_and_key(text: str, sentence: str, tmp_path: Path) -> None:
    methods = put(tmp_path, text=text)
    with pytest.raises(MethodError) as refusal:
        load_method("toy", methods)
    said = str(refusal.value)
    assert said.startswith(str(methods / "toy" / "method.yaml"))
    assert sentence in said
    assert "\n" not in said


@pytest.mark.parametrize("name", PLACEHOLDERS)
def test_a_parameter_of_a_program_cannot_have_the_name_of_a_placeholder(name: str, tmp_path: Path) -> None:
    text = replaced("  p: {", f"  {name}: {{type: integer, default: 1, description: mine}}\n  p: {{")
    methods = put(tmp_path, text=text + f'command: [awk, "{{{name}}}"]\n', file=None)
    with pytest.raises(MethodError) as refusal:
        load_method("toy", methods)
    sentence = f"key parameters.{name}: in a command {{{name}}} has a meaning already; choose another name"
    assert str(refusal.value) == f"{methods / 'toy' / 'method.yaml'}: {sentence}"


def test_a_parameter_of_a_function_can_have_any_name(tmp_path: Path) -> None:
    methods = put(tmp_path, text=replaced("  p: {", "  nodes: {type: integer, default: 1, description: mine}\n  p: {"))
    assert load_method("toy", methods).defaults["nodes"] == 1


def test_a_description_that_is_not_text_is_refused(tmp_path: Path) -> None:
    methods = put(tmp_path)
    (methods / "toy" / "method.yaml").write_bytes(b"\xff\xfe\x00label")
    with pytest.raises(MethodError, match=r"method\.yaml: not UTF-8 text"):
        load_method("toy", methods)


def test_a_folder_without_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MethodError, match=r"a method has one of .* found none"):
        load_method("toy", put(tmp_path, file=None))


@pytest.mark.parametrize("name", ["Toy", "2toy", "toy-1", "tÖy"])
def test_a_folder_with_a_name_that_cannot_be_imported_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(MethodError, match="the name of a method's folder is small letters"):
        method_names(folder=put(tmp_path, name))


def test_a_variant_cannot_take_the_name_of_another_method(tmp_path: Path) -> None:
    put(tmp_path)
    methods = put(tmp_path, "uncle", GOOD.replace("toy_10", "toy"))
    with pytest.raises(MethodError, match=r"uncle/method\.yaml: key variants\.toy: the name is taken"):
        method_names(variants=True, folder=methods)


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="abc:{}[],-\n \"'&*!|>#%@0.~?\t", max_size=60))
def test_no_text_brings_more_than_one_sentence(text: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        methods = put(Path(folder), text=text)
        with pytest.raises(MethodError) as refusal:
            load_method("toy", methods)
        assert "\n" not in str(refusal.value)
