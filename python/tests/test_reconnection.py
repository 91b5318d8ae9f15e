"""A connection that breaks: nothing is lost, and nothing is done twice."""

from __future__ import annotations

import json
import threading
import time
import unittest
from typing import Any, Dict, List

from fairlead.vscode_bridge import Bridge, BridgeClosedError, NotAvailableError

from .bridge_server import Peer, frame
from .support import BridgeTestCase, echo


class Reconnection(BridgeTestCase):
    def test_a_reply_that_was_lost_with_the_connection_comes_once_on_the_next(self) -> None:
        calls: List[Any] = []

        def count(params: Dict[str, Any]) -> Dict[str, Any]:
            calls.append(params["value"])
            return echo(params)

        def lose_the_first(peer: Peer, reply: Dict[str, Any]) -> "Dict[str, Any] | None":
            if len(calls) > 1:
                return reply
            peer.drop()
            return None

        self.server.handlers["echo"] = count
        self.server.on_reply = lose_the_first
        self.assertEqual(self.bridge.request("echo", {"value": 1}), {"echo": 1})
        self.assertEqual(self.bridge.request("echo", {"value": 2}), {"echo": 2})
        self.assertEqual(calls, [1, 2])

    def test_a_server_that_dies_in_the_middle_of_a_frame_is_found_again(self) -> None:
        deaths: List[bytes] = []

        def die(peer: Peer, reply: Dict[str, Any]) -> "Dict[str, Any] | None":
            if deaths:
                return reply
            data = frame(json.dumps(reply).encode())
            deaths.append(data)
            peer.send_bytes(data[: len(data) // 2])
            peer.drop()
            return None

        self.server.handlers["echo"] = echo
        self.server.on_reply = die
        self.assertEqual(self.bridge.request("echo", {"value": "x" * 300}), {"echo": "x" * 300})
        self.assertEqual(len(self.server.requests), 1)

    def test_fifty_requests_over_a_connection_that_keeps_breaking_are_each_done_once(self) -> None:
        self.server.handlers["echo"] = echo
        number_of_replies = [0]

        def break_often(peer: Peer, reply: Dict[str, Any]) -> "Dict[str, Any] | None":
            number_of_replies[0] += 1
            if number_of_replies[0] % 7 != 0:
                return reply
            peer.drop()
            return None

        self.server.on_reply = break_often
        results: Dict[int, Any] = {}

        def call(number: int) -> None:
            results[number] = self.bridge.request("echo", {"value": number}, timeout=30)["echo"]

        threads = [threading.Thread(target=call, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(40)
        self.assertEqual(results, {number: number for number in range(50)})
        self.assertEqual(sorted(request["params"]["value"] for request in self.server.requests), list(range(50)))

    def test_a_window_that_was_away_for_a_moment_is_waited_for(self) -> None:
        self.server.handlers["echo"] = echo
        self.assertEqual(self.bridge.request("echo", {"value": 1}), {"echo": 1})
        self.server.stop()
        back = threading.Timer(0.3, self.server.start_again, kwargs={"is_reloaded": False})
        back.start()
        self.assertEqual(self.bridge.request("echo", {"value": 2}), {"echo": 2})
        back.join()

    def test_after_a_reload_only_what_can_be_done_twice_is_sent_again(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)

        def forget(params: Dict[str, Any]) -> Dict[str, Any]:
            may_end.wait(10)
            return {"answer": "staging", "result": None}

        self.server.handlers["vscode/ask"] = forget
        self.server.handlers["vscode/executeCommand"] = forget
        outcomes: Dict[str, Any] = {}

        def ask() -> None:
            outcomes["ask"] = self.bridge.ask("Where?", choices=["staging", "production"])

        def run() -> None:
            try:
                self.bridge.execute_command("deploy", timeout=30)
            except BridgeClosedError as error:
                outcomes["command"] = str(error)

        threads = [threading.Thread(target=ask), threading.Thread(target=run)]
        for thread in threads:
            thread.start()
        self.server.wait_for(lambda: len(self.server.requests) == 2)
        self.server.stop()
        self.server.handlers["vscode/ask"] = lambda _: {"answer": "production"}
        self.server.start_again(is_reloaded=True)
        for thread in threads:
            thread.join(20)
        self.assertEqual(outcomes["ask"], "production")
        self.assertRegex(outcomes["command"], "vscode/executeCommand; whether it was done is not known")
        questions = [each["params"]["questionId"] for each in self.server.requests if "questionId" in each["params"]]
        self.assertEqual(len(questions), 2)
        self.assertEqual(len(set(questions)), 1)

    def test_a_request_given_up_while_away_is_cancelled_when_back(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)
        self.server.handlers["slow"] = lambda _: {"ok": may_end.wait(10)}
        self.server.handlers["echo"] = echo
        failed: List[BaseException] = []

        def call() -> None:
            try:
                self.bridge.request("slow", timeout=1)
            except BridgeClosedError as error:
                failed.append(error)

        thread = threading.Thread(target=call)
        thread.start()
        self.server.wait_for(lambda: len(self.server.requests) == 1)
        self.server.stop()
        thread.join(10)
        self.assertRegex(str(failed[0]), r"was lost and did not come back within 1 s: .*Open the window")
        self.server.start_again(is_reloaded=False)
        self.assertEqual(self.bridge.request("echo", {"value": 3}), {"echo": 3})
        self.server.wait_for(lambda: self.server.cancelled == [1])

    def test_a_window_that_does_not_come_back_is_an_error_that_says_so(self) -> None:
        self.server.handlers["echo"] = echo
        bridge = Bridge(self.connect(reconnect_seconds=0.3))
        bridge.request("echo")
        self.server.stop()
        with self.assertRaisesRegex(NotAvailableError, "Cannot reach the VS Code window at .*Is it still open"):
            self.ask_a_closed_window(bridge, timeout=20)

    def test_a_request_that_was_under_way_when_the_window_went_is_told_so(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)
        self.server.handlers["slow"] = lambda _: {"ok": may_end.wait(10)}
        bridge = Bridge(self.connect(reconnect_seconds=0.3))
        self.when(lambda: len(self.server.requests) == 1, self.server.stop)
        with self.assertRaisesRegex(BridgeClosedError, r"was lost and did not come back within 0\.3 s"):
            bridge.request("slow", timeout=20)

    def test_a_window_that_is_closed_is_not_given_more_time(self) -> None:
        self.server.handlers["echo"] = echo
        self.bridge.request("echo")
        self.server.stop()
        with self.assertRaisesRegex(NotAvailableError, "refused.*Is it still open.*Run File"):
            self.ask_a_closed_window(self.bridge, timeout=0.5)

    def test_a_window_that_is_closed_is_found_unavailable_at_once(self) -> None:
        self.server.handlers["echo"] = echo
        self.bridge.request("echo")
        self.server.stop()
        self.wait_until_unavailable(self.bridge)
        # Also while a request waits for the window to come back, when attempts are far apart.
        waiting = threading.Thread(target=self.ask_in_vain, args=(2,))
        waiting.start()
        answers = 0
        while waiting.is_alive():
            started = time.monotonic()
            self.assertFalse(self.bridge.is_available())
            self.assertLess(time.monotonic() - started, 0.5)
            answers += 1
            waiting.join(0.2)
        self.assertGreater(answers, 2)

    def test_a_window_that_is_back_is_available(self) -> None:
        self.server.handlers["echo"] = echo
        self.bridge.request("echo")
        self.server.stop()
        self.wait_until_unavailable(self.bridge)
        self.server.start_again(is_reloaded=True)
        self.assertTrue(self.bridge.is_available())
        self.assertEqual(self.bridge.request("echo", {"value": 1}), {"echo": 1})

    def test_a_window_that_was_away_for_longer_than_that_is_tried_once(self) -> None:
        self.server.handlers["echo"] = echo
        bridge = Bridge(self.connect(reconnect_seconds=0))
        bridge.request("echo")
        self.server.stop()
        started = time.monotonic()
        with self.assertRaises(NotAvailableError):
            self.ask_a_closed_window(bridge, timeout=20)
        self.assertLess(time.monotonic() - started, 5)
        self.server.start_again(is_reloaded=True)
        self.assertEqual(bridge.request("echo", {"value": 1}), {"echo": 1})

    def ask_a_closed_window(self, bridge: Bridge, timeout: float) -> None:
        """Once the client has noticed: what it sends before that may have been done."""
        self.wait_until_unavailable(bridge)
        bridge.request("echo", timeout=timeout)

    def ask_in_vain(self, timeout: float) -> None:
        with self.assertRaises(NotAvailableError):
            self.bridge.request("echo", timeout=timeout)


if __name__ == "__main__":
    unittest.main()
