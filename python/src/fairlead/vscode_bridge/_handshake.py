"""Opens a WebSocket: the connection and the handshake, within a deadline."""

from __future__ import annotations

import base64
import hashlib
import os
import socket
import time
from typing import Dict, Mapping, Tuple
from urllib.parse import urlsplit

_HEADER_LIMIT_BYTES = 16 * 1024
_BODY_LIMIT_BYTES = 16 * 1024
_MAGIC = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


class HandshakeFault(Exception):
    """The server answered, and not with a WebSocket. The status is 0 when it was no HTTP at all."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status
        self.detail = detail


def open_websocket(address: str, headers: Mapping[str, str], timeout: float) -> Tuple[socket.socket, bytes]:
    """The socket, non-blocking, and the bytes behind the handshake that came with it. Raises OSError when nothing
    answers, HandshakeFault when what answers is no bridge, ValueError when the address is none."""
    deadline = time.monotonic() + timeout
    host, port, path = _split(address)
    connection = socket.create_connection((host, port), timeout=timeout)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key = base64.b64encode(os.urandom(16)).decode("ascii")
        connection.sendall(_request(host, port, path, key, headers))
        rest = _read_answer(connection, key, deadline)
        connection.setblocking(False)
        return connection, rest
    except BaseException:
        connection.close()
        raise


def _split(address: str) -> Tuple[str, int, str]:
    url = urlsplit(address)
    if url.scheme != "ws" or not url.hostname:
        raise ValueError(f"'{address}' is not an address such as ws://127.0.0.1:40123/")
    return url.hostname, url.port or 80, url.path or "/"


def _request(host: str, port: int, path: str, key: str, headers: Mapping[str, str]) -> bytes:
    name = f"[{host}]" if ":" in host else host
    lines = [
        f"GET {path} HTTP/1.1",
        f"Host: {name}:{port}",
        "Upgrade: websocket",
        "Connection: Upgrade",
        f"Sec-WebSocket-Key: {key}",
        "Sec-WebSocket-Version: 13",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    if any("\r" in line or "\n" in line for line in lines):
        raise ValueError("A header of the handshake has a line break in it")
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _read_answer(connection: socket.socket, key: str, deadline: float) -> bytes:
    data = b""
    while b"\r\n\r\n" not in data:
        if len(data) > _HEADER_LIMIT_BYTES:
            raise HandshakeFault(0, "its answer has endless headers")
        data += _receive(connection, deadline)
    head, rest = data.split(b"\r\n\r\n", 1)
    status, headers = _parse(head.decode("latin-1"))
    if status != 101:
        raise HandshakeFault(status, _refusal(connection, rest, headers, deadline))
    expected = base64.b64encode(hashlib.sha1((key + _MAGIC).encode("ascii")).digest()).decode("ascii")
    if headers.get("sec-websocket-accept") != expected:
        raise HandshakeFault(status, "its answer does not belong to this handshake")
    return rest


def _parse(head: str) -> Tuple[int, Dict[str, str]]:
    first, *lines = head.split("\r\n")
    parts = first.split(" ", 2)
    if len(parts) < 2 or not parts[0].startswith("HTTP/1.") or not parts[1].isdigit():
        raise HandshakeFault(0, "it does not speak HTTP")
    pairs = (line.partition(":") for line in lines)
    return int(parts[1]), {name.strip().lower(): value.strip() for name, _, value in pairs}


def _refusal(connection: socket.socket, body: bytes, headers: Dict[str, str], deadline: float) -> str:
    """What the server says about it; a body that does not come is not waited for longer than the deadline."""
    declared = headers.get("content-length", "")
    length = min(int(declared) if declared.isdigit() else 0, _BODY_LIMIT_BYTES)
    try:
        while len(body) < length:
            body += _receive(connection, deadline)
    except OSError:
        pass
    return body[:length].decode("utf-8", "replace").strip()


def _receive(connection: socket.socket, deadline: float) -> bytes:
    connection.settimeout(max(deadline - time.monotonic(), 0.001))
    data = connection.recv(4096)
    if not data:
        raise ConnectionResetError("the connection was closed during the handshake")
    return data
