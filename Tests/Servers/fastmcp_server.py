# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""fastmcp_server.py DIR: an MCP server that guards itself, made of FastMCP (PyPI: fastmcp), on a free port of 127.0.0.1.

It writes its address to DIR/address and a line to its output when it listens, and ends with its standard input, or after
LIFETIME seconds (600).

The server: /mcp with the tool "echo" (scope "read"), and its own authorization server: discovery (RFC 9728, RFC 8414),
registration (RFC 7591), /authorize (the person consents at once), /token (code with PKCE, one-time refresh tokens), /revoke.
It compares redirect URIs whole, port included, and answers a wrong one with a page. Access tokens last ACCESS_SECONDS (3600).

With STREAMING=1 it answers with server-sent events, in sessions, and has two tools more: "count", which tells its progress,
and "write", which is refused with 403 `insufficient_scope` unless the token has the scope "write".

GET /control/counts returns how often clients registered, asked for authorization, exchanged a code, refreshed and revoked.
POST /control/expire ends all access tokens, POST /control/forget all clients, POST /control/revoke all tokens.
"""

import json
import os
import socket
import sys
import threading
from collections import Counter

import uvicorn
from fastmcp import Context, FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers import in_memory
from fastmcp.server.auth.providers.in_memory import InMemoryOAuthProvider
from starlette.middleware import Middleware
from starlette.responses import JSONResponse, Response

in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = int(os.environ.get("ACCESS_SECONDS", "3600"))
STREAMS = os.environ.get("STREAMING") == "1"


class Provider(InMemoryOAuthProvider):
    """FastMCP's own server for tests, with counts."""

    def __init__(self, base):
        super().__init__(
            base_url=base,
            client_registration_options=ClientRegistrationOptions(
                enabled=True, valid_scopes=["read", "write"], default_scopes=["read", "write"]
            ),
            revocation_options=RevocationOptions(enabled=True),
            required_scopes=["read"],
        )
        self.counts = Counter(registrations=0, authorizations=0, codes=0, refreshes=0, revocations=0)

    async def register_client(self, client_info):
        await super().register_client(client_info)
        self.counts["registrations"] += 1

    async def authorize(self, client, params):
        self.counts["authorizations"] += 1
        return await super().authorize(client, params)

    async def exchange_authorization_code(self, client, authorization_code):
        token = await super().exchange_authorization_code(client, authorization_code)
        self.counts["codes"] += 1
        return token

    async def exchange_refresh_token(self, client, refresh_token, scopes):
        token = await super().exchange_refresh_token(client, refresh_token, scopes)
        self.counts["refreshes"] += 1
        return token

    async def revoke_token(self, token):
        await super().revoke_token(token)
        self.counts["revocations"] += 1


class WriteGuard:
    """Refuses calls of the tool "write" with a token that may only read (RFC 6750 section 3.1)."""

    def __init__(self, app, provider):
        self.app, self.provider = app, provider

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http" or scope["method"] != "POST" or scope["path"] != "/mcp":
            return await self.app(scope, receive, send)
        body, more = b"", True
        while more:
            part = await receive()
            body, more = body + part.get("body", b""), part.get("more_body", False)
        parts = [{"type": "http.request", "body": body, "more_body": False}]

        async def again():
            return parts.pop() if parts else await receive()

        token = dict(scope["headers"]).get(b"authorization", b"").decode().removeprefix("Bearer ")
        held = self.provider.access_tokens.get(token)
        message = json.loads(body or b"{}")
        if held and message.get("method") == "tools/call" and message["params"]["name"] == "write":
            if "write" not in held.scopes:
                challenge = 'Bearer error="insufficient_scope", scope="write"'
                return await Response(status_code=403, headers={"WWW-Authenticate": challenge})(scope, again, send)
        await self.app(scope, again, send)


def application(provider):
    server = FastMCP("guarded", auth=provider)

    @server.tool
    def echo(text: str) -> str:
        """Returns the text."""
        return text

    if STREAMS:

        @server.tool
        async def count(to: int, context: Context) -> str:
            """Counts, and tells each number."""
            for number in range(1, to + 1):
                await context.report_progress(number, to)
            return str(to)

        @server.tool
        def write(text: str) -> str:
            """Returns the text, if the token may write."""
            return text

    @server.custom_route("/control/{name}", methods=["GET", "POST"])
    async def control(request):
        name = request.path_params["name"]
        if name in ("expire", "revoke"):
            provider.access_tokens.clear()
        if name == "revoke":
            provider.refresh_tokens.clear()
        if name == "forget":
            provider.clients.clear()
        return JSONResponse(provider.counts)

    guard = [Middleware(WriteGuard, provider=provider)] if STREAMS else []
    return server.http_app(path="/mcp", json_response=not STREAMS, stateless_http=not STREAMS, middleware=guard)


class Server(uvicorn.Server):
    def __init__(self, config, announce):
        super().__init__(config)
        self.announce = announce

    async def startup(self, sockets=None):
        await super().startup(sockets=sockets)
        self.announce()


def main(folder):
    threading.Timer(float(os.environ.get("LIFETIME", "600")), os._exit, [1]).start()
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    base = "http://127.0.0.1:%d" % listener.getsockname()[1]

    def announce():
        place = os.path.join(folder, "address")
        with open(place + ".new", "w") as file:
            file.write(base)
        os.rename(place + ".new", place)
        print("listening", flush=True)

    def end_with_input():
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=end_with_input, daemon=True).start()
    config = uvicorn.Config(application(Provider(base)), log_level="warning", access_log=False)
    Server(config, announce).run(sockets=[listener])


main(sys.argv[1])
