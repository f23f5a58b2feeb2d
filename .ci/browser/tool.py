"""Tests the command-line tool: sign-in through the browser, calls, sign-out, a denial, and sign-in on another device."""

import glob
import json
import os
import pty
import stat
import subprocess
import tempfile

from .processes import Program

NOT_SIGNED_IN = 77


def check(browser, products):
    with tempfile.TemporaryDirectory() as state, Program(
            "spotify", "serve", "--port", "0", folder=products) as server:
        tool = Tool(products, state, server.line("http://").split()[-1])
        without_a_token(browser, tool)
        denied(browser, tool)
        allowed(browser, tool)
        commands(tool)
        on_a_terminal(tool)
        signed_out(tool)
        on_another_device(browser, tool)


class Tool:
    """Runs `spotify` for a user with an own folder for tokens."""

    def __init__(self, products, state, base):
        self.products, self.state, self.base = products, state, base
        self.environment = dict(os.environ, XDG_STATE_HOME=state, SPOTIFY_LOCAL=base)
        self.secrets = set()

    def begin(self, *arguments):
        return Program("spotify", *arguments, folder=self.products, environment=self.environment)

    def ended(self, program, status):
        """Waits for the end with this exit status: (standard output, standard error)."""
        ending, output, errors = program.end()
        said = f"{program.name}: exit {ending}\n{output}{errors}"
        assert ending == status, said
        self.learn_secrets()
        assert not any(secret in output + errors for secret in self.secrets), f"{program.name} printed a secret"
        assert "\x1b" not in output + errors, f"{program.name} used colours without a terminal"
        return output, errors

    def run(self, *arguments, status=0):
        with self.begin(*arguments, "--local") as program:
            return self.ended(program, status)

    def json(self, *arguments, status=0):
        return json.loads(self.run(*arguments, "--json", status=status)[0])

    def learn_secrets(self):
        """Collects the stored tokens, and checks that only their owner can open the files."""
        for path in glob.glob(self.state + "/**", recursive=True):
            mode = stat.S_IMODE(os.stat(path).st_mode)
            if os.path.isdir(path):
                assert path.rstrip("/") == self.state or mode == 0o700, f"{path} has the mode {mode:o}"
                continue
            assert mode == 0o600, f"{path} has the mode {mode:o}"
            with open(path) as file:
                text = file.read()
            if '"accessToken"' in text:
                token = json.loads(text)["token"]
                self.secrets |= {token["accessToken"], token["refreshToken"]}


def without_a_token(browser, tool):
    browser.open(tool.base + "/v1/me")
    assert "No token provided" in browser.text(), browser.text()

    assert tool.json("status", status=NOT_SIGNED_IN)["isSignedIn"] is False
    errors = tool.run("me", status=NOT_SIGNED_IN)[1]
    assert "not signed in to" in errors and "spotify login --local" in errors, errors


def denied(browser, tool):
    with tool.begin("login", "--local", "--no-browser") as login:
        browser.open(login.line("http://"))
        asked = browser.text()
        assert "See what you play, and on which device" in asked, asked
        browser.screenshot("tool-consent")
        browser.click("#deny")
        assert_it_can_be_closed(browser)
        browser.screenshot("tool-denied")
        errors = tool.ended(login, NOT_SIGNED_IN)[1]
    assert "access was denied" in errors and "spotify login --local" in errors, errors
    assert tool.json("status", status=NOT_SIGNED_IN)["isSignedIn"] is False


def allowed(browser, tool):
    with tool.begin("login", "--local", "--no-browser") as login:
        browser.open(login.line("http://"))
        browser.click("#allow")
        assert_it_can_be_closed(browser)
        browser.screenshot("tool-signed-in")
        output = tool.ended(login, 0)[0]
    assert "signed in" in output and "user-read-playback-state" in output, output
    assert len(tool.secrets) == 2, "no token was stored"


def assert_it_can_be_closed(browser):
    text = browser.text()
    assert "you can close this window" in text.lower(), text
    code = browser.url.split("code=")[-1].split("&")[0]
    assert "code=" not in browser.url or code not in browser.source, "the page shows the code"


def commands(tool):
    status = tool.json("status")
    assert status["isSignedIn"] and "user-read-email" in status["scopes"] and status["expiresAt"], status
    assert tool.json("me")["name"] == "Local Listener"
    assert tool.json("search", "night", "--kind", "track")[0]["name"] == "Night Ferry"
    assert tool.json("playlists")[0]["uri"].startswith("spotify:playlist:")
    assert tool.json("now")["name"] == "Night Ferry"
    assert tool.json("pause") == {"done": "paused"}
    assert tool.json("now")["isPlaying"] is False
    assert tool.json("play", tool.json("search", "night")[0]["uri"]) == {"done": "playing"}
    playing = tool.run("now")[0]
    assert "playing Night Ferry" in playing and "The Harbour Lights" in playing, playing


def on_a_terminal(tool):
    """Colours appear only on a terminal, and not if they are switched off."""
    shown = {}
    for name, more in {"plain": {}, "NO_COLOR": {"NO_COLOR": "1"}, "dumb": {"TERM": "dumb"}}.items():
        main, side = pty.openpty()
        environment = {**tool.environment, "TERM": "xterm", **more}
        environment.pop("NO_COLOR", None) if name == "plain" else None
        process = subprocess.Popen(
            [os.path.join(tool.products, "spotify"), "me", "--local"], env=environment, stdin=side, stdout=side,
            stderr=side)
        assert process.wait(60) == 0
        os.close(side)
        shown[name] = os.read(main, 65536).decode()
        os.close(main)
    assert "\x1b[1mLocal Listener\x1b[0m" in shown["plain"], shown
    assert "\x1b" not in shown["NO_COLOR"] + shown["dumb"], shown


def signed_out(tool):
    assert "Signed out" in tool.run("logout")[0]
    assert tool.json("status", status=NOT_SIGNED_IN)["isSignedIn"] is False
    tool.run("me", status=NOT_SIGNED_IN)
    assert "You were not signed in" in tool.run("logout")[0]


def on_another_device(browser, tool):
    with device_login(browser, tool) as login:
        browser.click("#deny")
        assert "access was denied" in tool.ended(login, NOT_SIGNED_IN)[1]
    assert tool.json("status", status=NOT_SIGNED_IN)["isSignedIn"] is False

    with device_login(browser, tool) as login:
        browser.screenshot("tool-device")
        browser.click("#allow")
        assert_it_can_be_closed(browser)
        browser.screenshot("tool-device-connected")
        tool.ended(login, 0)
    assert tool.json("me")["name"] == "Local Listener"
    tool.run("logout")


def device_login(browser, tool):
    """Begins a sign-in and enters the code. The browser then shows the question to the user."""
    login = tool.begin("login", "--local", "--device")
    page = login.line("http://")
    code = login.line("enter this code").split()[-1]
    browser.open(page)
    browser.screenshot("tool-device-code")
    browser.type("#user_code", code)
    browser.click("#continue")
    assert browser.text("#code") == code, browser.text()
    return login
