"""Asks the editor's own language model, and goes on with the conversation."""

import vscode_bridge

first = vscode_bridge.chat("What is a fairlead on a boat? One sentence.")
print(first)
second = vscode_bridge.chat("And why is it called so?", conversation_id=first.conversation_id)
print(second)
for message in vscode_bridge.get_chat_history(first.conversation_id):
    print(f"{message['role']}: {message['content']}")
