"""The short name of `fairlead.vscode_bridge.aio`."""

from fairlead.vscode_bridge.aio import *  # noqa: F403
