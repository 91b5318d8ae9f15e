"""Prints an answer while the model still speaks."""

import vscode_bridge

stream = vscode_bridge.chat_stream("Count to five in words.", timeout=60)
for piece in stream:
    print(piece, end="", flush=True)
print()
