"""Round trips over the bridge and over a bare WebSocket, in turns. Arguments: the address of the echo, rounds, warm-up rounds.
Prints the samples in milliseconds as JSON."""

from __future__ import annotations

import asyncio
import json
import sys
import time

from fairlead.vscode_bridge import request
from fairlead.vscode_bridge._frames import FrameDecoder, text_frame
from fairlead.vscode_bridge._handshake import open_websocket
from fairlead.vscode_bridge.aio import request as request_async

IN_A_ROW = 20
MESSAGE = json.dumps({"id": 1, "type": "vscode/openEditors", "params": {"timeout": 30000}})


def main() -> None:
    echo, rounds, warm_up_rounds = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
    connection, _ = open_websocket(echo, {}, 5)
    connection.setblocking(True)
    decoder = FrameDecoder(1 << 20)

    def bare() -> None:
        connection.sendall(text_frame(MESSAGE))
        while not decoder.feed(connection.recv(65536)):
            pass

    def bridge() -> None:
        request("vscode/openEditors")

    loop = asyncio.new_event_loop()

    def asynchronous() -> None:
        loop.run_until_complete(request_async("vscode/openEditors"))

    sources = {"bare": bare, "bridge": bridge, "asynchronous": asynchronous}
    samples: dict[str, list[float]] = {name: [] for name in sources}
    for number in range(-warm_up_rounds, rounds):
        for name, take in sources.items():
            for _ in range(IN_A_ROW):
                started = time.perf_counter()
                take()
                if number >= 0:
                    samples[name].append((time.perf_counter() - started) * 1000)
    loop.close()
    connection.close()
    print(json.dumps(samples))


main()
