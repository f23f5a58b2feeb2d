# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""scripted_server.py SCRIPT: an MCP server that answers as it is told, on a free port of 127.0.0.1.

SCRIPT is a JSON object: from the kind of a message, such as "GET" or "tools/call", to the answers in their order; "refresh" is
the kind of a refresh at /token, and "tools/call a" that of messages in the session "a". An answer has "status", "fields",
"body", "isCut" (the connection breaks before the end of the body), "until" (the kind of a message that comes before it; for a
refresh a line says that it waits), "hangs" (there is no answer), "staysOpen" (there is no end of the body) and "copies" (the
body comes so many times; a line says whether the client took all of it, or held it up for two seconds).
Without one, a request is answered with a result (its fields of MCP), a notification with 202, and GET with 405.

It prints its address, then a line for each message: its kind, its Last-Event-ID, and the scheme and token of its
Authorization. It ends with its standard input.

With GUARDED=1 it wants a token. It is its own authorization server: discovery (RFC 9728, RFC 8414), registration, /authorize
(the person consents at once) and /token. The tokens are t1, t2 and so on, bound to a key if the client proves one (RFC 9449).
With DEVICES=1 it does not list PKCE, and takes sign-ins on another device (RFC 8628; the person consents at once). With
DOCUMENTS=1 it takes client id metadata documents. REVOCATION is the address of its revocation endpoint. It prints a line for a
credential that comes with a request for metadata.
"""

import json
import os
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

script = json.loads(sys.argv[1])
lock = threading.Lock()
types = {}
kinds = {}
devices = os.environ.get("DEVICES") == "1"
RESOURCE = "/.well-known/oauth-protected-resource"


def say(*words):
    print(*words, flush=True)


def coming(kind):
    with lock:
        return kinds.setdefault(kind, threading.Event())


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path, _, query = self.path.partition("?")
        if path.startswith("/.well-known/") and "Authorization" in self.headers:
            say("credential at", path)
        if path == "/token":
            return self.token(urllib.parse.parse_qs(body.decode()))
        if path == "/register":
            return self.json({"client_id": "c", **json.loads(body)}, 201)
        if path == "/device_authorization":
            return self.json({
                "device_code": "d", "user_code": "ABCD", "verification_uri": base + "/device", "expires_in": 600, "interval": 1,
            })
        if path == "/authorize":
            asked = dict(urllib.parse.parse_qsl(query))
            back = urllib.parse.urlencode({"code": "c", "state": asked["state"], "iss": base})
            return self.answer(302, {"Location": asked["redirect_uri"] + "?" + back}, b"")
        if path.startswith(RESOURCE):
            resource = base + (path[len(RESOURCE):] or "/")
            return self.json({"resource": resource, "authorization_servers": [base]})
        if path.startswith("/.well-known/"):
            way = {"code_challenge_methods_supported": ["S256"]}
            if devices:
                way = {"device_authorization_endpoint": base + "/device_authorization"}
            if os.environ.get("DOCUMENTS") == "1":
                way["client_id_metadata_document_supported"] = True
            if "REVOCATION" in os.environ:
                way["revocation_endpoint"] = os.environ["REVOCATION"]
            return self.json({
                "issuer": base, "authorization_endpoint": base + "/authorize", "token_endpoint": base + "/token",
                "registration_endpoint": base + "/register", **way,
                "response_types_supported": ["code"], "authorization_response_iss_parameter_supported": True,
                "dpop_signing_alg_values_supported": ["ES256"], "scopes_supported": ["read"],
            })
        self.message(json.loads(body or b"{}"))

    do_GET = do_DELETE = do_POST

    def token(self, asked):
        answer = self.scripted("refresh") if asked.get("grant_type") == ["refresh_token"] else None
        if answer:
            if answer["until"]:
                say("refresh", "-", "-")
                coming(answer["until"]).wait()
            return self.answer(answer["status"], answer["fields"], answer["body"].encode())
        kind = "DPoP" if "DPoP" in self.headers else "Bearer"
        with lock:
            token = "t%d" % (len(types) + 1)
            types[token] = kind
        self.json({"access_token": token, "token_type": kind, "expires_in": 3600, "refresh_token": "r", "scope": "read"})

    def message(self, message):
        kind = self.command
        if kind == "POST":
            kind = "batch" if isinstance(message, list) else message.get("method", "response")
        scheme, _, token = self.headers.get("Authorization", "-").partition(" ")
        say(kind, self.headers.get("Last-Event-ID", "-"), scheme, token)
        coming(kind).set()
        if os.environ.get("GUARDED") == "1" and types.get(token) != scheme:
            return self.answer(401, {"WWW-Authenticate": "Bearer"}, b"")
        answer = self.scripted(kind + " " + self.headers.get("Mcp-Session-Id", "-")) or self.scripted(kind)
        if answer is None:
            return self.usual(kind, message)
        if answer.get("hangs"):
            return threading.Event().wait()
        if answer.get("until"):
            coming(answer["until"]).wait()
        self.answer(
            answer.get("status", 200), answer.get("fields", {}), answer.get("body", "").encode(),
            answer.get("isCut") or answer.get("staysOpen"), answer.get("copies", 1),
        )
        if answer.get("staysOpen"):
            threading.Event().wait()

    def scripted(self, kind):
        with lock:
            answers = script.get(kind)
            return answers.pop(0) if answers else None

    def usual(self, kind, message):
        if kind == "GET":
            return self.answer(405, {}, b"")
        if "id" not in message:
            return self.answer(202, {}, b"")
        result = {"protocolVersion": "2025-11-25"}
        if kind != "initialize":
            result = {name: value for name, value in self.headers.items() if name.lower().startswith("mcp-")}
        self.json({"jsonrpc": "2.0", "id": message["id"], "result": result})

    def json(self, value, status=200):
        self.answer(status, {"Content-Type": "application/json"}, json.dumps(value).encode())

    def answer(self, status, fields, body, is_cut=False, copies=1):
        self.send_response(status)
        for name, value in fields.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body) * copies + (1 if is_cut else 0)))
        if is_cut:
            self.close_connection = True
        self.end_headers()
        if copies == 1:
            return self.wfile.write(body)
        self.connection.settimeout(2)
        try:
            for _ in range(copies):
                self.wfile.write(body)
            say("taken")
        except TimeoutError:
            self.close_connection = True
            say("held up")

    def log_message(self, *_):
        pass


threading.Timer(float(os.environ.get("LIFETIME", "600")), os._exit, [1]).start()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
base = "http://127.0.0.1:%d" % server.server_port
threading.Thread(target=server.serve_forever, daemon=True).start()
say(base)
sys.stdin.buffer.read()
os._exit(0)
