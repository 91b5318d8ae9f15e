"""Shows what a change would do, without making it."""

from pathlib import Path

import vscode_bridge
from vscode_bridge import DiffText

changed = Path(__file__).read_text(encoding="utf-8").upper()
title = vscode_bridge.show_diff(__file__, DiffText(changed, "louder.py"), title="Louder?")
print(title)
