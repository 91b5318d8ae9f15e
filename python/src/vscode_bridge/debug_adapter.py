"""The short name of `fairlead.vscode_bridge.debug_adapter`."""

from fairlead.vscode_bridge.debug_adapter import *  # noqa: F403
