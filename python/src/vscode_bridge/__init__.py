"""The short name of `fairlead.vscode_bridge`."""

from fairlead.vscode_bridge import *  # noqa: F403
from fairlead.vscode_bridge import _set_bridge as _set_bridge
