"""Shows how far the work is, and stops when the user cancels."""

import time

import vscode_bridge

with vscode_bridge.progress("Copying files", cancellable=True) as shown:
    for number in range(1, 11):
        time.sleep(0.2)
        if shown.report(f"file {number} of 10", percent=number * 10):
            print("cancelled")
            break
    else:
        print("copied")
