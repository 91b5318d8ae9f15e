"""Uses the window where there is one, and does without where there is none. Every error says what to do."""

import vscode_bridge

if not vscode_bridge.is_available():
    print("not started from VS Code")
try:
    print(vscode_bridge.chat("Say hello."))
except vscode_bridge.NotAvailableError as error:
    print(f"no window: {error}")
except vscode_bridge.NoModelError as error:
    print(f"no model: {error}")
except vscode_bridge.ChatRefusedError as error:
    print(f"refused: {error}")
except vscode_bridge.BridgeError as error:
    print(f"failed: {error}")
