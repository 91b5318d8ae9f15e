from __future__ import annotations

import os
import random
import struct
import unittest
from typing import List

from fairlead.vscode_bridge._frames import (
    Close,
    Event,
    Fault,
    FrameDecoder,
    Ping,
    Text,
    close_frame,
    pong_frame,
    text_frame,
)


def server_frame(opcode: int, payload: bytes, is_final: bool = True) -> bytes:
    first = (0x80 if is_final else 0) | opcode
    if len(payload) < 126:
        return struct.pack("!BB", first, len(payload)) + payload
    if len(payload) < 1 << 16:
        return struct.pack("!BBH", first, 126, len(payload)) + payload
    return struct.pack("!BBQ", first, 127, len(payload)) + payload


def unmasked(frame: bytes) -> bytes:
    """The payload of a frame of a client, taken apart byte by byte as a server would."""
    length, start = frame[1] & 0x7F, 2
    if length == 126:
        length, start = int.from_bytes(frame[2:4], "big"), 4
    elif length == 127:
        length, start = int.from_bytes(frame[2:10], "big"), 10
    mask, payload = frame[start : start + 4], frame[start + 4 :]
    assert frame[1] & 0x80 and len(payload) == length
    return bytes(byte ^ mask[index % 4] for index, byte in enumerate(payload))


class Encoding(unittest.TestCase):
    def test_frames_of_every_length_form_carry_their_text(self) -> None:
        for length in (0, 1, 3, 125, 126, 127, 65_535, 65_536, 70_001):
            with self.subTest(length=length):
                frame = text_frame("é" + "x" * (length - 2) if length > 2 else "x" * length)
                self.assertEqual(frame[0], 0x81)
                self.assertEqual(len(unmasked(frame)), length)
        self.assertEqual(unmasked(text_frame("naïve ✓")).decode("utf-8"), "naïve ✓")

    def test_control_frames_say_what_they_are(self) -> None:
        self.assertEqual((pong_frame(b"abc")[0], unmasked(pong_frame(b"abc"))), (0x8A, b"abc"))
        self.assertEqual(unmasked(close_frame(1000, "done")), b"\x03\xe8done")
        self.assertLessEqual(len(unmasked(close_frame(1000, "x" * 500))), 125)


class Decoding(unittest.TestCase):
    def test_bytes_may_come_in_pieces_of_any_size(self) -> None:
        chance = random.Random(7)
        expected: List[Event] = []
        stream = b""
        for _ in range(200):
            text = "é" * chance.choice([0, 1, 60, 63, 200, 40_000])
            stream += server_frame(1, text.encode("utf-8"))
            expected.append(Text(text))
        decoder = FrameDecoder(1 << 20)
        events: List[Event] = []
        while stream:
            size = chance.choice([1, 2, 3, 100, 9_000, 100_000])
            events += decoder.feed(stream[:size])
            stream = stream[size:]
        self.assertEqual(events, expected)

    def test_fragments_are_put_together_around_control_frames(self) -> None:
        letters = "naïve".encode("utf-8")
        stream = (
            server_frame(1, letters[:3], is_final=False)
            + server_frame(9, b"still there?")
            + server_frame(0, letters[3:4], is_final=False)
            + server_frame(10, b"")
            + server_frame(0, letters[4:])
        )
        events = FrameDecoder(1024).feed(stream)
        self.assertEqual(events, [Ping(b"still there?"), Text("naïve")])

    def test_a_close_frame_says_its_code_and_reason(self) -> None:
        self.assertEqual(FrameDecoder(99).feed(server_frame(8, b"\x03\xf0Unauthorized")), [Close(1008, "Unauthorized")])
        self.assertEqual(FrameDecoder(99).feed(server_frame(8, b"")), [Close(1005, "")])

    def test_a_message_over_the_limit_is_refused_before_it_has_come(self) -> None:
        too_long = Fault(1009, "a message is longer than 1000 bytes")
        self.assertEqual(FrameDecoder(1000).feed(server_frame(1, b"x" * 1001)[:6]), [too_long])
        decoder = FrameDecoder(1000)
        self.assertEqual(decoder.feed(server_frame(1, b"x" * 600, is_final=False)), [])
        self.assertEqual(decoder.feed(server_frame(0, b"x" * 600)[:6]), [too_long])

    def test_what_breaks_the_rules_is_a_fault(self) -> None:
        broken = {
            "masked": b"\x81\x81abcdx",
            "reserved bit": b"\xc1\x01x",
            "unknown kind": server_frame(3, b""),
            "binary": server_frame(2, b"x"),
            "continuation of nothing": server_frame(0, b"x"),
            "text within text": server_frame(1, b"x", is_final=False) + server_frame(1, b"x"),
            "ping in fragments": server_frame(9, b"x", is_final=False),
            "long ping": server_frame(9, b"x" * 126),
            "not UTF-8": server_frame(1, b"\xff\xfe"),
            "half a close code": server_frame(8, b"x"),
        }
        for name, stream in broken.items():
            with self.subTest(name):
                events = FrameDecoder(1 << 20).feed(server_frame(1, b"before") + stream)
                self.assertEqual(events[0], Text("before"))
                self.assertIsInstance(events[1], Fault)

    def test_random_bytes_are_never_an_exception(self) -> None:
        for _ in range(2_000):
            FrameDecoder(1 << 16).feed(os.urandom(64))


if __name__ == "__main__":
    unittest.main()
