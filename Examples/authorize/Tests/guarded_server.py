# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: the swift-request-authorization authors
"""guarded_server.py DIR MCP: a server that accepts the tokens of the MCP server MCP, on a free port of 127.0.0.1.

It writes its address to DIR/address, that with TLS to DIR/secure, and a line to its output when it listens, and ends with its standard input.

/repository.git is git's own `git http-backend` (DIR/repository.git) behind Basic: the password is the token. Other
paths answer as an API server of Kubernetes, behind Bearer.
GET /seen returns the credentials that came, a line each: the scheme and whether they were accepted.
"""

import base64
import json
import os
import ssl
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

FOLDER, RESOURCE = sys.argv[1:3]
seen = []


def is_valid(token):
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}).encode()
    fields = {
        "Authorization": "Bearer " + token, "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    try:
        return urllib.request.urlopen(urllib.request.Request(RESOURCE, body, fields)).status == 200
    except urllib.error.HTTPError:
        return False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        if self.path == "/seen":
            return self.answer(200, "\n".join(seen).encode())
        is_git = self.path.startswith("/repository.git/")
        scheme, _, value = (self.headers.get("Authorization") or "").partition(" ")
        if not value:
            return self.refuse(is_git)
        token = base64.b64decode(value).decode().partition(":")[2] if scheme == "Basic" else value
        accepted = is_valid(token)
        seen.append("%s %s" % (scheme, "accepted" if accepted else "refused"))
        if not accepted:
            return self.refuse(is_git)
        if is_git:
            return self.git()
        self.answer(200, json.dumps({"kind": "Status", "apiVersion": "v1", "path": self.path}).encode())

    do_POST = do_GET

    def refuse(self, is_git):
        self.answer(401, b"", [("WWW-Authenticate", 'Basic realm="git"' if is_git else "Bearer")])

    def git(self):
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        environment = {
            "GIT_PROJECT_ROOT": FOLDER, "GIT_HTTP_EXPORT_ALL": "1", "PATH_INFO": path, "QUERY_STRING": query,
            "REQUEST_METHOD": self.command, "CONTENT_TYPE": self.headers.get("Content-Type") or "",
            "CONTENT_LENGTH": str(len(body)), "REMOTE_USER": "user", "REMOTE_ADDR": "127.0.0.1",
            "PATH": os.environ["PATH"], "GIT_CONFIG_NOSYSTEM": "1", "HOME": FOLDER,
            "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding") or "",
        }
        output = subprocess.run(["git", "http-backend"], input=body, env=environment, capture_output=True).stdout
        head, _, content = output.partition(b"\r\n\r\n")
        fields = [line.split(": ", 1) for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, value in fields if name == "Status"), 200)
        self.answer(status, content, [field for field in fields if field[0] != "Status"])

    def answer(self, status, body, fields=()):
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


threading.Timer(float(os.environ.get("LIFETIME", "600")), os._exit, [1]).start()
server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
# kubectl sends credentials over TLS only.
certificate = os.path.join(FOLDER, "certificate.pem")
subprocess.run(
    ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
     "-keyout", certificate, "-out", certificate + ".public"], check=True, capture_output=True,
)
with open(certificate, "a") as file:
    file.write(open(certificate + ".public").read())
context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
context.load_cert_chain(certificate)
secure = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
secure.socket = context.wrap_socket(secure.socket, server_side=True)
threading.Thread(target=secure.serve_forever, daemon=True).start()
with open(os.path.join(FOLDER, "secure"), "w") as file:
    file.write("https://127.0.0.1:%d" % secure.server_port)
with open(os.path.join(FOLDER, "address"), "w") as file:
    file.write("http://127.0.0.1:%d" % server.server_port)
print("listening", flush=True)
sys.stdin.buffer.read()
os._exit(0)
