"""Whole programs: how they find the window, and how they end."""

from __future__ import annotations

import time
import unittest

from .bridge_server import BridgeServer
from .support import run_python


class WithoutAWindow(unittest.TestCase):
    def test_calls_say_what_is_missing(self) -> None:
        program = run_python(
            """
            import vscode_bridge
            print(vscode_bridge.is_available())
            try:
                vscode_bridge.show_message("hi")
            except RuntimeError as error:
                print(type(error).__name__, error)
            """
        )
        self.assertEqual(program.stderr, "")
        first, second = program.stdout.splitlines()
        self.assertEqual(first, "False")
        self.assertRegex(second, r"^NotAvailableError .*FAIRLEAD_RUN_BRIDGE_ADDR, .* are not set.*Fairlead: Run File")

    def test_a_variable_that_is_missing_is_named(self) -> None:
        program = run_python(
            "import vscode_bridge; vscode_bridge.chat('x')",
            {"FAIRLEAD_RUN_BRIDGE_ADDR": "ws://127.0.0.1:9/", "FAIRLEAD_RUN_BRIDGE_SESSION": "s"},
        )
        self.assertEqual(program.returncode, 1)
        self.assertIn("(FAIRLEAD_RUN_BRIDGE_TOKEN is not set)", program.stderr)


class WithAWindow(unittest.TestCase):
    def setUp(self) -> None:
        self.server = BridgeServer()
        self.addCleanup(self.server.stop)
        self.server.handlers["vscode/showMessage"] = lambda _: {"button": None}
        self.server.handlers["vscode/chat"] = lambda params: {
            "response": params["message"].upper(),
            "conversationId": "c",
        }

    def test_a_program_talks_and_ends_at_once(self) -> None:
        started = time.monotonic()
        program = run_python(
            """
            import time, vscode_bridge
            print(vscode_bridge.is_available(), vscode_bridge.chat("hello"))
            """,
            self.server.environment,
        )
        self.assertEqual((program.stdout, program.stderr, program.returncode), ("True HELLO\n", "", 0))
        self.assertLess(time.monotonic() - started, 10)
        self.server.wait_for(lambda: self.server.peers == [])

    def test_the_names_of_the_first_form_are_found_too(self) -> None:
        environment = {
            name.replace("FAIRLEAD", "EVOLVE"): value for name, value in self.server.environment.items()
        }
        program = run_python("import vscode_bridge; print(vscode_bridge.chat('x'))", environment)
        self.assertEqual((program.stdout, program.stderr), ("X\n", ""))

    def test_a_program_that_ends_while_a_thread_waits_does_not_hang(self) -> None:
        program = run_python(
            """
            import threading, vscode_bridge
            vscode_bridge.show_message("hi")
            vscode_bridge.chat_async("never")
            threading.Thread(target=vscode_bridge.chat, args=["never"], daemon=True).start()
            """,
            self.server.environment,
        )
        self.assertEqual((program.returncode, program.stderr), (0, ""))

    def test_an_exception_ends_a_program_as_without_the_bridge(self) -> None:
        program = run_python(
            "import vscode_bridge; vscode_bridge.show_message('hi'); raise SystemExit(7)", self.server.environment
        )
        self.assertEqual((program.returncode, program.stderr), (7, ""))

    def test_a_forked_child_is_a_client_of_its_own(self) -> None:
        program = run_python(
            """
            import os, threading, vscode_bridge, warnings
            warnings.simplefilter("ignore")  # newer Pythons warn of every fork beside threads
            print(vscode_bridge.chat("parent"), flush=True)
            stop = threading.Event()
            def busy():
                while not stop.is_set():
                    vscode_bridge.chat("busy")
            threads = [threading.Thread(target=busy) for _ in range(4)]
            for thread in threads: thread.start()
            children = []
            for number in range(5):
                child = os.fork()
                if child == 0:
                    os.write(1, (vscode_bridge.chat(f"child {number}") + "\\n").encode())
                    os._exit(0)
                children.append(child)
            statuses = [os.waitpid(child, 0)[1] for child in children]
            stop.set()
            for thread in threads: thread.join()
            print(statuses, vscode_bridge.chat("parent again"))
            """,
            self.server.environment,
        )
        self.assertEqual(program.stderr, "")
        lines = program.stdout.splitlines()
        self.assertEqual(lines[0], "PARENT")
        self.assertEqual(sorted(lines[1:6]), [f"CHILD {number}" for number in range(5)])
        self.assertEqual(lines[6:], ["[0, 0, 0, 0, 0] PARENT AGAIN"])

    def test_processes_of_multiprocessing_have_the_bridge(self) -> None:
        program = run_python(
            """
            import multiprocessing, vscode_bridge
            if __name__ == "__main__":
                vscode_bridge.chat("first")
                with multiprocessing.get_context("fork").Pool(2) as pool:
                    print(pool.map(vscode_bridge.chat, ["a", "b", "c"]))
            """,
            self.server.environment,
        )
        self.assertEqual((program.stdout, program.stderr), ("['A', 'B', 'C']\n", ""))


if __name__ == "__main__":
    unittest.main()
