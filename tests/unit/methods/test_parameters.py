"""Parameters: what is refused and how it is said, what is filled in, how words become values."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from methods.contract.errors import MethodError
from methods.contract.parameters import as_settings, complete_parameters, parse_settings

PROPERTIES: dict[str, dict[str, Any]] = {
    "dimensions": {"type": "integer", "minimum": 1, "default": 128, "description": "size of a vector"},
    "p": {"type": "number", "exclusiveMinimum": 0, "maximum": 4, "default": 1.0, "description": "return"},
    "order": {"type": "string", "enum": ["first", "second"], "default": "first", "description": "proximity"},
    "normalize": {"type": "boolean", "default": False, "description": "unit length"},
    "window": {"type": ["integer", "null"], "minimum": 1, "default": None, "description": "all if null"},
    "layers": {
        "type": "array",
        "items": {"type": "integer", "minimum": 1},
        "maxItems": 3,
        "default": [64],
        "description": "sizes",
    },
    "name": {"type": "string", "maxLength": 5, "default": "", "description": "any text"},
}


def complete(given: Any) -> dict[str, Any]:
    return complete_parameters(PROPERTIES, given, "parameters.toy")


def test_what_is_not_given_has_its_default() -> None:
    assert complete({"p": 2}) == {key: schema["default"] for key, schema in PROPERTIES.items()} | {"p": 2.0}


def test_defaults_of_a_variant_stand_in_for_those_of_the_schema() -> None:
    values = complete_parameters(PROPERTIES, {"p": 2}, "x", defaults={"dimensions": 4, "p": 3})
    assert (values["dimensions"], values["p"]) == (4, 2.0)


def test_a_number_is_a_float_and_an_integer_an_int_however_they_are_written() -> None:
    values = complete({"p": 1, "dimensions": 64.0, "window": 2.0})
    assert [type(values[key]) for key in ("p", "dimensions", "window")] == [float, int, int]


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"dimension": 4}, "parameters.toy: unknown parameter 'dimension'; did you mean 'dimensions'?"),
        (
            {"zzz": 4},
            "parameters.toy: unknown parameter 'zzz'; known are dimensions, p, order, normalize, window, layers, name",
        ),
        ({1: 4}, "parameters.toy: unknown parameter 1; known are"),
        ({"dimensions": 0}, "parameters.toy: parameter dimensions is 0, but must be an integer, at least 1"),
        ({"dimensions": "many"}, 'parameter dimensions is "many", but must be an integer, at least 1'),
        ({"dimensions": True}, "parameter dimensions is true, but must be an integer, at least 1"),
        ({"dimensions": 1.5}, "parameter dimensions is 1.5, but must be an integer"),
        ({"dimensions": 10**30}, "parameter dimensions is 1000000000000000000000000000000, but must be an integer"),
        ({"p": 0}, "parameter p is 0, but must be a number, more than 0, at most 4"),
        ({"p": float("nan")}, "parameter p is NaN, but must be a number, more than 0, at most 4"),
        ({"p": None}, "parameter p is null, but must be a number"),
        ({"order": "third"}, 'parameter order is "third", but must be one of "first", "second"'),
        ({"normalize": "yes"}, 'parameter normalize is "yes", but must be true or false'),
        ({"window": 0}, "parameter window is 0, but must be an integer or null, at least 1"),
        ({"layers": [3, 0]}, "parameter layers is [3, 0], but must be a list, at most 3 items, each an integer, at le"),
        ({"layers": [float("inf")]}, "parameter layers is [Infinity], but must be a list"),
        ({"name": "x" * 500}, "x…, but must be a text, at most 5 characters"),
        ([1, 2], "parameters.toy: parameters are a mapping of names to values, not [1, 2]"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_value_and_what_is_allowed(given: Any, sentence: str) -> None:
    with pytest.raises(MethodError) as refusal:
        complete(given)
    said = str(refusal.value)
    assert sentence in said
    assert "\n" not in said
    assert len(said) < 300


@pytest.mark.parametrize(
    ("word", "value"),
    [
        ("dimensions=32", 32),
        ("dimensions= 32", 32),
        ("p=1e-3", 0.001),
        ("p=2", 2.0),
        ("order=second", "second"),
        ("normalize=true", True),
        ("normalize=No", False),
        ("window=null", None),
        ("window=7", 7),
        ("layers=[8, 4]", [8, 4]),
        ("name=1", "1"),
        ("name=a=b", "a=b"),
        ("name=", ""),
    ],
)
def test_a_word_is_read_in_the_type_of_its_parameter(word: str, value: object) -> None:
    (read,) = parse_settings(PROPERTIES, [word]).values()
    assert (read, type(read)) == (value, type(value))


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["p"], "--set p: write it as key=value"),
        (["p=1", "p=2"], "--set p=2: p is set twice"),
        (["q=1"], "--set q=1: unknown parameter 'q'"),
        (["dimensions=1.5"], '--set dimensions=1.5: parameter dimensions is "1.5", but must be an integer, at least 1'),
        (["p=inf"], "--set p=inf: parameter p is Infinity, but must be a number"),
        (["normalize=1"], '--set normalize=1: parameter normalize is "1", but must be true or false'),
        (["layers=8,4"], '--set layers=8,4: parameter layers is "8,4", but must be a list'),
    ],
)
def test_a_wrong_word_is_refused_with_one_sentence(words: list[str], sentence: str) -> None:
    with pytest.raises(MethodError) as refusal:
        parse_settings(PROPERTIES, words)
    assert sentence in str(refusal.value)


@given(
    st.fixed_dictionaries(
        {},
        optional={
            "dimensions": st.integers(1, 2**40),
            "p": st.floats(0, 4, exclude_min=True),
            "normalize": st.booleans(),
            "window": st.none() | st.integers(1, 9),
            "layers": st.lists(st.integers(1, 9), max_size=3),
            "name": st.sampled_from(["", "a", "a b", "=", "null"]),
        },
    )
)
def test_words_made_from_parameters_read_back_as_the_same(parameters: dict[str, Any]) -> None:
    assert parse_settings(PROPERTIES, as_settings(parameters)) == parameters
