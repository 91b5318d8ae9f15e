"""A client as the first form of the protocol had it, made from its description: the token in the query, no greeting,
one request at a time, ids from the clock, frames that are whole. It must go on working.

Takes requests as JSON, {"type", "params"}, and prints the replies as lines. {"event", "body"} is work that is left to the
window: its result is waited for. Text that is no JSON is sent as it is."""

import base64
import hashlib
import json
import os
import socket
import sys
import time
from urllib.parse import urlencode, urlparse


class FirstClient:
    def __init__(self, address, token, session):
        url = urlparse(address)
        self.socket = socket.create_connection((url.hostname, url.port), timeout=5)
        key = base64.b64encode(os.urandom(16)).decode()
        query = urlencode({"token": token, "session": session})
        self.socket.sendall(
            (
                f"GET {url.path}?{query} HTTP/1.1\r\nHost: {url.hostname}:{url.port}\r\nUpgrade: websocket\r\n"
                f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
            ).encode()
        )
        answer = b""
        while not answer.endswith(b"\r\n\r\n"):
            answer += self.socket.recv(1)
        digest = hashlib.sha1((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").encode()).digest()
        # It looks for the header in exactly this spelling.
        assert f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}" in answer.decode()
        assert " 101 " in answer.decode().splitlines()[0]

    def send_text(self, text):
        data, mask = text.encode(), os.urandom(4)
        size = len(data)
        if size < 126:
            head = bytes([0x81, 0x80 | size])
        elif size < 65536:
            head = bytes([0x81, 0xFE]) + size.to_bytes(2, "big")
        else:
            head = bytes([0x81, 0xFF]) + size.to_bytes(8, "big")
        self.socket.sendall(head + mask + bytes(byte ^ mask[i % 4] for i, byte in enumerate(data)))

    def receive(self):
        """Takes every frame for a message: it knows no pings and no fragments."""
        first, second = self.exactly(2)
        size = second & 0x7F
        if size == 126:
            size = int.from_bytes(self.exactly(2), "big")
        elif size == 127:
            size = int.from_bytes(self.exactly(8), "big")
        return first, self.exactly(size)

    def exactly(self, size):
        data = b""
        while len(data) < size:
            chunk = self.socket.recv(size - len(data))
            if not chunk:
                raise SystemExit("the connection was closed")
            data += chunk
        return data

    def leave_to_window(self, operation):
        self.send_text(json.dumps({"type": "dapEvent", **operation}))
        while True:
            _, data = self.receive()
            message = json.loads(data)
            if message.get("type") == "dapEvent" and message.get("event") == "asyncOperationSubmit":
                return message["body"]

    def request(self, request):
        if "event" in request:
            return self.leave_to_window(request)
        sent = {"id": int(time.time() * 1000) % 1_000_000_000, **request}
        self.send_text(json.dumps(sent))
        while True:
            _, data = self.receive()
            reply = json.loads(data)
            if reply.get("id") == sent["id"]:
                return {name: value for name, value in reply.items() if name != "id"}


def main():
    names = [f"EVOLVE_RUN_BRIDGE_{part}" for part in ("ADDR", "TOKEN", "SESSION")]
    client = FirstClient(*(os.environ[name] for name in names))
    for line in sys.argv[1:]:
        try:
            print(json.dumps(client.request(json.loads(line))))
        except json.JSONDecodeError:
            client.send_text(line)
            first, data = client.receive()
            if first == 0x88:
                print("closed", int.from_bytes(data[:2], "big"), data[2:].decode())
            else:
                print(data.decode())


main()
