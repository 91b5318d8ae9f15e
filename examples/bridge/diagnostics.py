"""Prints the problems that VS Code sees in the workspace."""

import vscode_bridge

for problem in vscode_bridge.diagnostics(severity="warning"):
    print(f"{problem.path}:{problem.range.start.line + 1}: {problem.severity}: {problem.message}")
