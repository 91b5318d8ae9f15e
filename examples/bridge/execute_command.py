"""Runs commands of VS Code. Which ones may be run is the user's setting `fairlead.commands.allowed`."""

import vscode_bridge
from vscode_bridge import Uri

vscode_bridge.execute_command("vscode.open", Uri.file(__file__))
try:
    vscode_bridge.execute_command("workbench.action.quit")
except vscode_bridge.PermissionDeniedError as error:
    print(f"{error.code}: not allowed, as it should be")
