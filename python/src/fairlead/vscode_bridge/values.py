"""VS Code's own objects, as arguments and results of commands, and their forms in JSON."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Dict, Union

from .errors import InvalidRequestError


@dataclass(frozen=True, order=True)
class Position:
    """Both count from 0; characters are UTF-16 units, as everywhere in VS Code."""

    line: int
    character: int = 0


@dataclass(frozen=True)
class Range:
    """`end` is the first position that is not part of it."""

    start: Position
    end: Position


@dataclass(frozen=True)
class Selection:
    """A selection has a direction: `active` is where the cursor is."""

    anchor: Position
    active: Position


@dataclass(frozen=True)
class Uri:
    value: str

    @classmethod
    def file(cls, path: Union[str, "os.PathLike[str]"]) -> "Uri":
        return cls(Path(os.path.abspath(path)).as_uri())

    def __str__(self) -> str:
        return self.value


@dataclass(frozen=True)
class Location:
    uri: Uri
    range: Range


def to_json(value: Any) -> Any:
    """The form in which a value travels."""
    try:
        return _to_json(value)
    except RecursionError as error:
        reason = "A value cannot be sent to VS Code: it contains itself, or is nested too deeply."
        raise InvalidRequestError(reason, "invalid_params") from error


def _to_json(value: Any) -> Any:
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if isinstance(value, dict):
        return {_name(key): _to_json(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_to_json(each) for each in value]
    if isinstance(value, Uri):
        return {"$type": "Uri", "value": value.value}
    if isinstance(value, Position):
        return {"$type": "Position", **position_json(value)}
    if isinstance(value, Range):
        return {"$type": "Range", **range_json(value)}
    if isinstance(value, Selection):
        ends = {"anchor": position_json(value.anchor), "active": position_json(value.active)}
        return {"$type": "Selection", **ends}
    if isinstance(value, Location):
        return {"$type": "Location", "uri": value.uri.value, "range": range_json(value.range)}
    hint = "; use Uri.file(path) for a file" if isinstance(value, os.PathLike) else ""
    reason = f"A value of type {type(value).__name__} cannot be sent to VS Code{hint}."
    raise InvalidRequestError(reason, "invalid_params")


def from_json(value: Any) -> Any:
    """The reverse of `to_json`. What has no class here stays as it is."""
    if isinstance(value, list):
        return [from_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    kind = value.get("$type")
    if kind == "Uri":
        return Uri(value["value"])
    if kind == "Position":
        return position_of(value)
    if kind == "Range":
        return range_of(value)
    if kind == "Selection":
        return Selection(position_of(value["anchor"]), position_of(value["active"]))
    if kind == "Location":
        return Location(Uri(value["uri"]), range_of(value["range"]))
    return {key: from_json(each) for key, each in value.items()}


def position_json(position: Position) -> Dict[str, int]:
    return {"line": position.line, "character": position.character}


def range_json(value: Range) -> Dict[str, Dict[str, int]]:
    return {"start": position_json(value.start), "end": position_json(value.end)}


def position_of(value: Dict[str, Any]) -> Position:
    return Position(value["line"], value["character"])


def range_of(value: Dict[str, Any]) -> Range:
    return Range(position_of(value["start"]), position_of(value["end"]))


def _name(key: Any) -> str:
    if isinstance(key, str):
        return key
    raise InvalidRequestError(f"The key {key!r} cannot be sent to VS Code: use a text.", "invalid_params")
