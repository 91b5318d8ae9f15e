"""What the functions send and return, as a script sees it."""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
import unittest
from pathlib import Path
from typing import Any, Dict, List

import vscode_bridge
from fairlead.vscode_bridge import (
    BridgeError,
    BridgeTimeoutError,
    Chat,
    ChatRefusedError,
    DiffText,
    InvalidRequestError,
    Location,
    NoModelError,
    NotFoundError,
    PermissionDeniedError,
    Position,
    Range,
    RequestCancelledError,
    RequestFailedError,
    Selection,
    Uri,
    VSCodeBridge,
)
from fairlead.vscode_bridge.values import from_json, to_json

from .bridge_server import Refusal
from .support import BridgeTestCase

MODEL = {"id": "m-1", "name": "Model", "vendor": "test", "family": "m"}


class Values(unittest.TestCase):
    def test_objects_of_vscode_go_there_and_back(self) -> None:
        start, end = Position(1, 2), Position(3, 4)
        values = [
            Uri("file:///a%20b.ts"),
            start,
            Range(start, end),
            Selection(end, start),
            Location(Uri("file:///a.ts"), Range(start, end)),
            {"deep": [Uri("file:///b"), {"at": start}], "plain": [1, 2.5, "x", None, True]},
        ]
        self.assertEqual(from_json(to_json(values)), values)

    def test_their_forms_are_the_documented_ones(self) -> None:
        self.assertEqual(to_json(Uri("file:///a")), {"$type": "Uri", "value": "file:///a"})
        self.assertEqual(to_json(Position(1, 2)), {"$type": "Position", "line": 1, "character": 2})
        self.assertEqual(
            to_json(Selection(Position(1, 2), Position(0))),
            {"$type": "Selection", "anchor": {"line": 1, "character": 2}, "active": {"line": 0, "character": 0}},
        )

    def test_a_file_becomes_a_uri(self) -> None:
        self.assertEqual(str(Uri.file("/tmp/a b.py")), "file:///tmp/a%20b.py")
        self.assertEqual(Uri.file("x.py").value, Path(os.path.abspath("x.py")).as_uri())

    def test_what_has_no_form_is_refused_with_a_hint(self) -> None:
        with self.assertRaisesRegex(InvalidRequestError, r"PosixPath cannot be sent to VS Code; use Uri\.file"):
            to_json([Path("/tmp")])
        with self.assertRaisesRegex(InvalidRequestError, "key 1 cannot"):
            to_json({1: 2})
        endless: List[Any] = []
        endless.append(endless)
        with self.assertRaisesRegex(InvalidRequestError, "contains itself"):
            to_json(endless)

    def test_a_chat_is_a_text_that_can_be_stored(self) -> None:
        chat = pickle.loads(pickle.dumps(Chat("hello", "c-1", "m")))
        self.assertEqual((chat, chat.conversation_id, chat.model), ("hello", "c-1", "m"))
        self.assertTrue(chat.startswith("hell"))


class Functions(BridgeTestCase):
    def sent(self, result: Dict[str, Any], call: Any) -> Any:
        """What the call returns when the window answers so; what it sent is in `self.params`."""
        for name in ("chat", "ask", "showMessage", "openFile", "showDiff", "diagnostics", "executeCommand"):
            self.server.handlers[f"vscode/{name}"] = lambda _: result
        self.server.handlers["vscode/getChatHistory"] = lambda _: result
        returned = call()
        self.params = dict(self.server.requests[-1]["params"])
        return returned

    def test_chat(self) -> None:
        answer = {"response": "4", "conversationId": "c-9", "model": MODEL}
        chat = self.sent(answer, lambda: self.bridge.chat("2+2?", 5))
        self.assertEqual((chat, chat.conversation_id, chat.model), ("4", "c-9", "m-1"))
        self.assertEqual(self.params, {"message": "2+2?", "timeout": 5000})
        self.sent(answer, lambda: self.bridge.chat("and 3?", conversation_id="c-9", model={"vendor": "copilot"}))
        expected = {"message": "and 3?", "conversationId": "c-9", "model": {"vendor": "copilot"}, "timeout": 30_000}
        self.assertEqual(self.params, expected)

    def test_chat_in_the_background(self) -> None:
        answer = {"response": "later", "conversationId": "c", "model": MODEL}
        self.assertEqual(self.sent(answer, lambda: self.bridge.chat_async("x").result(10)), "later")

    def test_chat_in_the_background_that_fails(self) -> None:
        with self.assertRaises(InvalidRequestError):
            self.bridge.chat_async("x").result(10)

    def test_chat_in_pieces(self) -> None:
        def speak(_: Dict[str, Any]) -> Dict[str, Any]:
            for index, text in enumerate(["a ", "fair", "lead"]):
                self.server.peers[0].send({"id": 1, "type": "$/part", "index": index, "text": text})
            # As after a reconnection: those that are known already are left out.
            self.server.peers[0].send({"id": 1, "type": "$/part", "index": 0, "text": "a "})
            return {"response": "a fairlead", "conversationId": "c", "model": MODEL}

        self.server.handlers["vscode/chat"] = speak
        stream = self.bridge.chat_stream("?")
        self.assertEqual(list(stream), ["a ", "fair", "lead"])
        self.assertEqual(stream.answer, "a fairlead")
        self.assertEqual(self.server.requests[0]["params"]["stream"], True)

    def test_a_piece_is_there_before_the_next_is_made(self) -> None:
        is_read = threading.Event()

        def speak(_: Dict[str, Any]) -> Dict[str, Any]:
            self.server.peers[0].send({"id": 1, "type": "$/part", "index": 0, "text": "one"})
            is_read.wait(10)
            self.server.peers[0].send({"id": 1, "type": "$/part", "index": 1, "text": str(is_read.is_set())})
            return {"response": "", "conversationId": "c"}

        self.server.handlers["vscode/chat"] = speak
        stream = self.bridge.chat_stream("?", timeout=20)
        self.assertEqual(next(stream), "one")
        is_read.set()
        self.assertEqual(next(stream), "True")

    def test_leaving_a_stream_cancels_it(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)

        def speak(_: Dict[str, Any]) -> Dict[str, Any]:
            self.server.peers[0].send({"id": 1, "type": "$/part", "index": 0, "text": "one"})
            may_end.wait(10)
            return {}

        self.server.handlers["vscode/chat"] = speak
        with self.bridge.chat_stream("?") as stream:
            self.assertEqual(next(stream), "one")
        self.server.wait_for(lambda: self.server.cancelled == [1])

    def test_history(self) -> None:
        messages = [{"role": "user", "content": "hi", "timestamp": 1}]
        self.assertEqual(self.sent({"messages": messages}, lambda: self.bridge.get_chat_history("c", 5)), messages)
        self.assertEqual(self.params, {"conversationId": "c", "limit": 5, "timeout": 30_000})

    def test_commands(self) -> None:
        returned = self.sent(
            {"result": [{"$type": "Uri", "value": "file:///b"}]},
            lambda: self.bridge.execute_command("do.it", Uri("file:///a"), 2, timeout=7),
        )
        self.assertEqual(returned, [Uri("file:///b")])
        arguments = [{"$type": "Uri", "value": "file:///a"}, 2]
        self.assertEqual(self.params, {"command": "do.it", "args": arguments, "timeout": 7000})
        with self.assertRaisesRegex(InvalidRequestError, r"use Uri\.file"):
            self.bridge.execute_command("do.it", Path("x"))

    def test_a_command_waits_for_the_user_to_allow_it(self) -> None:
        self.sent({"result": None}, lambda: self.bridge.execute_command("do.it"))
        self.assertEqual(self.params["timeout"], 120_000)

    def test_messages(self) -> None:
        self.assertIsNone(self.sent({"button": None}, lambda: self.bridge.show_message("done")))
        self.assertEqual(self.params, {"message": "done", "level": "info", "timeout": 30_000})
        pressed = self.sent(
            {"button": "Yes"}, lambda: self.bridge.show_message("sure?", "warning", buttons=["Yes", "No"])
        )
        self.assertEqual(pressed, "Yes")
        self.assertEqual(self.params, {"message": "sure?", "level": "warning", "buttons": ["Yes", "No"]})

    def test_questions(self) -> None:
        question_ids: List[str] = []

        def asked(answer: Any, call: Any) -> Any:
            returned = self.sent({"answer": answer, "outcome": "answered", "questionId": "q"}, call)
            question_ids.append(self.params.pop("questionId"))
            return returned

        self.assertEqual(asked("Ada", lambda: self.bridge.ask("Who?", placeholder="a name")), "Ada")
        self.assertEqual(self.params, {"message": "Who?", "kind": "input", "placeholder": "a name"})
        where = asked("b", lambda: self.bridge.ask("Where?", choices=["a", "b"], default="a", timeout=60))
        self.assertEqual(where, "b")
        expected = {"message": "Where?", "kind": "pick", "choices": ["a", "b"], "default": "a", "timeout": 60_000}
        self.assertEqual(self.params, expected)
        many = asked(["a"], lambda: self.bridge.ask("Which?", ["a", "b"], multi=True, default=("a",)))
        self.assertEqual(many, ["a"])
        self.assertEqual((self.params["kind"], self.params["default"]), ("multiPick", ["a"]))
        self.assertIs(asked(True, lambda: self.bridge.confirm("Sure?", default=False)), True)
        self.assertEqual(self.params, {"message": "Sure?", "kind": "confirm", "default": False})
        self.assertIs(asked(None, lambda: self.bridge.confirm("Sure?")), False)
        self.assertIsNone(asked(None, lambda: self.bridge.ask("Who?", password=True)))
        self.assertEqual(len(set(question_ids)), len(question_ids))

    def test_files(self) -> None:
        with tempfile.NamedTemporaryFile(suffix=".py") as file:
            result = {"path": file.name, "uri": "file:///x", "languageId": "python", "lineCount": 3}
            here = os.path.relpath(file.name)
            opened = self.sent(result, lambda: self.bridge.open_file(here, selection=Position(2, 1), focus=True))
            self.assertEqual((opened.language_id, opened.line_count), ("python", 3))
            place = {"line": 2, "character": 1}
            self.assertEqual(
                self.params, {"path": file.name, "selection": place, "focus": True, "timeout": 30_000}
            )
        self.sent(result, lambda: self.bridge.open_file("only/in/the/workspace.py"))
        self.assertEqual(self.params["path"], "only/in/the/workspace.py")

    def test_comparisons(self) -> None:
        title = self.sent({"title": "T"}, lambda: self.bridge.show_diff("a.txt", DiffText("new", "b.txt"), title="T"))
        self.assertEqual(title, "T")
        sides = {"left": {"path": "a.txt"}, "right": {"text": "new", "name": "b.txt"}}
        self.assertEqual(self.params, {**sides, "title": "T", "timeout": 30_000})

    def test_diagnostics(self) -> None:
        place = {"start": {"line": 0, "character": 4}, "end": {"line": 0, "character": 5}}
        problem = {"path": "/a.py", "uri": "file:///a.py", "range": place, "severity": "error", "message": "no"}
        found = self.sent(
            {"diagnostics": [{**problem, "source": "lint", "code": 7}], "isTruncated": False},
            lambda: self.bridge.diagnostics("a.py", severity="warning", settle=0.5),
        )
        self.assertEqual((found[0].range, found[0].code), (Range(Position(0, 4), Position(0, 5)), 7))
        expected = {"path": "a.py", "severity": "warning", "settleMs": 500, "limit": 1000, "timeout": 30_000}
        self.assertEqual(self.params, expected)

    def test_progress(self) -> None:
        self.server.handlers["vscode/progress"] = lambda params: {"isCancelled": params.get("percent") == 50}
        with self.assertRaisesRegex(ValueError, "in the middle"), self.bridge.progress("Copying") as shown:
            self.assertFalse(shown.report("a file", 10))
            self.assertTrue(shown.report(percent=50))
            self.assertTrue(shown.report("the next", 60))
            raise ValueError("in the middle")
        sent = [request["params"] for request in self.server.requests]
        self.assertEqual(len({params.pop("progressId") for params in sent}), 1)
        self.assertEqual(sent[0], {"title": "Copying", "timeout": 30_000})
        self.assertEqual(sent[1], {"title": "Copying", "message": "a file", "percent": 10, "timeout": 30_000})
        self.assertEqual(sent[-1], {"title": "Copying", "done": True, "timeout": 1000})

    def test_errors_of_the_window_are_told_apart(self) -> None:
        kinds = {
            "invalid_params": InvalidRequestError,
            "unknown_type": InvalidRequestError,
            "denied": PermissionDeniedError,
            "rejected": PermissionDeniedError,
            "no_permission": PermissionDeniedError,
            "not_found": NotFoundError,
            "no_model": NoModelError,
            "refused": ChatRefusedError,
            "off_topic": ChatRefusedError,
            "cancelled": RequestCancelledError,
            "failed": RequestFailedError,
            "a code of the future": RequestFailedError,
            "timeout": BridgeTimeoutError,
        }
        for code, kind in kinds.items():
            with self.subTest(code):

                def refuse(_: Dict[str, Any], code: str = code) -> Dict[str, Any]:
                    raise Refusal(code, "because")

                self.server.handlers["vscode/chat"] = refuse
                with self.assertRaisesRegex(RuntimeError, "could not do vscode/chat: because") as raised:
                    self.bridge.chat("x")
                self.assertIs(type(raised.exception), kind)
                self.assertIsInstance(raised.exception, BridgeError)
                self.assertEqual(getattr(raised.exception, "code", "timeout"), code)


class Callbacks(unittest.TestCase):
    """The class of the first form of this protocol, on a function of the caller."""

    def test_requests_go_through_the_function(self) -> None:
        frames: List[Dict[str, Any]] = []

        def send(frame: Dict[str, Any]) -> Dict[str, Any]:
            frames.append(frame)
            return {"success": True, "result": {"response": "hi", "result": 42}, "error": None}

        bridge = VSCodeBridge(send)
        self.assertEqual(bridge.chat("hello", timeout=5), "hi")
        self.assertEqual(bridge.execute_command("test.command", "a", "b", timeout=10), 42)
        self.assertEqual([frame["id"] for frame in frames], [0, 1])
        self.assertEqual(frames[0], {"id": 0, "type": "vscode/chat", "params": {"message": "hello", "timeout": 5000}})

    def test_a_blocked_chat_is_a_refusal(self) -> None:
        blocked = {"response": "", "blocked": True, "blockedReason": "off_topic"}
        bridge = VSCodeBridge(lambda _: {"success": True, "result": blocked})
        with self.assertRaises(ChatRefusedError) as raised:
            bridge.chat("?")
        self.assertEqual(raised.exception.code, "off_topic")

    def test_a_failure_is_a_runtime_error(self) -> None:
        bridge = VSCodeBridge(lambda _: {"success": False, "result": None, "error": "Something went wrong"})
        with self.assertRaisesRegex(RuntimeError, "Something went wrong"):
            bridge.chat("?")

    def test_a_bridge_that_is_set_is_used_by_the_module(self) -> None:
        vscode_bridge._set_bridge(VSCodeBridge(lambda _: {"success": True, "result": {"response": "debugged"}}))
        try:
            self.assertEqual(vscode_bridge.chat("x"), "debugged")
            self.assertTrue(vscode_bridge.is_available())
        finally:
            vscode_bridge._set_bridge(None)


class Names(unittest.TestCase):
    def test_the_short_name_is_the_same_thing(self) -> None:
        import fairlead.vscode_bridge
        import fairlead.vscode_bridge.aio
        import vscode_bridge.aio
        import vscode_bridge.debug_adapter

        for name in fairlead.vscode_bridge.__all__:
            self.assertIs(getattr(vscode_bridge, name), getattr(fairlead.vscode_bridge, name))
        self.assertIs(vscode_bridge.aio.AsyncBridge, fairlead.vscode_bridge.aio.AsyncBridge)


if __name__ == "__main__":
    unittest.main()
