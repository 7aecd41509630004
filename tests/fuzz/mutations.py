"""Inputs near to sound documents: a few cuts, copies, flipped bytes and telling pieces, now and then plain rubbish."""

from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

MOST_CHANGES = 6
LONGEST_SLICE = 40


@st.composite
def mutated(draw: st.DrawFn, documents: list[bytes], pieces: tuple[bytes, ...]) -> bytes:
    """A sound document with up to MOST_CHANGES changes; none of them now and then, so that it stays sound."""
    contents = draw(st.sampled_from(documents))
    for _ in range(draw(st.integers(0, MOST_CHANGES))):
        start = draw(st.integers(0, len(contents)))
        end = min(len(contents), start + draw(st.integers(0, LONGEST_SLICE)))
        change = draw(st.sampled_from(("insert", "replace", "delete", "repeat", "move", "byte", "cut")))
        piece = draw(st.sampled_from(pieces) if pieces else st.binary(max_size=8))
        if change == "insert":
            contents = contents[:start] + piece + contents[start:]
        elif change == "replace":
            contents = contents[:start] + piece + contents[end:]
        elif change == "delete":
            contents = contents[:start] + contents[end:]
        elif change == "repeat":
            contents = contents[:end] + contents[start:]
        elif change == "move":
            contents = contents[end:] + contents[:end]
        elif change == "byte":
            contents = contents[:start] + draw(st.binary(min_size=1, max_size=1)) + contents[start + 1 :]
        else:
            contents = contents[:start]
    return contents


def inputs(documents: list[bytes], pieces: tuple[bytes, ...]) -> st.SearchStrategy[bytes]:
    return mutated(documents, pieces) | mutated(documents, pieces) | st.binary(max_size=200)


values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats()
    | st.sampled_from(["", "..", "/etc", "-x", "a b", "$(id)", "{x}", "ünï", "random", "tiny_communities", "1" * 5000])
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)


@st.composite
def changed_values(draw: st.DrawFn, document: Any) -> Any:
    """A copy of a sound document with one to three of its values, at any depth, replaced, left out or put elsewhere."""
    changed = deepcopy(document)
    for _ in range(draw(st.integers(1, 3))):
        place = changed
        while isinstance(place, dict | list) and place:
            key = draw(st.sampled_from(list(place) if isinstance(place, dict) else range(len(place))))
            if not isinstance(place[key], dict | list) or not place[key] or draw(st.booleans()):
                break
            place = place[key]
        else:
            continue
        change = draw(st.sampled_from(("replace", "leave out", "rename")))
        if change == "replace" or isinstance(place, list):
            place[key] = draw(values)
        elif change == "leave out":
            del place[key]
        else:
            place[draw(st.sampled_from([f"{key}s", "parameters", "", "name"]))] = place.pop(key)
    return changed
