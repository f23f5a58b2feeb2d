# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""authlib_server.py DIR: an authorization server made of Authlib and Flask (Debian: python3-authlib, python3-flask), behind a
fault injector, on a free port of 127.0.0.1.

It writes its address to DIR/address and a line to its output when it listens, and ends with its standard input, or after LIFETIME seconds (600).

The server: /authorize (Alice consents at once), /token (code with PKCE, ID tokens for the scope "openid", one-time
refresh tokens, client credentials, device codes), /device_authorization (RFC 8628; GET /device?user_code=CODE is the person who
allows it), /revoke, metadata (RFC 8414); the public client "native", the confidential "web" with the secret "websecret", and "bank", which authenticates
with signed assertions (RFC 7523) for the server's address.

The injector: POST /control/faults [{…}] sets the faults for the next requests to /token, one each. A fault answers in
the server's place with "status", "body" and "fields", or closes the connection with "drop": "before" the server sees the request
or "after" it has answered. POST /control/secret TEXT changes the secret of "web". POST /control/revoke
ends all refresh tokens. POST /control/key JWK sets the public key of "bank". GET /control/calls returns how many requests came to /token, and how many the server saw.
"""

import json
import os
import secrets
import socket
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # http, on loopback only

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.jose import JsonWebKey
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.oidc.core import UserInfo
from authlib.oidc.core.grants import OpenIDCode
from flask import Flask, jsonify, request


class Client(ClientMixin):
    def __init__(self, client_id, secret, methods, grant_types):
        self.client_id, self.secret, self.methods, self.grant_types = client_id, secret, methods, grant_types

    def get_client_id(self):
        return self.client_id

    def get_default_redirect_uri(self):
        return "http://127.0.0.1:8400/cb"

    def get_allowed_scope(self, scope):
        return " ".join(s for s in (scope or "").split() if s in ("openid", "read", "write"))

    def check_redirect_uri(self, redirect_uri):
        return redirect_uri == self.get_default_redirect_uri()

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(self.secret, client_secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method in self.methods

    def check_response_type(self, response_type):
        return response_type == "code"

    def check_grant_type(self, grant_type):
        return grant_type in self.grant_types


class Token(TokenMixin):
    def __init__(self, fields, client, user):
        self.fields, self.client, self.user = fields, client, user
        self.expires_at = time.time() + fields["expires_in"]
        self.is_dead = False

    def check_client(self, client):
        return self.client is client

    def get_scope(self):
        return self.fields.get("scope", "")

    def get_expires_in(self):
        return self.fields["expires_in"]

    def is_expired(self):
        return time.time() > self.expires_at

    def is_revoked(self):
        return self.is_dead


class Code(AuthorizationCodeMixin):
    def __init__(self, text, request):
        self.text, self.client_id, self.user = text, request.client.client_id, request.user
        self.redirect_uri, self.scope = request.redirect_uri, request.scope
        self.code_challenge = request.data.get("code_challenge")
        self.code_challenge_method = request.data.get("code_challenge_method")
        self.nonce, self.auth_time = request.data.get("nonce"), int(time.time())

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope

    def get_nonce(self):
        return self.nonce

    def get_auth_time(self):
        return self.auth_time


SIGN_IN = ["authorization_code", "refresh_token"]
clients = {
    "native": Client("native", "", ["none"], SIGN_IN + [DeviceCodeGrant.GRANT_TYPE]),
    "web": Client("web", "websecret", ["client_secret_basic"], SIGN_IN + ["client_credentials"]),
    "bank": Client("bank", "", ["client_assertion_jwt"], SIGN_IN + ["client_credentials"]),
}
tokens = []
codes = {}
devices = {}
allowed = set()


class CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_assertion_jwt"]

    def save_authorization_code(self, code, request):
        codes[code] = Code(code, request)

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found.client_id == client.client_id else None

    def delete_authorization_code(self, authorization_code):
        codes.pop(authorization_code.text, None)

    def authenticate_user(self, authorization_code):
        return authorization_code.user


class IDTokens(OpenIDCode):
    """ID tokens, whose signatures nobody here verifies."""

    def exists_nonce(self, nonce, request):
        return any(code.nonce == nonce for code in codes.values())

    def get_jwt_config(self, grant):
        return {"key": "secret", "alg": "HS256", "iss": assertion.token_url, "exp": 3600}

    def generate_user_info(self, user, scope):
        return UserInfo(sub=user)


class RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none", "client_secret_basic", "client_assertion_jwt"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token):
        for token in tokens:
            if token.fields.get("refresh_token") == refresh_token and not token.is_dead:
                return token
        return None

    def authenticate_user(self, credential):
        return credential.user

    def revoke_old_credential(self, credential):
        credential.is_dead = True


class MachineGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_assertion_jwt"]


class Devices(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["none"]
    INTERVAL = 1

    def get_verification_uri(self):
        return assertion.token_url + "/device"

    def save_device_credential(self, client_id, scope, data):
        ends = time.time() + data["expires_in"]
        devices[data["device_code"]] = DeviceCredentialDict(data, client_id=client_id, scope=scope, expires_at=ends)


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["none"]

    def query_device_credential(self, device_code):
        return devices.get(device_code)

    def query_user_grant(self, user_code):
        return ("alice", True) if user_code in allowed else None

    def should_slow_down(self, credential):
        return False


class Assertion(JWTBearerClientAssertion):
    """Verifies the assertions of "bank", and accepts each only once."""

    key = None
    seen = set()

    def validate_jti(self, claims, jti):
        if jti in self.seen:
            return False
        self.seen.add(jti)
        return True

    def resolve_client_public_key(self, client, headers):
        return self.key


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["none", "client_secret_basic", "client_assertion_jwt"]

    def query_token(self, token_string, token_type_hint):
        for token in tokens:
            if token_string in (token.fields.get("access_token"), token.fields.get("refresh_token")):
                return token
        return None

    def revoke_token(self, token, request):
        token.is_dead = True


app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(
    app,
    query_client=clients.get,
    save_token=lambda fields, request: tokens.append(Token(fields, request.client, request.user)),
)
server.register_grant(CodeGrant, [IDTokens(require_nonce=True), CodeChallenge(required=True)])
server.register_grant(RefreshGrant)
server.register_grant(MachineGrant)
server.register_grant(DeviceGrant)
server.register_endpoint(Devices)
assertion = Assertion("unknown until it listens")
server.register_client_auth_method(Assertion.CLIENT_AUTH_METHOD, assertion)
server.register_endpoint(Revocation)


@app.get("/authorize")
def authorize():
    return server.create_authorization_response(grant_user="alice")


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/device_authorization")
def device_authorization():
    return server.create_endpoint_response("device_authorization")


@app.get("/device")
def device():
    allowed.add(request.args["user_code"])
    return "allowed"


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    names = {"authorization": "authorize", "token": "token", "revocation": "revoke",
             "device_authorization": "device_authorization"}
    endpoints = {f"{name}_endpoint": f"{assertion.token_url}/{path}" for name, path in names.items()}
    return jsonify(issuer=assertion.token_url, code_challenge_methods_supported=["S256"], **endpoints)


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response("revocation")


class Injector(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()
    faults = []
    calls = {"came": 0, "seen": 0}

    def do_GET(self):
        if self.path == "/control/calls":
            return self.answer(200, json.dumps(self.calls))
        self.forward(b"")

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path.startswith("/control/"):
            return self.control(self.path.removeprefix("/control/"), body)
        fault = {}
        if self.path == "/token":
            with self.lock:
                self.calls["came"] += 1
                fault = self.faults.pop(0) if self.faults else {}
        if fault.get("drop") == "before":
            return self.drop()
        if "status" in fault:
            return self.answer(fault["status"], fault.get("body", ""), fault.get("fields", []))
        self.forward(body, is_dropped=fault.get("drop") == "after")

    def control(self, name, body):
        with self.lock:
            if name == "faults":
                self.faults[:] = json.loads(body)
            elif name == "secret":
                clients["web"].secret = body.decode()
            elif name == "key":
                assertion.key = JsonWebKey.import_key(json.loads(body))
            elif name == "revoke":
                for token in tokens:
                    token.is_dead = True
        self.answer(200, "")

    def forward(self, body, is_dropped=False):
        with self.lock:
            if self.path == "/token":
                self.calls["seen"] += 1
            # `open` passes the request to Flask as a socket's server would.
            response = app.test_client().open(
                self.path, method=self.command, data=body, headers=list(self.headers.items())
            )
        if is_dropped:
            return self.drop()
        fields = [f for f in response.headers.items() if f[0].lower() not in ("content-length", "connection")]
        self.answer(response.status_code, response.get_data(as_text=True), fields)

    def drop(self):
        self.close_connection = True
        self.connection.shutdown(socket.SHUT_RDWR)

    def answer(self, status, text, fields=()):
        data = text.encode()
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256


def main(folder):
    threading.Timer(float(os.environ.get("LIFETIME", "600")), os._exit, [1]).start()
    listener = Server(("127.0.0.1", 0), Injector)
    assertion.token_url = "http://127.0.0.1:%d" % listener.server_port
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    place = os.path.join(folder, "address")
    with open(place + ".new", "w") as file:
        file.write("http://127.0.0.1:%d" % listener.server_port)
    os.rename(place + ".new", place)
    print("listening", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main(sys.argv[1])
