"""Streams that nobody reads any more: the garbage collector finds them in the middle of anything."""

from __future__ import annotations

import gc
import threading
import unittest
from typing import Any, Callable, Dict, Iterator, List

from fairlead.vscode_bridge import Bridge
from fairlead.vscode_bridge.debug_adapter import DebugAdapterBridge

from .support import BridgeTestCase, echo, run_python


class DiscardedStreams(BridgeTestCase):
    def setUp(self) -> None:
        super().setUp()
        collect_only_when_told(self)
        self.may_end = threading.Event()
        self.addCleanup(self.may_end.set)
        self.server.handlers["vscode/chat"] = lambda _: {"response": str(self.may_end.wait(10))}
        self.server.handlers["slow"] = lambda _: {"ok": self.may_end.wait(10)}
        self.server.handlers["echo"] = echo

    def test_it_is_cancelled(self) -> None:
        leave_in_a_cycle(self.bridge)
        self.server.wait_for(lambda: len(self.server.requests) == 1)
        gc.collect()
        self.server.wait_for(lambda: self.server.cancelled == [1])

    def test_it_is_cancelled_while_a_caller_reads(self) -> None:
        reader = threading.Thread(target=self.bridge.request, args=("slow",))
        reader.start()
        self.addCleanup(reader.join)
        self.addCleanup(self.may_end.set)
        leave_in_a_cycle(self.bridge)
        self.server.wait_for(lambda: len(self.server.requests) == 2)
        gc.collect()
        self.server.wait_for(lambda: len(self.server.cancelled) == 1)

    def test_it_is_cancelled_when_the_window_is_back(self) -> None:
        leave_in_a_cycle(self.bridge)
        self.server.wait_for(lambda: len(self.server.requests) == 1)
        self.server.stop()
        self.wait_until_unavailable(self.bridge)
        gc.collect()
        self.server.start_again(is_reloaded=False)
        self.assertEqual(self.bridge.request("echo", {"value": 1}), {"echo": 1})
        self.server.wait_for(lambda: self.server.cancelled == [1])

    def test_it_is_found_by_a_thread_that_is_at_work_for_the_connection(self) -> None:
        leave_in_a_cycle(self.bridge)
        leave_in_a_generator(self.bridge)
        self.server.wait_for(lambda: len(self.server.requests) == 2)

        def collect() -> None:
            with self.connection._lock:
                gc.collect()

        self.assertTrue(ends(collect))
        self.server.wait_for(lambda: sorted(self.server.cancelled) == [1, 2])

    def test_one_that_has_ended_is_not_cancelled(self) -> None:
        self.may_end.set()
        stream = self.bridge.chat_stream("x")
        self.assertEqual(list(stream), [])
        stream.close()
        del stream
        self.bridge.request("echo")
        self.assertEqual(self.server.cancelled, [])

    def test_a_program_that_leaves_many_goes_on(self) -> None:
        self.may_end.set()
        self.server.handlers["vscode/showMessage"] = lambda _: {"button": None}
        program = run_python(
            """
            import faulthandler, gc, threading, vscode_bridge
            faulthandler.dump_traceback_later(20, exit=True)
            def work():
                for number in range(500):
                    gc.set_threshold(5 + number % 120)  # so that it comes at many different moments
                    stream = vscode_bridge.chat_stream("x")
                    if number % 4 > 0:
                        list(stream)
                    stream.itself = stream
                    del stream
                    vscode_bridge.show_message("m")
            threads = [threading.Thread(target=work) for _ in range(3)]
            for thread in threads: thread.start()
            for thread in threads: thread.join()
            print("done")
            """,
            self.server.environment,
        )
        self.assertEqual((program.stdout, program.stderr), ("done\n", ""))


class DiscardedUnderADebugger(unittest.TestCase):
    """The functions of the adapter are its own, with its own locks."""

    def setUp(self) -> None:
        collect_only_when_told(self)
        self.events: List[Dict[str, Any]] = []
        self.sending = threading.Condition(threading.Lock())
        self.bridge = DebugAdapterBridge(self.send_event, lambda *_: None)
        self.addCleanup(self.bridge.close)

    def send_event(self, _: str, body: Dict[str, Any]) -> None:
        with self.sending:
            self.events.append(body)
            self.sending.notify_all()

    def test_it_is_found_while_an_event_is_sent(self) -> None:
        leave_in_a_cycle(self.bridge)
        leave_in_a_generator(self.bridge)

        def collect() -> None:
            with self.sending:
                gc.collect()

        self.assertTrue(ends(collect))
        with self.sending:
            self.assertTrue(self.sending.wait_for(lambda: len(self.events) == 4, 10))
        cancelled = [event["requestId"] for event in self.events if event["type"] == "$/cancel"]
        self.assertEqual(sorted(cancelled), [1, 2])

    def test_its_thread_ends_with_the_session(self) -> None:
        self.bridge.chat_stream("x").close()
        self.bridge.close()
        for thread in threading.enumerate():
            if thread.name == "vscode-bridge-cancel":
                thread.join(10)
                self.assertFalse(thread.is_alive())


def collect_only_when_told(test: unittest.TestCase) -> None:
    gc.disable()
    test.addCleanup(gc.enable)


def leave_in_a_cycle(bridge: Bridge) -> None:
    stream = bridge.chat_stream("x")
    stream.itself = stream  # type: ignore[attr-defined]


def leave_in_a_generator(bridge: Bridge) -> None:
    """The collector closes it, and it closes the stream."""

    def pieces() -> Iterator[Any]:
        with bridge.chat_stream("x"):
            yield itself

    itself = pieces()
    next(itself)


def ends(work: Callable[[], None]) -> bool:
    """Whether it does within ten seconds, in a thread that can be left behind."""
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(10)
    return not thread.is_alive()


if __name__ == "__main__":
    unittest.main()
