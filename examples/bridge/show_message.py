"""A message, and one with buttons that waits for the user."""

import vscode_bridge

vscode_bridge.show_message("Deploy finished")
pressed = vscode_bridge.show_message("The tests failed", "warning", buttons=["Show", "Ignore"], timeout=60)
print(f"pressed: {pressed}")
