# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""mcp_stdio_client.py AUTHORIZE URL: calls a server over `AUTHORIZE mcp URL` with the official Python SDK (PyPI: mcp).

It prints a line for each step; after a step that needs a person it waits for a line of its input, and tries again.
"""

import os
import sys

import anyio
from mcp import ClientSession
from mcp.client.stdio import StdioServerParameters, stdio_client


def say(*words):
    print(*words, flush=True)


async def main():
    parameters = StdioServerParameters(command=sys.argv[1], args=["mcp", sys.argv[2]], env=dict(os.environ))
    async with stdio_client(parameters) as (read, write):
        async with ClientSession(read, write) as session:
            while True:
                try:
                    say("initialized", (await session.initialize()).server_info.name)
                    break
                except Exception as error:
                    say("refused", str(error))
                    await anyio.to_thread.run_sync(sys.stdin.readline)
            say("tools", *sorted(tool.name for tool in (await session.list_tools()).tools))

            async def progress(done, total, message):
                say("progress", int(done), int(total))

            result = await session.call_tool("count", {"to": 3}, progress_callback=progress)
            say("counted", result.content[0].text)
            try:
                await session.call_tool("write", {"text": "x"})
                say("wrote too early")
            except Exception as error:
                say("refused", str(error))
            await anyio.to_thread.run_sync(sys.stdin.readline)
            say("wrote", (await session.call_tool("write", {"text": "x"})).content[0].text)


anyio.run(main)
