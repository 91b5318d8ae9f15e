"""The frames of a WebSocket as RFC 6455 has them, for the client's side. Nothing here waits or opens anything."""

from __future__ import annotations

import os
import struct
from dataclasses import dataclass
from typing import List, Optional, Union

TEXT = 0x1
_CONTINUATION, _BINARY, _CLOSE, _PING, _PONG = 0x0, 0x2, 0x8, 0x9, 0xA
_CONTROL_LIMIT = 125


@dataclass
class Text:
    text: str


@dataclass
class Ping:
    payload: bytes


@dataclass
class Close:
    """The code is 1005 when the peer gave none."""

    code: int
    reason: str


@dataclass
class Fault:
    """The peer broke the rules; the code is the one to close with. Nothing comes behind it."""

    code: int
    reason: str


Event = Union[Text, Ping, Close, Fault]


class _FrameFault(Exception):
    def __init__(self, code: int, reason: str) -> None:
        super().__init__(reason)
        self.code = code


def text_frame(text: str) -> bytes:
    return _frame(TEXT, text.encode("utf-8"))


def pong_frame(payload: bytes) -> bytes:
    return _frame(_PONG, payload)


def close_frame(code: int, reason: str = "") -> bytes:
    return _frame(_CLOSE, struct.pack("!H", code) + reason.encode("utf-8")[:_CONTROL_LIMIT - 2])


def _frame(opcode: int, payload: bytes) -> bytes:
    length = len(payload)
    if length < 126:
        header = struct.pack("!BB", 0x80 | opcode, 0x80 | length)
    elif length < 1 << 16:
        header = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, length)
    else:
        header = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, length)
    mask = os.urandom(4)
    return header + mask + _masked(payload, mask)


def _masked(payload: bytes, mask: bytes) -> bytes:
    # As one big number: a loop over the bytes takes a hundred times as long.
    length = len(payload)
    pattern = (mask * (length // 4 + 1))[:length]
    return (int.from_bytes(payload, "little") ^ int.from_bytes(pattern, "little")).to_bytes(length, "little")


class FrameDecoder:
    """Takes bytes as they come, in pieces of any size, and gives what they complete. Parts of a frame are kept."""

    def __init__(self, limit_bytes: int) -> None:
        self._limit_bytes = limit_bytes
        self._buffer = bytearray()
        self._message: Optional[bytearray] = None

    def feed(self, data: bytes) -> List[Event]:
        self._buffer += data
        events: List[Event] = []
        try:
            while True:
                frame = self._next_frame()
                if frame is None:
                    return events
                event = self._accept(*frame)
                if event is not None:
                    events.append(event)
        except _FrameFault as fault:
            return [*events, Fault(fault.code, str(fault))]

    def _next_frame(self) -> "Optional[tuple[int, bool, bytes]]":
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        first, second = buffer[0], buffer[1]
        opcode, is_final, length, start = first & 0x0F, bool(first & 0x80), second & 0x7F, 2
        if first & 0x70:
            raise _FrameFault(1002, "a frame uses an extension that was not agreed on")
        if second & 0x80:
            raise _FrameFault(1002, "a frame of the server is masked")
        if opcode >= _CLOSE and (length > _CONTROL_LIMIT or not is_final):
            raise _FrameFault(1002, "a control frame is too long or in fragments")
        if length == 126:
            start = 4
        elif length == 127:
            start = 10
        if len(buffer) < start:
            return None
        if start > 2:
            length = int.from_bytes(buffer[2:start], "big")
        if length + len(self._message or b"") > self._limit_bytes:
            raise _FrameFault(1009, f"a message is longer than {self._limit_bytes} bytes")
        if len(buffer) < start + length:
            return None
        payload = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return opcode, is_final, payload

    def _accept(self, opcode: int, is_final: bool, payload: bytes) -> Optional[Event]:
        if opcode == _PING:
            return Ping(payload)
        if opcode == _PONG:
            return None
        if opcode == _CLOSE:
            return _close_event(payload)
        return self._accept_data(opcode, is_final, payload)

    def _accept_data(self, opcode: int, is_final: bool, payload: bytes) -> Optional[Text]:
        if opcode == _BINARY:
            raise _FrameFault(1003, "a message is binary")
        if opcode not in (TEXT, _CONTINUATION):
            raise _FrameFault(1002, f"a frame has the unknown kind {opcode}")
        if (opcode == _CONTINUATION) != (self._message is not None):
            raise _FrameFault(1002, "the fragments of a message are out of order")
        if self._message is None:
            if is_final:
                return Text(_decoded(payload))
            self._message = bytearray()
        self._message += payload
        if not is_final:
            return None
        message, self._message = bytes(self._message), None
        return Text(_decoded(message))


def _decoded(payload: bytes) -> str:
    try:
        return payload.decode("utf-8")
    except UnicodeDecodeError as error:
        raise _FrameFault(1007, "a message is not UTF-8") from error


def _close_event(payload: bytes) -> Close:
    if not payload:
        return Close(1005, "")
    if len(payload) == 1:
        raise _FrameFault(1002, "a close frame has half a code")
    return Close(int.from_bytes(payload[:2], "big"), payload[2:].decode("utf-8", "replace"))
