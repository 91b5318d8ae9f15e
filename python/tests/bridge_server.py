"""A window's end of the bridge for tests, on real sockets, which can be told to misbehave."""

from __future__ import annotations

import base64
import hashlib
import json
import socket
import struct
import threading
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

TOKEN = "the token of this run"
SESSION = "session-1"
Handler = Callable[[Dict[str, Any]], Dict[str, Any]]


class Peer:
    """One connection of a client, taken apart frame by frame."""

    def __init__(self, connection: socket.socket) -> None:
        self.socket = connection
        self.file = connection.makefile("rb")
        self.headers: Dict[str, str] = {}
        self.client_id = ""
        self._lock = threading.Lock()

    def handshake(self, behind: bytes = b"") -> None:
        self.file.readline()
        for line in iter(self.file.readline, b"\r\n"):
            if not line:
                raise ConnectionError("closed during the handshake")
            name, _, value = line.decode("latin-1").partition(":")
            self.headers[name.strip().lower()] = value.strip()
        key = self.headers["sec-websocket-key"] + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
        accept = base64.b64encode(hashlib.sha1(key.encode()).digest()).decode()
        answer = (
            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            f"Sec-WebSocket-Accept: {accept}\r\n\r\n"
        )
        self.send_bytes(answer.encode() + behind)

    def receive(self) -> Optional[Dict[str, Any]]:
        """The next message of the client, None when it has gone. Pongs are skipped."""
        while True:
            head = self.file.read(2)
            if len(head) < 2:
                return None
            length = head[1] & 0x7F
            if length == 126:
                length = int.from_bytes(self.file.read(2), "big")
            elif length == 127:
                length = int.from_bytes(self.file.read(8), "big")
            mask = self.file.read(4)
            data = self.file.read(length)
            if len(data) < length or head[0] & 0x0F == 8:
                return None
            if head[0] & 0x0F == 1:
                pattern = (mask * (length // 4 + 1))[:length]
                number = int.from_bytes(data, "big") ^ int.from_bytes(pattern, "big")
                message = json.loads(number.to_bytes(length, "big"))
                assert isinstance(message, dict)
                return message

    def send(self, message: Dict[str, Any]) -> None:
        self.send_bytes(frame(json.dumps(message).encode()))

    def send_bytes(self, data: bytes) -> None:
        with self._lock:
            self.socket.sendall(data)

    def close(self, code: int, reason: str = "") -> None:
        self.send_bytes(frame(struct.pack("!H", code) + reason.encode(), 8))
        self.drop()

    def drop(self) -> None:
        try:
            self.socket.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.socket.close()


def frame(payload: bytes, opcode: int = 1, is_final: bool = True) -> bytes:
    first = (0x80 if is_final else 0) | opcode
    if len(payload) < 126:
        return struct.pack("!BB", first, len(payload)) + payload
    if len(payload) < 1 << 16:
        return struct.pack("!BBH", first, 126, len(payload)) + payload
    return struct.pack("!BBQ", first, 127, len(payload)) + payload


class BridgeServer:
    """Keeps the promises of the wire: a request id is done once, replies are kept until they are acknowledged."""

    def __init__(self) -> None:
        self.handlers: Dict[str, Handler] = {}
        self.server_id = "server-1"
        self.peers: List[Peer] = []
        #: Every request that was run, in order.
        self.requests: List[Dict[str, Any]] = []
        self.cancelled: List[Any] = []
        self.acknowledged: Set[Any] = set()
        #: Called instead of all else with every new connection, when set.
        self.on_peer: Optional[Callable[[Peer], None]] = None
        #: Called before a reply is sent; what it returns is sent instead, and None is nothing.
        self.on_reply: Callable[[Peer, Dict[str, Any]], Optional[Dict[str, Any]]] = lambda _, reply: reply
        self.news = threading.Condition()
        self._known: Set[Tuple[str, str, Any]] = set()
        self._replies: Dict[str, Dict[Any, Dict[str, Any]]] = {}
        self._current: Dict[str, Peer] = {}
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._listen()

    @property
    def address(self) -> str:
        return f"ws://127.0.0.1:{self.port}/"

    @property
    def environment(self) -> Dict[str, str]:
        values = {"ADDR": self.address, "TOKEN": TOKEN, "SESSION": SESSION}
        return {f"FAIRLEAD_RUN_BRIDGE_{name}": value for name, value in values.items()}

    def wait_for(self, condition: Callable[[], bool], seconds: float = 10) -> None:
        with self.news:
            if not self.news.wait_for(condition, seconds):
                raise AssertionError("it did not happen in time")

    def stop(self) -> None:
        """Nothing listens any more, and every connection is cut."""
        try:
            self._listener.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self._listener.close()
        self.drop_all()

    def drop_all(self) -> None:
        for peer in list(self.peers):
            peer.drop()

    def start_again(self, is_reloaded: bool) -> None:
        """On the same port; a reloaded window has forgotten everything."""
        if is_reloaded:
            self.server_id += "+"
            self._replies.clear()
        self._listener = socket.create_server(("127.0.0.1", self.port))
        self._listen()

    def _listen(self) -> None:
        threading.Thread(target=self._accept, args=(self._listener,), daemon=True).start()

    def _accept(self, listener: socket.socket) -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(Peer(connection),), daemon=True).start()

    def _serve(self, peer: Peer) -> None:
        self.peers.append(peer)
        try:
            if self.on_peer is not None:
                self.on_peer(peer)
                return
            peer.handshake()
            self._converse(peer)
        except (OSError, ValueError):
            pass
        finally:
            peer.drop()
            peer.file.close()
            self.peers.remove(peer)
            with self.news:
                self.news.notify_all()

    def _converse(self, peer: Peer) -> None:
        for message in iter(peer.receive, None):
            self._handle(peer, message)
            with self.news:
                self.news.notify_all()

    def _handle(self, peer: Peer, message: Dict[str, Any]) -> None:
        kind = message["type"]
        if kind == "$/hello":
            self._greet(peer, message)
        elif kind == "$/cancel":
            self.cancelled.append(message["id"])
        elif kind == "$/ack":
            self.acknowledged.add(message["id"])
            self._replies[peer.client_id].pop(message["id"], None)
        else:
            self._run(peer, message)

    def _greet(self, peer: Peer, hello: Dict[str, Any]) -> None:
        if peer.headers.get("authorization") != f"Bearer {TOKEN}" or hello["session"] != SESSION:
            peer.close(1008, "Unauthorized")
            return
        peer.client_id = hello["clientId"]
        is_resumed = peer.client_id in self._replies
        kept = self._replies.setdefault(peer.client_id, {})
        self._current[peer.client_id] = peer
        welcome = {"type": "$/welcome", "protocolVersion": 1, "serverId": self.server_id}
        peer.send({**welcome, "isResumed": is_resumed})
        for reply in list(kept.values()):
            peer.send(reply)

    def _run(self, peer: Peer, message: Dict[str, Any]) -> None:
        known = (self.server_id, peer.client_id, message["id"])
        if known in self._known:
            return  # it is under way, or its reply was sent again with the welcome
        self._known.add(known)
        self.requests.append(message)
        handler = self.handlers.get(message["type"])
        threading.Thread(target=self._answer, args=(peer.client_id, message, handler), daemon=True).start()

    def _answer(self, client_id: str, message: Dict[str, Any], handler: Optional[Handler]) -> None:
        reply: Dict[str, Any] = {"id": message["id"]}
        try:
            if handler is None:
                raise Refusal("unknown_type", f"Unknown request type: {message['type']}")
            reply = {**reply, "success": True, "result": handler(message["params"])}
        except Refusal as refusal:
            reply = {**reply, "success": False, "error": str(refusal), "code": refusal.code}
        self._replies[client_id][message["id"]] = reply
        peer = self._current[client_id]
        try:
            changed = self.on_reply(peer, reply)
            if changed is not None:
                peer.send(changed)
        except OSError:
            pass  # it gets it when it is back
        with self.news:
            self.news.notify_all()


class Refusal(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
