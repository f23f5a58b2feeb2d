# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""mcp_sdk_client.py: passes scenarios with the official Python SDK of MCP (PyPI: mcp), a client that nobody here wrote.

It reads the context of a scenario (JSON, a line each), sends the scenario's calls, prints a line that says how they ended, and
ends with its standard input. The calls go through the SDK's authorization, not through its session.
"""

import asyncio
import json
import sys
import urllib.parse

import httpx2
from mcp.client.auth import OAuthClientProvider
from mcp.client.auth.extensions.client_credentials import (
    ClientCredentialsOAuthProvider,
    PrivateKeyJWTOAuthProvider,
    SignedJWTParameters,
)
from mcp.client.auth.extensions.identity_assertion import IdentityAssertionOAuthProvider
from mcp.shared.auth import AuthorizationCodeResult, OAuthClientInformationFull, OAuthClientMetadata

REDIRECT_URI = "http://127.0.0.1:49200/callback"  # nothing listens there: the redirect is read, not followed
META = "io.modelcontextprotocol/"


class Storage:
    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client_info):
        self.client = client_info


def interactive(context):
    storage, response = Storage(), {}
    if context["name"] == "auth/pre-registration":
        storage.client = OAuthClientInformationFull(
            client_id=context["client_id"], client_secret=context["client_secret"], redirect_uris=[REDIRECT_URI],
            token_endpoint_auth_method="client_secret_basic",
        )

    async def show(page):
        async with httpx2.AsyncClient() as client:
            answer = await client.get(page, follow_redirects=False)
        if answer.status_code != 302:
            raise RuntimeError("the page led to no callback")
        response.clear()
        response.update(urllib.parse.parse_qsl(urllib.parse.urlparse(answer.headers["location"]).query))

    async def receive():
        return AuthorizationCodeResult(**{name: response.get(name) for name in ("code", "state", "iss")})

    metadata = OAuthClientMetadata(
        client_name="SDK", redirect_uris=[REDIRECT_URI], grant_types=["authorization_code", "refresh_token"],
        response_types=["code"],
    )
    document = context.get("client_metadata_url")
    return OAuthClientProvider(context["server_url"], metadata, storage, show, receive, client_metadata_url=document)


def enterprise(context):
    url = context["server_url"]
    place = urllib.parse.urljoin(url, "/.well-known/oauth-protected-resource/mcp")

    async def exchange(audience, resource):
        kind = "urn:ietf:params:oauth:token-type:"
        form = {
            "grant_type": "urn:ietf:params:oauth:grant-type:token-exchange", "requested_token_type": kind + "id-jag",
            "subject_token": context["idp_id_token"], "subject_token_type": kind + "id_token",
            "audience": audience, "resource": resource, "client_id": context["idp_client_id"],
        }
        async with httpx2.AsyncClient() as client:
            return (await client.post(context["idp_token_endpoint"], data=form)).json()["access_token"]

    return IdentityAssertionOAuthProvider(
        url, Storage(), context["client_id"], context["client_secret"],
        httpx2.get(place).json()["authorization_servers"][0], exchange,
        token_endpoint_auth_method="client_secret_basic",
    )


def provider(context):
    url, client = context["server_url"], context.get("client_id")
    if context["name"] == "auth/client-credentials-basic":
        return ClientCredentialsOAuthProvider(url, Storage(), client, context["client_secret"])
    if context["name"] == "auth/client-credentials-jwt":
        key = SignedJWTParameters(
            issuer=client, subject=client, signing_algorithm="ES256", signing_key=context["private_key_pem"]
        )
        return PrivateKeyJWTOAuthProvider(url, Storage(), client, key.create_assertion_provider())
    return enterprise(context) if "idp_id_token" in context else interactive(context)


def message(method, version):
    parameters = {"name": "test-tool", "arguments": {}} if method == "tools/call" else {}
    if version >= "2026":
        parameters["_meta"] = {META + "protocolVersion": version, META + "clientCapabilities": {}}
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": parameters}


async def perform(context):
    version = context["protocol_version"]
    fields = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": version}
    async with httpx2.AsyncClient(auth=provider(context), headers=fields, timeout=300) as client:
        for method in ("tools/list", "tools/call"):
            answer = await client.post(context["server_url"], json=message(method, version))
            if answer.status_code != 200:
                return "%s: %d" % (method, answer.status_code)
    return "answered"


for line in sys.stdin:
    try:
        outcome = asyncio.run(perform(json.loads(line)))
    except Exception as error:
        outcome = "%s: %s" % (type(error).__name__, str(error).replace("\n", " ")[:200])
    print(outcome, flush=True)
