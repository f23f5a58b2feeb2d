"""Tests `authorize login` in the browser: at an MCP server, and with tokens that are bound to a key (DPoP)."""

import json
import os
import signal
import socket
import subprocess
import tempfile

from .processes import Program, run

PYTHON = os.path.abspath(".build/python/bin/python")
SERVERS = os.path.abspath("Tests/Servers")


def check(browser, products):
    with tempfile.TemporaryDirectory() as home:
        tool = Tool(products, home)
        at_an_mcp_server(browser, tool)
        with_bound_tokens(browser, tool)


class Tool:
    def __init__(self, products, home):
        self.products, self.home = products, home
        self.environment = {"PATH": os.environ["PATH"], "HOME": home, "XDG_STATE_HOME": home}

    def run(self, *arguments, status=0):
        ending, output, errors = run("authorize", *arguments, folder=self.products, environment=self.environment)
        assert ending == status, f"{arguments}: exit {ending}\n{output}{errors}"
        return output

    def login(self, browser, url, *arguments, answer=""):
        """Signs in. The answer is what the person's click adds to the address of the page."""
        with Program("authorize", "login", url, "--no-browser", *arguments, folder=self.products,
                     environment=self.environment) as login:
            browser.open(login.line("?") + answer)
            text = browser.text()
            assert "you can close this window" in text.lower(), text
            ending, output, errors = login.end()
            assert ending == 0, errors


def at_an_mcp_server(browser, tool):
    folder = os.path.join(tool.home, "mcp")
    os.mkdir(folder)
    server = subprocess.Popen(
        [PYTHON, SERVERS + "/fastmcp_server.py", folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    try:
        server.stdout.readline()
        with open(folder + "/address") as file:
            url = file.read() + "/mcp"
        tool.login(browser, url)
        assert [session["url"] for session in json.loads(tool.run("list", "--json"))] == [url]
        tool.run("logout", url)
        tool.run("header", url, status=77)
    finally:
        server.stdin.close()
        server.wait()


def with_bound_tokens(browser, tool):
    """Glewlwyd issues the tokens, Apache takes them. A proof is for one method and one address."""
    os.chmod(tool.home, 0o711)  # Apache's own user reads below it
    port, callback, resource = free_port(), free_port(), free_port()
    secret = os.path.join(tool.home, "secret")
    with open(secret, "w") as file:
        file.write("tool-secret\n")
    base, url = f"http://localhost:{port}", f"http://127.0.0.1:{resource}/dpop/"
    with Server(tool, "glewlwyd", str(port)) as glewlwyd:
        register(glewlwyd.folder, base, callback)
        sign_in_to_server(browser, base)
        issuer = base + "/api/oidc"
        with Server(tool, "apache-resource-server", str(resource), issuer) as apache:
            tool.login(browser, url, "--issuer", issuer, "--client", "tool", "--client-secret-file", secret,
                       "--port", str(callback), "--scope", "read", "--dpop", answer="&g_continue=")
            header = tool.run("header", url)
            assert header.startswith("Authorization: DPoP ") and "\nDPoP: " in header, "no proof"
            apache.answers("200", "the first call", url, header)
            apache.answers("200", "another method", url, tool.run("header", url, "--method", "post"), "-X", "POST")
            apache.answers("401", "a proof for another method", url, header, "-X", "POST")
            apache.answers("401", "a proof for another address", url, tool.run("header", url + "other"))
            apache.answers("401", "a token without its key", url, header.splitlines()[0])
            tool.run("token", url, "--format", "kubectl", status=1)
            tool.run("logout", url)
            tool.run("header", url, status=77)


class Server:
    """A server that a script of Tests/Servers starts."""

    def __init__(self, tool, name, *arguments):
        self.folder = os.path.join(tool.home, name)
        script = f"{SERVERS}/start-{name}.sh"
        subprocess.run(["bash", script, self.folder, *arguments], check=True, stdout=subprocess.DEVNULL)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with open(self.folder + "/pid") as file:
            os.killpg(int(file.read()), signal.SIGKILL)

    def answers(self, expected, case, url, header, *more):
        status = curl(url, header, *more)
        if status != expected:
            with open(self.folder + "/error.log") as file:
                raise AssertionError(f"{case}: {status} instead of {expected}. {''.join(file.readlines()[-3:])}")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def register(folder, base, callback):
    """Registers a client as the server's administrator."""
    client = {
        "client_id": "tool", "name": "tool", "enabled": True, "confidential": True, "client_secret": "tool-secret",
        "redirect_uri": [f"http://127.0.0.1:{callback}/callback"], "authorization_type": ["code", "refresh_token"],
        "token_endpoint_auth_method": ["client_secret_basic"],
    }
    subprocess.run(
        ["curl", "-sf", "-b", folder + "/cookies", "-H", "Content-Type: application/json", "-d", json.dumps(client),
         base + "/api/client"], check=True)


def sign_in_to_server(browser, base):
    """Signs alice in, and lets her allow the client, without the server's own pages."""
    browser.open(base + "/config")
    for method, path, body in [
        ("POST", "/api/auth", {"username": "alice", "password": "alicepass"}),
        ("PUT", "/api/auth/grant/tool", {"scope": "read"}),
    ]:
        status = browser.script(
            """const call = new XMLHttpRequest(); call.open(arguments[0], arguments[1], false);
            call.setRequestHeader("Content-Type", "application/json"); call.send(arguments[2]); return call.status""",
            method, path, json.dumps(body))
        assert status == 200, (path, status)


def curl(url, header, *more):
    command = ["curl", "-s", "-o", "/dev/null", "-w", "%{http_code}", "-H", "@-", *more, url]
    return subprocess.run(command, input=header, check=True, capture_output=True, text=True).stdout
