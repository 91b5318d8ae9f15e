"""Several questions to the model at once, with asyncio."""

import asyncio

from vscode_bridge import aio


async def main() -> None:
    questions = ["What is a rope?", "What is a cleat?", "What is a winch?"]
    for answer in await asyncio.gather(*(aio.chat(question) for question in questions)):
        print(answer)


asyncio.run(main())
