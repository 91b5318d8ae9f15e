"""The requests a window knows, as values: the synchronous and the asynchronous functions send the same ones."""

from __future__ import annotations

import os
import uuid
from typing import Any, Dict, List, Mapping, Optional, Sequence, Union

from ._channel import Request
from ._seconds import seconds_of
from .errors import ChatRefusedError
from .results import Chat, ChatMessage, Diagnostic, DiffText, OpenedFile, diagnostic_of, opened_file_of
from .values import Position, Range, from_json, position_json, range_json, to_json

PathText = Union[str, "os.PathLike[str]"]
Model = Union[str, Mapping[str, str]]
Answer = Union[str, bool, List[str], None]
#: A label, or {"label": …, "description": …}.
Choice = Union[str, Mapping[str, str]]

#: For what takes the window a moment, and no person.
QUICK_SECONDS = 30.0
#: A command may have to wait until the user has read what it asks to do, and allowed it.
COMMAND_SECONDS = 120.0
#: Of a program whose work is done; it should not wait for a window that is gone.
_CLOSING_SECONDS = 1.0


def chat(
    message: str, timeout: Optional[float], conversation_id: Optional[str], model: Optional[Model], stream: bool
) -> Request[Chat]:
    params = _given(
        message=message,
        conversationId=conversation_id,
        model=model if model is None or isinstance(model, str) else dict(model),
        stream=stream or None,
    )
    return Request("vscode/chat", params, timeout, _read_chat, is_repeatable=False)


def get_chat_history(conversation_id: str, limit: int, timeout: Optional[float]) -> Request[List[ChatMessage]]:
    params = {"conversationId": conversation_id, "limit": limit}
    return Request("vscode/getChatHistory", params, timeout, lambda result: list(result.get("messages", [])))


def execute_command(command: str, args: Sequence[Any], timeout: Optional[float]) -> Request[Any]:
    params = {"command": command, "args": to_json(list(args))}
    return Request("vscode/executeCommand", params, timeout, _read_command, is_repeatable=False)


def show_message(
    message: str,
    level: str,
    buttons: Sequence[str],
    modal: bool,
    detail: Optional[str],
    timeout: Optional[float],
) -> Request[Optional[str]]:
    params = _given(
        message=message, level=level, buttons=list(buttons) or None, modal=modal or None, detail=detail
    )
    is_question = bool(buttons) or modal
    seconds = QUICK_SECONDS if timeout is None and not is_question else timeout
    return Request(
        "vscode/showMessage", params, seconds, lambda result: result.get("button"), waits_for_user=is_question
    )


def ask(
    message: str,
    kind: str,
    choices: Sequence[Choice],
    default: Answer,
    placeholder: Optional[str],
    password: bool,
    timeout: Optional[float],
) -> Request[Any]:
    params = _given(
        message=message,
        kind=kind,
        choices=[each if isinstance(each, str) else dict(each) for each in choices] or None,
        default=default,
        placeholder=placeholder,
        password=password or None,
        # With its id a question is one question, however often it has to be sent.
        questionId=f"q-{uuid.uuid4().hex}",
    )
    return Request("vscode/ask", params, timeout, lambda result: result.get("answer"), waits_for_user=True)


def question(
    message: str,
    choices: Sequence[Choice],
    multi: bool,
    default: Union[str, Sequence[str], None],
    placeholder: Optional[str],
    password: bool,
    timeout: Optional[float],
) -> Request[Union[str, List[str], None]]:
    kind = "multiPick" if multi else "pick" if choices else "input"
    answer: Answer = default if default is None or isinstance(default, str) else list(default)
    return ask(message, kind, choices, answer, placeholder, password, timeout)


def open_file(
    path: PathText,
    selection: Union[Range, Position, None],
    focus: bool,
    preview: bool,
    timeout: Optional[float],
) -> Request[OpenedFile]:
    params = _given(
        path=_path(path),
        selection=None if selection is None else _place(selection),
        focus=focus or None,
        preview=preview or None,
    )
    return Request("vscode/openFile", params, timeout, opened_file_of)


def show_diff(
    left: Union[PathText, DiffText],
    right: Union[PathText, DiffText],
    title: Optional[str],
    focus: bool,
    timeout: Optional[float],
) -> Request[str]:
    params = _given(left=_side(left), right=_side(right), title=title, focus=focus or None)
    return Request("vscode/showDiff", params, timeout, lambda result: str(result.get("title", "")))


def diagnostics(
    path: Optional[PathText], severity: str, settle: float, limit: int, timeout: Optional[float]
) -> Request[List[Diagnostic]]:
    params = _given(
        path=None if path is None else _path(path),
        severity=severity,
        settleMs=int(seconds_of("settle", settle) * 1000),
        limit=limit,
    )
    return Request("vscode/diagnostics", params, timeout, _read_diagnostics)


def progress(
    progress_id: str,
    title: str,
    message: Optional[str],
    percent: Optional[float],
    cancellable: bool,
    done: bool,
) -> Request[bool]:
    # With all of it every time, a window that was reloaded in between shows it again.
    params = _given(
        progressId=progress_id,
        title=title,
        message=message,
        percent=percent,
        cancellable=cancellable or None,
        done=done or None,
    )
    seconds = _CLOSING_SECONDS if done else QUICK_SECONDS
    return Request("vscode/progress", params, seconds, lambda result: bool(result.get("isCancelled")))


def other(type: str, params: Optional[Mapping[str, Any]], timeout: Optional[float]) -> Request[Dict[str, Any]]:
    return Request(type, to_json(dict(params or {})), timeout, from_json, is_repeatable=False)


def _read_chat(result: Dict[str, Any]) -> Chat:
    if result.get("blocked"):
        # As the first form of this protocol has it, which debug adapters may still speak.
        reason = str(result.get("blockedReason") or "refusal")
        code = "off_topic" if reason == "off_topic" else "refused"
        raise ChatRefusedError(f"The language model would not answer ({reason}). Put the question differently.", code)
    model = result.get("model")
    model_id = model.get("id", "") if isinstance(model, dict) else ""
    return Chat(str(result.get("response", "")), str(result.get("conversationId", "")), str(model_id))


def _read_command(result: Dict[str, Any]) -> Any:
    return from_json(result.get("result"))


def _read_diagnostics(result: Dict[str, Any]) -> List[Diagnostic]:
    return [diagnostic_of(each) for each in result["diagnostics"]]


def _given(**params: Any) -> Dict[str, Any]:
    return {name: value for name, value in params.items() if value is not None}


def _path(path: PathText) -> str:
    """A file that is there as seen from the script is meant as such; any other path is one of the workspace."""
    text = os.fspath(path)
    return os.path.abspath(text) if os.path.exists(text) else text


def _place(selection: Union[Range, Position]) -> Dict[str, Any]:
    if isinstance(selection, Position):
        return dict(position_json(selection))
    return dict(range_json(selection))


def _side(side: Union[PathText, DiffText]) -> Dict[str, str]:
    if isinstance(side, DiffText):
        return _given(text=side.text, name=side.name)
    return {"path": _path(side)}
