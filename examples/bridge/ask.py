"""Questions. In an unattended run the defaults are the answers when the time is over."""

import vscode_bridge

environment = vscode_bridge.ask(
    "Which environment?", choices=["staging", "production"], default="staging", timeout=60
)
parts = vscode_bridge.ask(
    "Which parts?", choices=["server", "web", "docs"], multi=True, default=["server"], timeout=60
)
name = vscode_bridge.ask("Name of the release?", default="nightly", timeout=60)
if vscode_bridge.confirm(f"Deploy {name} to {environment}?", default=False, timeout=60):
    print(f"deploying {parts} of {name} to {environment}")
else:
    print("not deployed")
