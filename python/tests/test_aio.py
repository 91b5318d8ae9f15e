"""The asynchronous twin."""

from __future__ import annotations

import asyncio
import threading
import time
import unittest
from typing import Any, Awaitable, Callable, Dict, List

from fairlead.vscode_bridge import BridgeTimeoutError, NotAvailableError, Position, Uri
from fairlead.vscode_bridge.aio import AsyncBridge

from .support import BridgeTestCase, run_python


class Aio(BridgeTestCase):
    def setUp(self) -> None:
        super().setUp()
        self.aio = AsyncBridge(self.connection)
        self.may_end = threading.Event()
        self.addCleanup(self.may_end.set)
        self.server.handlers["slow"] = lambda _: {"ok": self.may_end.wait(10)}
        self.server.handlers["echo"] = lambda params: {"echo": params["value"]}

    def test_a_thousand_requests_at_once(self) -> None:
        async def main() -> List[Any]:
            calls = [self.aio.request("echo", {"value": number}) for number in range(1000)]
            return [result["echo"] for result in await asyncio.gather(*calls)]

        self.assertEqual(asyncio.run(main()), list(range(1000)))
        self.assertEqual(len(self.server.peers), 1)

    def test_the_loop_goes_on_while_a_request_waits(self) -> None:
        async def main() -> Dict[str, Any]:
            slow = asyncio.ensure_future(self.aio.request("slow"))
            await self.aio.request("echo", {"value": 1})
            self.assertFalse(slow.done())
            self.may_end.set()
            return await slow

        self.assertEqual(asyncio.run(main()), {"ok": True})

    def test_cancelling_the_task_cancels_the_request(self) -> None:
        async def main() -> None:
            slow = asyncio.ensure_future(self.aio.request("slow"))
            await self.aio.request("echo", {"value": 1})
            slow.cancel()
            with self.assertRaises(asyncio.CancelledError):
                await slow

        asyncio.run(main())
        self.server.wait_for(lambda: len(self.server.cancelled) == 1)
        self.assertEqual([each["id"] for each in self.server.requests if each["type"] == "slow"], self.server.cancelled)

    def test_a_time_out_cancels_the_request(self) -> None:
        async def main() -> None:
            await self.aio.request("echo", {"value": 1})
            with self.assertRaisesRegex(BridgeTimeoutError, "slow within 0.2 s"):
                await self.aio.request("slow", timeout=0.2)

        asyncio.run(main())
        self.server.wait_for(lambda: self.server.cancelled == [2])

    def test_an_answer_in_pieces(self) -> None:
        def speak(_: Dict[str, Any]) -> Dict[str, Any]:
            for index, text in enumerate(["a ", "b"]):
                self.server.peers[0].send({"id": 1, "type": "$/part", "index": index, "text": text})
            return {"response": "a b", "conversationId": "c"}

        async def main() -> None:
            stream = self.aio.chat_stream("?")
            self.assertEqual([piece async for piece in stream], ["a ", "b"])
            self.assertEqual(stream.answer, "a b")

        self.server.handlers["vscode/chat"] = speak
        asyncio.run(main())

    def test_progress(self) -> None:
        self.server.handlers["vscode/progress"] = lambda params: {"isCancelled": "percent" in params}

        async def main() -> None:
            async with self.aio.progress("Copying", cancellable=True) as shown:
                self.assertFalse(shown.is_cancelled)
                self.assertTrue(await shown.report(percent=1))

        asyncio.run(main())
        self.assertTrue(self.server.requests[-1]["params"]["done"])

    def test_a_progress_that_cannot_be_ended_does_not_hide_how_the_block_ended(self) -> None:
        self.server.handlers["vscode/progress"] = lambda params: {"ok": "done" in params and self.may_end.wait(10)}

        async def main() -> None:
            async with self.aio.progress("Copying"):
                pass
            with self.assertRaisesRegex(KeyError, "the block"):
                async with self.aio.progress("Copying"):
                    raise KeyError("the block")

        started = time.monotonic()
        asyncio.run(main())
        self.assertLess(time.monotonic() - started, 5)

    def test_a_command_waits_for_the_user_to_allow_it(self) -> None:
        self.server.handlers["vscode/executeCommand"] = lambda _: {"result": None}

        async def main() -> None:
            await self.aio.execute_command("do.it")

        asyncio.run(main())
        self.assertEqual(self.server.requests[0]["params"]["timeout"], 120_000)

    def test_a_window_that_is_closed_is_not_given_more_time(self) -> None:
        async def main() -> None:
            await self.aio.request("echo", {"value": 1})
            self.server.stop()
            while await self.aio.is_available():
                await asyncio.sleep(0)
            with self.assertRaisesRegex(NotAvailableError, "Is it still open"):
                await self.aio.request("echo", {"value": 2}, timeout=0.5)

        asyncio.run(main())

    def test_every_function_sends_what_its_twin_sends(self) -> None:
        result: Dict[str, Any] = {
            "response": "", "conversationId": "", "messages": [], "result": None, "button": None, "answer": True,
            "path": "", "uri": "", "languageId": "", "lineCount": 0, "title": "", "diagnostics": [],
        }  # fmt: skip
        calls: List[Callable[[Any], Any]] = [
            lambda bridge: bridge.chat("x", 5, conversation_id="c", model="m"),
            lambda bridge: bridge.get_chat_history("c", 3),
            lambda bridge: bridge.execute_command("c", Uri("file:///a"), timeout=3),
            lambda bridge: bridge.show_message("x", "error", buttons=["a"], modal=True, detail="d"),
            lambda bridge: bridge.ask("x", ["a", "b"], multi=True, default=["a"], timeout=4),
            lambda bridge: bridge.confirm("x", default=True),
            lambda bridge: bridge.open_file("a.ts", selection=Position(1, 1), preview=True),
            lambda bridge: bridge.show_diff("a.ts", "b.ts", title="t", focus=True),
            lambda bridge: bridge.diagnostics("a.ts", severity="error", settle=0, limit=2),
            lambda bridge: bridge.request("vscode/openEditors"),
        ]

        async def awaited(value: Awaitable[Any]) -> None:
            await value

        for index, call in enumerate(calls):
            with self.subTest(call=index):
                self.server.handlers.setdefault("vscode/openEditors", lambda _: result)
                for name in ("chat", "getChatHistory", "executeCommand", "showMessage", "ask", "openFile", "showDiff"):
                    self.server.handlers[f"vscode/{name}"] = lambda _: result
                self.server.handlers["vscode/diagnostics"] = lambda _: result
                call(self.bridge)
                asyncio.run(awaited(call(self.aio)))
                first, second = [
                    {**request["params"], "questionId": None, "type": request["type"]}
                    for request in self.server.requests[-2:]
                ]
                self.assertEqual(first, second)


class AioWithoutAWindow(unittest.TestCase):
    def test_calls_say_what_is_missing(self) -> None:
        program = run_python(
            """
            import asyncio
            from vscode_bridge import aio, NotAvailableError
            async def main():
                print(await aio.is_available())
                try:
                    await aio.chat("x")
                except NotAvailableError as error:
                    print("Run File" in str(error))
            asyncio.run(main())
            """
        )
        self.assertEqual((program.stdout, program.stderr), ("False\nTrue\n", ""))
        self.assertTrue(issubclass(NotAvailableError, RuntimeError))


if __name__ == "__main__":
    unittest.main()
