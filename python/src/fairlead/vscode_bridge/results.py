"""What requests answer with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Dict, Optional, TypedDict, Union

from .values import Range, range_of


class ChatMessage(TypedDict):
    #: `user` or `assistant`
    role: str
    content: str
    #: Milliseconds since 1970.
    timestamp: int


class Chat(str):
    """The answer of a language model: a text that knows its conversation, so that it can be gone on with."""

    conversation_id: str
    #: The id of the model that answered; '' when the window does not say.
    model: str

    def __new__(cls, text: str, conversation_id: str = "", model: str = "") -> "Chat":
        chat = super().__new__(cls, text)
        chat.conversation_id = conversation_id
        chat.model = model
        return chat


@dataclass(frozen=True)
class OpenedFile:
    path: str
    uri: str
    language_id: str
    line_count: int


@dataclass(frozen=True)
class Diagnostic:
    path: str
    uri: str
    range: Range
    #: `error`, `warning`, `information` or `hint`
    severity: str
    message: str
    source: Optional[str]
    code: Optional[Union[str, int]]


@dataclass(frozen=True)
class DiffText:
    """A text as one side of `show_diff`, shown read-only under a name."""

    text: str
    name: Optional[str] = None


def opened_file_of(result: Dict[str, Any]) -> OpenedFile:
    return OpenedFile(result["path"], result["uri"], result["languageId"], result["lineCount"])


def diagnostic_of(value: Dict[str, Any]) -> Diagnostic:
    return Diagnostic(
        path=value["path"],
        uri=value["uri"],
        range=range_of(value["range"]),
        severity=value["severity"],
        message=value["message"],
        source=value.get("source"),
        code=value.get("code"),
    )
