# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""identity_assertion_server.py DIR: an identity provider and the authorization server of a resource, which accepts its assertions
(ID-JAG) with the grant of Authlib (PyPI: Authlib 1.9, which FastMCP brings), on a free port of 127.0.0.1.

It writes its address to DIR/address and a line to its output when it listens, and ends with its standard input, or after
LIFETIME seconds (600).

/idp/token, the identity provider (written here, as Authlib has no such endpoint): exchanges an ID token or a refresh token of
"alice" for an assertion (RFC 8693), for the public client "app-at-idp" and the audience "…/as".
/as/token, Authlib: exchanges the assertion (RFC 7523), once, for the client "app" with the secret "appsecret". Metadata of both.

POST /control/login returns an "id_token" and a "refresh_token". POST /control/logout ends the log-ins. POST /control/assertion JSON
changes the claims of the next assertion, or its "typ". POST /control/secret TEXT changes the secret of "app".
GET /control/counts returns the exchanges and the tokens that were issued so far.
"""

import json
import os
import secrets
import sys
import threading
import time
from collections import Counter
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qsl

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # http, on loopback only

from authlib.oauth2.drafts import IDJAGGrant
from authlib.oauth2.rfc6749 import AuthorizationServer, ClientMixin, OAuth2Request
from authlib.oauth2.rfc6749.requests import BasicOAuth2Payload
from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

KEY = ECKey.generate_key("P-256")
KIND = "urn:ietf:params:oauth:token-type:"
counts = Counter(exchanges=0, tokens=0)
issued, changes, logins, seen = [], {}, set(), set()
base = ""


class Client(ClientMixin):
    secret = "appsecret"

    def get_client_id(self):
        return "app"

    def get_allowed_scope(self, scope):
        return " ".join(s for s in (scope or "").split() if s in ("read", "write"))

    def check_client_secret(self, client_secret):
        return secrets.compare_digest(self.secret, client_secret)

    def check_endpoint_auth_method(self, method, endpoint):
        return method == "client_secret_basic"

    def check_grant_type(self, grant_type):
        return grant_type == IDJAGGrant.GRANT_TYPE


client = Client()


class Grant(IDJAGGrant):
    def get_audiences(self):
        return [base + "/as"]

    def resolve_issuer_key(self, issuer, headers):
        return KEY if issuer == base + "/idp" else ECKey.generate_key("P-256")

    def authenticate_user(self, subject):
        return subject if subject == "alice" else None

    def check_jti(self, claims, jti):
        if jti in seen:
            return False
        seen.add(jti)
        return True

    def check_id_jag_permission(self, client, user, scopes):
        return "write" not in scopes


class Request(OAuth2Request):
    def __init__(self, path, form, headers):
        super().__init__("POST", base + path, headers=headers)
        self.payload, self._form = BasicOAuth2Payload(form), form

    @property
    def form(self):
        return self._form


class Server(AuthorizationServer):
    def query_client(self, client_id):
        return client if client_id == "app" else None

    def save_token(self, token, request):
        counts["tokens"] += 1
        issued.append(token["access_token"])

    def create_oauth2_request(self, request):
        return request

    def send_signal(self, name, *args, **kwargs):
        pass

    def handle_response(self, status, body, headers):
        return status, body


server = Server()
server.register_grant(Grant)


def make_token(grant_type, client, user=None, scope=None, expires_in=None, include_refresh_token=True):
    token = {"token_type": "Bearer", "access_token": secrets.token_urlsafe(), "expires_in": 60, "scope": scope or ""}
    return dict(token, refresh_token=secrets.token_urlsafe()) if include_refresh_token else token


server.register_token_generator("default", make_token)


def subject(form):
    """The person of a log-in that has not ended, if it is one of this provider, for this client."""
    token = form.get("subject_token", "")
    if form.get("subject_token_type") == KIND + "refresh_token":
        return "alice" if token in logins else None
    try:
        claims = jwt.decode(token, KEY, algorithms=["ES256"]).claims
    except (JoseError, ValueError):
        return None
    good = claims["sid"] in logins and claims["aud"] == "app-at-idp" and claims["exp"] > time.time()
    return claims["sub"] if good else None


def exchange(form):
    if form.get("client_id") != "app-at-idp":
        return 401, {"error": "invalid_client"}
    if form.get("requested_token_type") != KIND + "id-jag" or form.get("audience") != base + "/as":
        return 400, {"error": "invalid_target"}
    person = subject(form)
    if not person:
        return 400, {"error": "invalid_grant"}
    now, wanted = int(time.time()), {k: form[k] for k in ("resource", "scope") if k in form}
    change = dict(changes)
    changes.clear()
    header = {"alg": "ES256", "typ": change.pop("typ", IDJAGGrant.REQUIRED_TYP)}
    claims = dict(iss=base + "/idp", sub=person, aud=base + "/as", client_id="app", jti=secrets.token_urlsafe(),
                  iat=now, exp=now + 300, **wanted)
    counts["exchanges"] += 1
    assertion = jwt.encode(header, {**claims, **change}, KEY)
    return 200, {"access_token": assertion, "issued_token_type": KIND + "id-jag", "token_type": "N_A", "expires_in": 300}


def login():
    now, session = int(time.time()), secrets.token_urlsafe()
    logins.add(session)
    claims = dict(iss=base + "/idp", sub="alice", aud="app-at-idp", iat=now, exp=now + 300, sid=session)
    return {"id_token": jwt.encode({"alg": "ES256"}, claims, KEY), "refresh_token": session}


def metadata(name):
    own = {"authorization_grant_profiles_supported": ["urn:ietf:params:oauth:grant-profile:id-jag"]}
    if name == "idp":
        own = {"identity_chaining_requested_token_types_supported": [KIND + "id-jag"]}
    return {"issuer": f"{base}/{name}", "token_endpoint": f"{base}/{name}/token", **own}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    lock = threading.Lock()

    def do_GET(self):
        if self.path == "/control/counts":
            return self.answer(200, counts)
        name = self.path.removeprefix("/.well-known/oauth-authorization-server/")
        self.answer(200, metadata(name)) if name in ("idp", "as") else self.answer(404, {})

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode()
        form = dict(parse_qsl(body))
        with self.lock:
            if self.path == "/idp/token":
                return self.answer(*exchange(form))
            if self.path == "/as/token":
                return self.answer(*server.create_token_response(Request(self.path, form, dict(self.headers))))
            if self.path == "/control/login":
                return self.answer(200, login())
            if self.path == "/control/logout":
                logins.clear()
            if self.path == "/control/assertion":
                changes.update(json.loads(body))
            if self.path == "/control/secret":
                client.secret = body
        self.answer(200, {})

    def answer(self, status, body):
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


def main(folder):
    global base
    threading.Timer(float(os.environ.get("LIFETIME", "600")), os._exit, [1]).start()
    listener = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    base = "http://127.0.0.1:%d" % listener.server_port
    threading.Thread(target=listener.serve_forever, daemon=True).start()
    place = os.path.join(folder, "address")
    with open(place + ".new", "w") as file:
        file.write(base)
    os.rename(place + ".new", place)
    print("listening", flush=True)
    sys.stdin.buffer.read()
    os._exit(0)


main(sys.argv[1])
