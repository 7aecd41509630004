"""YAML files that people write: read without surprises, with one sentence, and the line, for what is wrong."""

from collections.abc import Hashable
from pathlib import Path
from typing import Any

import yaml

from harness.errors import UserError


class _PlainLoader(yaml.SafeLoader):
    """YAML without aliases (a few lines of them can unfold to gigabytes) and without a key that stands twice."""

    def compose_node(self, parent: yaml.Node | None, index: int) -> yaml.Node | None:
        if self.check_event(yaml.AliasEvent):
            mark = self.peek_event().start_mark
            raise yaml.MarkedYAMLError(problem="aliases (*name) are not read here", problem_mark=mark)
        return super().compose_node(parent, index)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key_node, _ in node.value:
            if not isinstance(key_node, yaml.ScalarNode) or not isinstance(self.construct_object(key_node), str):
                problem = "a key must be a text; quote it if it looks like a number, yes, no, on or off"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            if key_node.value in seen:
                problem = f"the key {key_node.value} stands twice"
                raise yaml.MarkedYAMLError(problem=problem, problem_mark=key_node.start_mark)
            seen.add(key_node.value)
        return super().construct_mapping(node, deep)


def read_yaml(path: Path, error: type[UserError]) -> Any:
    """The contents of the file; what is wrong with it is raised as `error`."""
    try:
        # A SafeLoader: it makes no Python objects.
        return yaml.load(path.read_text(encoding="utf-8"), Loader=_PlainLoader)  # noqa: S506
    except yaml.MarkedYAMLError as problem:
        line = f":{problem.problem_mark.line + 1}" if problem.problem_mark else ""
        raise error(f"{path}{line}: {problem.problem}") from None
    except yaml.YAMLError as problem:
        raise error(f"{path}: not YAML ({' '.join(str(problem).split())})") from None
    except UnicodeDecodeError:
        raise error(f"{path}: not UTF-8 text") from None
    except OSError as problem:
        raise error(f"{path}: cannot be read ({problem.strerror})") from None
    except (RecursionError, ValueError, TypeError) as problem:
        # Nesting without end, dates such as 2020-99-99, numbers of thousands of digits.
        raise error(f"{path}: not readable as YAML ({problem})") from None
