"""Fairlead for Python. `fairlead.vscode_bridge` reaches the VS Code window a script was started from."""

__version__ = "0.1.0"
