"""Shows a file with its third line selected."""

import vscode_bridge
from vscode_bridge import Position, Range

opened = vscode_bridge.open_file(__file__, selection=Range(Position(2, 0), Position(3, 0)))
print(f"{opened.language_id}, {opened.line_count} lines")
