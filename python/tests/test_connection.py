"""One connection: what goes over it, how long it waits, and what it refuses."""

from __future__ import annotations

import json
import signal
import socket
import threading
import time
import unittest
from typing import Any, Dict, List

from fairlead.vscode_bridge import (
    Bridge,
    BridgeClosedError,
    BridgeTimeoutError,
    InvalidRequestError,
    NotAvailableError,
)
from fairlead.vscode_bridge._connection import Connection
from fairlead.vscode_bridge._endpoint import Endpoint

from .bridge_server import SESSION, TOKEN, Peer, frame
from .support import BridgeTestCase, echo


class Conversation(BridgeTestCase):
    def test_a_request_gets_its_reply_and_the_reply_is_acknowledged(self) -> None:
        self.server.handlers["echo"] = echo
        self.assertEqual(self.bridge.request("echo", {"value": "naïve ✓ \ud800"}), {"echo": "naïve ✓ \ud800"})
        self.server.wait_for(lambda: self.server.acknowledged == {1})

    def test_replies_may_come_in_another_order(self) -> None:
        first_may_end = threading.Event()
        self.server.handlers["slow"] = lambda _: {"ok": first_may_end.wait(10)}
        self.server.handlers["fast"] = lambda _: {"fast": True}
        results: List[Any] = []
        slow = threading.Thread(target=lambda: results.append(self.bridge.request("slow")))
        slow.start()
        self.server.wait_for(lambda: len(self.server.requests) == 1)
        self.assertEqual(self.bridge.request("fast"), {"fast": True})
        self.assertEqual(results, [])
        first_may_end.set()
        slow.join(10)
        self.assertEqual(results, [{"ok": True}])

    def test_a_hundred_threads_share_one_connection(self) -> None:
        everyone_is_here = threading.Barrier(100)

        def handle(params: Dict[str, Any]) -> Dict[str, Any]:
            everyone_is_here.wait(20)
            return echo(params)

        self.server.handlers["echo"] = handle
        results: Dict[int, Any] = {}

        def call(number: int) -> None:
            results[number] = self.bridge.request("echo", {"value": number})["echo"]

        threads = [threading.Thread(target=call, args=(number,)) for number in range(100)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(20)
        self.assertEqual(results, {number: number for number in range(100)})
        self.assertEqual(len(self.server.peers), 1)

    def test_a_large_message_goes_both_ways(self) -> None:
        self.server.handlers["echo"] = echo
        text = "0123456789abcdef" * (1 << 18)  # 4 MiB
        self.assertEqual(self.bridge.request("echo", {"value": text})["echo"], text)

    def test_what_comes_right_behind_the_handshake_is_kept(self) -> None:
        welcome = {"type": "$/welcome", "protocolVersion": 1, "serverId": "s", "isResumed": False}

        def greet_at_once(peer: Peer) -> None:
            peer.handshake(behind=frame(json.dumps(welcome).encode()))
            for message in iter(peer.receive, None):
                if "params" in message:
                    peer.send({"id": message["id"], "success": True, "result": {"early": True}})

        self.server.on_peer = greet_at_once
        self.assertEqual(self.bridge.request("any"), {"early": True})

    def test_pings_are_answered_while_nobody_asks_anything(self) -> None:
        pong = threading.Event()

        def ping(peer: Peer) -> None:
            peer.handshake()
            peer.receive()
            peer.send({"type": "$/welcome", "protocolVersion": 1, "serverId": "s", "isResumed": False})
            request = peer.receive()
            assert request is not None
            peer.send({"id": request["id"], "success": True, "result": {}})
            peer.receive()  # the acknowledgement
            peer.send_bytes(frame(b"there?", 9))
            head = peer.file.read(2 + 4 + 6)
            mask, data = head[2:6], head[6:]
            if head[0] == 0x8A and bytes(b ^ mask[i % 4] for i, b in enumerate(data)) == b"there?":
                pong.set()

        self.server.on_peer = ping
        self.bridge.request("any")
        self.assertTrue(pong.wait(10))

    def test_parameters_that_json_does_not_have_are_refused_here(self) -> None:
        with self.assertRaisesRegex(InvalidRequestError, "Out of range float"):
            self.bridge.request("echo", {"value": float("nan")})
        with self.assertRaisesRegex(InvalidRequestError, "type object cannot be sent"):
            self.bridge.request("echo", {"value": object()})
        with self.assertRaisesRegex(InvalidRequestError, "VS Code takes 8388608.*file"):
            self.bridge.request("echo", {"value": "x" * (8 << 20)})
        self.server.handlers["echo"] = echo
        self.assertEqual(self.bridge.request("echo", {"value": 1}), {"echo": 1})


class TimeOuts(BridgeTestCase):
    def test_the_window_is_told_how_long_the_caller_waits_and_that_it_gave_up(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)
        self.server.handlers["slow"] = lambda _: {"ok": may_end.wait(10)}
        # Its time is not to go by while it connects.
        self.assertTrue(self.bridge.is_available())
        started = time.monotonic()
        with self.assertRaisesRegex(BridgeTimeoutError, r"slow within 0\.2 s.*timeout="):
            self.bridge.request("slow", timeout=0.2)
        self.assertLess(time.monotonic() - started, 5)
        self.server.wait_for(lambda: len(self.server.cancelled) == 1)
        self.assertEqual(self.server.requests[0]["params"], {"timeout": 200})
        self.assertEqual(self.server.cancelled, [self.server.requests[0]["id"]])

    def test_an_infinite_time_is_no_limit(self) -> None:
        self.server.handlers["echo"] = echo
        self.assertEqual(self.bridge.request("echo", {"value": 1}, timeout=float("inf")), {"echo": 1})
        self.assertEqual(self.bridge.request("echo", {"value": 2}, timeout=1e300), {"echo": 2})
        times = [request["params"]["timeout"] for request in self.server.requests]
        self.assertEqual(times, [86_400_000, 86_400_000])
        self.server.handlers["vscode/ask"] = lambda _: {"answer": "yes"}
        self.bridge.ask("Sure?", timeout=float("inf"))
        self.assertNotIn("timeout", self.server.requests[-1]["params"])

    def test_what_is_no_time_is_refused_here(self) -> None:
        for timeout in (float("nan"), -1, float("-inf"), "soon"):
            with self.subTest(timeout), self.assertRaisesRegex(InvalidRequestError, "timeout=.* is not a time"):
                self.bridge.request("echo", timeout=timeout)  # type: ignore[arg-type]
        with self.assertRaisesRegex(InvalidRequestError, "settle=inf is not a time"):
            self.bridge.diagnostics(settle=float("inf"))

    def test_a_time_out_in_the_middle_of_a_frame_does_not_disturb_the_next_request(self) -> None:
        self.server.handlers["echo"] = echo
        rest = bytearray()

        def send_half(peer: Peer, reply: Dict[str, Any]) -> "Dict[str, Any] | None":
            if reply["id"] != 1:
                peer.send_bytes(bytes(rest))
                return reply
            data = frame(json.dumps(reply).encode())
            peer.send_bytes(data[:7])
            rest.extend(data[7:])
            return None

        self.server.on_reply = send_half
        with self.assertRaises(BridgeTimeoutError):
            self.bridge.request("echo", {"value": "first"}, timeout=0.3)
        self.assertEqual(self.bridge.request("echo", {"value": "second"}), {"echo": "second"})
        self.assertEqual(len(self.server.peers), 1)

    def test_a_window_that_does_not_read_holds_nobody_up_longer_than_asked(self) -> None:
        may_read = threading.Event()
        self.addCleanup(may_read.set)
        received: List[int] = []

        def read_late(peer: Peer) -> None:
            peer.handshake()
            peer.receive()
            peer.send({"type": "$/welcome", "protocolVersion": 1, "serverId": "s", "isResumed": False})
            may_read.wait(20)
            for message in iter(peer.receive, None):
                if "params" in message:
                    received.append(len(message["params"]["value"]))
                    peer.send({"id": message["id"], "success": True, "result": {}})

        self.server.on_peer = read_late
        self.assertTrue(self.bridge.is_available())
        text = "x" * (7 << 20)
        with self.assertRaises(BridgeTimeoutError):
            self.bridge.request("big", {"value": text}, timeout=0.5)
        may_read.set()
        self.assertEqual(self.bridge.request("small", {"value": "x"}), {})
        self.assertEqual(received, [len(text), 1])

    def test_an_interrupt_cancels_the_request(self) -> None:
        may_end = threading.Event()
        self.addCleanup(may_end.set)
        self.server.handlers["slow"] = lambda _: {"ok": may_end.wait(10)}

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGUSR1, interrupt)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        this_thread = threading.get_ident()

        self.when(
            lambda: len(self.server.requests) == 1, lambda: signal.pthread_kill(this_thread, signal.SIGUSR1)
        )
        with self.assertRaises(KeyboardInterrupt):
            self.bridge.request("slow", timeout=None)
        self.server.wait_for(lambda: self.server.cancelled == [1])


    def test_interrupts_of_one_thread_take_nothing_from_the_others(self) -> None:
        self.server.handlers["echo"] = echo
        is_over = threading.Event()
        results: List[Any] = []

        def work() -> None:
            while not is_over.is_set():
                number = len(results)
                results.append(self.bridge.request("echo", {"value": number}, timeout=20)["echo"] == number)

        def interrupt(*_: object) -> None:
            raise KeyboardInterrupt

        before = signal.signal(signal.SIGUSR1, interrupt)
        self.addCleanup(signal.signal, signal.SIGUSR1, before)
        this_thread = threading.get_ident()
        self.server.handlers["slow"] = lambda _: {"ok": is_over.wait(20)}
        self.addCleanup(is_over.set)
        workers = [threading.Thread(target=work) for _ in range(4)]
        for worker in workers:
            worker.start()
        for number in range(1, 11):

            def is_waiting(number: int = number) -> bool:
                types = [request["type"] for request in self.server.requests]
                return types.count("slow") == number and len(types) >= number * 20

            self.when(is_waiting, lambda: signal.pthread_kill(this_thread, signal.SIGUSR1))
            with self.assertRaises(KeyboardInterrupt):
                self.bridge.request("slow", timeout=20)
        is_over.set()
        for worker in workers:
            worker.join(30)
        self.assertGreater(len(results), 100)
        self.assertEqual(set(results), {True})


class Refusals(BridgeTestCase):
    def test_a_wrong_token_is_an_error_that_does_not_show_it(self) -> None:
        bridge = Bridge(self.connect(token="a wrong one"))
        with self.assertRaisesRegex(NotAvailableError, r"does not accept the token .*\(Unauthorized\).*Run File") as raised:
            bridge.request("echo")
        self.assertNotIn("a wrong one", str(raised.exception))
        self.assertFalse(bridge.is_available())

    def test_a_token_that_is_revoked_ends_what_waits(self) -> None:
        self.server.handlers["slow"] = lambda _: {"ok": threading.Event().wait(5)}
        self.when(
            lambda: len(self.server.requests) == 1, lambda: self.server.peers[0].close(1008, "The run has ended")
        )
        with self.assertRaisesRegex(NotAvailableError, "The run has ended"):
            self.bridge.request("slow")

    def test_a_run_that_has_ended_is_told_at_once(self) -> None:
        self.server.handlers["echo"] = echo
        self.bridge.request("echo")
        self.server.handlers["slow"] = lambda _: {"ok": threading.Event().wait(5)}
        self.when(
            lambda: len(self.server.requests) == 2, lambda: self.server.peers[0].close(1001, "the run has ended")
        )
        with self.assertRaisesRegex(NotAvailableError, "the run has ended"):
            self.bridge.request("slow")

    def test_a_window_that_talks_nonsense_is_not_asked_for_ever(self) -> None:
        def talk_nonsense(peer: Peer) -> None:
            peer.handshake()
            peer.receive()
            peer.send({"type": "$/welcome", "protocolVersion": 1, "serverId": "s", "isResumed": False})
            peer.receive()
            peer.send_bytes(frame(b"\xff\xfe"))
            peer.receive()

        self.server.on_peer = talk_nonsense
        with self.assertRaisesRegex(BridgeClosedError, "do not understand each other: a message is not UTF-8"):
            self.bridge.request("echo")

    def test_nothing_that_listens_is_told_at_once(self) -> None:
        self.server.stop()
        started = time.monotonic()
        with self.assertRaisesRegex(NotAvailableError, r"Cannot reach the VS Code window at ws://127.*still open"):
            self.bridge.request("echo")
        self.assertFalse(self.bridge.is_available())
        self.assertLess(time.monotonic() - started, 3)

    def test_what_is_no_bridge_is_told(self) -> None:
        def answer(text: str) -> None:
            def on_peer(peer: Peer) -> None:
                for line in iter(peer.file.readline, b"\r\n"):
                    if not line:
                        return
                peer.send_bytes(text.encode())

            self.server.on_peer = on_peer

        answers = {
            "HTTP/1.1 404 Not Found\r\nContent-Length: 7\r\n\r\nnothing": "HTTP status 404 nothing",
            "HTTP/1.1 101 Switching\r\nSec-WebSocket-Accept: wrong\r\n\r\n": "does not belong",
            "SSH-2.0-something\r\n\r\n": "does not speak HTTP",
            "HTTP/1.1 403 Forbidden\r\nContent-Length: 4\r\n\r\nHost": "does not accept the token",
            "HTTP/1.1 200 " + "x" * 40_000: "endless headers",
        }
        for text, expected in answers.items():
            with self.subTest(expected):
                answer(text)
                with self.assertRaisesRegex(NotAvailableError, expected):
                    self.bridge.request("echo")

    def test_an_address_that_is_none_is_told(self) -> None:
        connection = Connection(Endpoint("http://127.0.0.1:1/", TOKEN, SESSION))
        self.addCleanup(connection.close)
        with self.assertRaisesRegex(NotAvailableError, "'http://127.0.0.1:1/' is not an address"):
            Bridge(connection).request("echo")

    def test_closing_ends_what_waits(self) -> None:
        self.server.handlers["slow"] = lambda _: {"ok": threading.Event().wait(5)}
        self.when(lambda: bool(self.server.requests), self.connection.close)
        with self.assertRaisesRegex(BridgeClosedError, "closed before VS Code replied"):
            self.bridge.request("slow")
        with self.assertRaises(BridgeClosedError):
            self.bridge.request("slow")
        threads = [thread for thread in threading.enumerate() if thread.name == "vscode-bridge"]
        # It tells the error before it ends.
        for thread in threads:
            thread.join(10)
        self.assertFalse([thread for thread in threads if thread.is_alive()])


class Listening(unittest.TestCase):
    def test_a_server_that_never_answers_the_handshake_costs_the_caller_no_more_than_its_time(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            address = f"ws://127.0.0.1:{silent.getsockname()[1]}/"
            connection = Connection(Endpoint(address, TOKEN, SESSION))
            started = time.monotonic()
            with self.assertRaises(BridgeTimeoutError):
                Bridge(connection).request("echo", timeout=0.3)
            self.assertLess(time.monotonic() - started, 3)
            silent.close()
            connection.close()


if __name__ == "__main__":
    unittest.main()
