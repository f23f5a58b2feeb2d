"""Drives Debian's chromium, headless, over the WebDriver protocol (https://www.w3.org/TR/webdriver2/).

Needs the packages chromium and chromium-driver (`.ci/install-tools` installs them) and nothing from PyPI.

    with Browser(screenshots="Documentation/images") as browser:   # None: no pictures
        browser.open("http://127.0.0.1:8181/authorize?…")          # returns when the page has loaded
        browser.screenshot("tool-consent")                         # Documentation/images/tool-consent.png
        browser.click("#allow")                                    # returns when the page that follows has loaded
        assert "You can close this window" in browser.text()

Elements are found by CSS selectors. Each look-up waits up to PATIENCE seconds for its element, so nothing sleeps. A failure
is a BrowserError with the address of the page. Each Browser has its own profile, which starts without cookies and is removed
at the end. `cookies` returns the cookies with all their attributes.

A new part of `.ci/check-browser` is a file beside this one with `def check(browser, products)`; see tool.py.
"""

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

PATIENCE = 60  # seconds until an element must appear
LIMIT = 60  # seconds until a page must have loaded, or the driver must have answered

# Load only the requested pages, and show no dialogue of a first start.
ARGUMENTS = [
    "--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--no-default-browser-check",
    "--no-proxy-server", "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--disable-extensions", "--hide-scrollbars", "--force-device-scale-factor=1", "--lang=en",
]
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"  # the key of a reference to an element, WebDriver §12.1


class BrowserError(Exception):
    pass


class Stale(BrowserError):
    """The element belongs to a page that has been replaced."""


class Browser:
    def __init__(self, screenshots=None, width=720, height=440):
        self.screenshots = screenshots
        self.size = {"width": width, "height": height}

    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="browser-")
        log = open(os.path.join(self.profile, "chromedriver.log"), "w+b")
        try:
            self.driver = subprocess.Popen(
                [tool("chromedriver"), "--port=0"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log)
        except BaseException:
            shutil.rmtree(self.profile, ignore_errors=True)
            raise
        try:
            self.base = f"http://127.0.0.1:{self._port()}"
            self.base += "/session/" + self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome",
                "timeouts": {"implicit": PATIENCE * 1000, "pageLoad": LIMIT * 1000, "script": LIMIT * 1000},
                "goog:chromeOptions": {
                    "binary": tool("chromium"),
                    "args": ARGUMENTS + [f"--user-data-dir={self.profile}/profile"]
                    # The sandbox does not work for root.
                    + (["--no-sandbox"] if os.geteuid() == 0 else []),
                },
            }}})["sessionId"]
            self._call("POST", "/window/rect", self.size)
        except BaseException:
            self._end()
            raise
        return self

    def __exit__(self, *_):
        try:
            self._call("DELETE", "")
        except (OSError, BrowserError):
            pass
        self._end()

    def _end(self):
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
        shutil.rmtree(self.profile, ignore_errors=True)

    # Pages

    def open(self, url):
        """Loads a page. An error status is no failure."""
        self._call("POST", "/url", {"url": url})

    @property
    def url(self):
        return self._call("GET", "/url")

    @property
    def title(self):
        return self._call("GET", "/title")

    @property
    def source(self):
        return self._call("GET", "/source")

    def back(self):
        self._call("POST", "/back", {})

    def reload(self):
        self._call("POST", "/refresh", {})

    def script(self, body, *arguments):
        """Runs JavaScript in the page, for instance `return document.referrer`."""
        return self._call("POST", "/execute/sync", {"script": body, "args": list(arguments)})

    def screenshot(self, name):
        """Saves a picture of the whole page as NAME.png, if there is a folder for screenshots."""
        if self.screenshots is None:
            return
        width, height = self.script("const e = document.documentElement; return [e.clientWidth, e.scrollHeight]")
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        picture = self._call("POST", "/goog/cdp/execute", {
            "cmd": "Page.captureScreenshot", "params": {"captureBeyondViewport": True, "clip": clip}})["data"]
        os.makedirs(self.screenshots, exist_ok=True)
        with open(os.path.join(self.screenshots, name + ".png"), "wb") as file:
            file.write(base64.b64decode(picture))

    # Elements

    def click(self, selector):
        """Clicks. After a click on a link or a form's button it waits until the next page has loaded.

        WebDriver's click returns before the form is answered. A look-up then would still find elements of the old page."""
        element = self._find(selector)
        leads_on = self.script(
            "const e = arguments[0]; return e.closest('a[href]') !== null || (e.type === 'submit' && e.form !== null)",
            {ELEMENT: element})
        page = self._find("html")
        self._call("POST", f"/element/{element}/click", {})
        end = time.monotonic() + LIMIT
        while leads_on and time.monotonic() < end:
            if self._has_gone(page) and self._has_loaded():
                return
            time.sleep(0.02)
        if leads_on:
            raise BrowserError(f"{selector} did not lead to another page from {self.url.split('?')[0]}")

    def type(self, selector, text):
        """Clears a field and types a text."""
        element = self._find(selector)
        self._call("POST", f"/element/{element}/clear", {})
        self._call("POST", f"/element/{element}/value", {"text": text})

    def text(self, selector="body"):
        """The visible text of the first matching element."""
        return self._call("GET", f"/element/{self._find(selector)}/text")

    def texts(self, selector):
        """The texts of all matching elements; waits up to PATIENCE for the first, and returns an empty list if there is none."""
        found = self._call("POST", "/elements", {"using": "css selector", "value": selector})
        return [self._call("GET", f"/element/{element[ELEMENT]}/text") for element in found]

    def attribute(self, selector, name):
        return self._call("GET", f"/element/{self._find(selector)}/attribute/{name}")

    def has(self, selector):
        """Whether a matching element exists now."""
        return self.script("return document.querySelector(arguments[0]) !== null", selector)

    # Cookies

    def cookies(self):
        """The cookies of this page: {name: {"value", "path", "domain", "secure", "httpOnly", "sameSite", …}}."""
        return {cookie["name"]: cookie for cookie in self._call("GET", "/cookie")}

    def forget_cookies(self):
        self._call("DELETE", "/cookie")

    # The protocol

    def _find(self, selector):
        return self._call("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def _has_gone(self, page):
        """Whether another page has replaced this one. During the change the driver may fail; then the caller asks again."""
        try:
            self._call("GET", f"/element/{page}/name")
        except Stale:
            return True
        except BrowserError:
            pass
        return False

    def _has_loaded(self):
        try:
            return self.script("return document.readyState") == "complete"
        except BrowserError:
            return False

    def _port(self):
        for line in self.driver.stdout:
            started = re.search(rb"started successfully on port (\d+)", line)
            if started:
                return int(started[1])
        raise BrowserError("chromedriver did not start")

    def _call(self, method, path, body=None):
        request = urllib.request.Request(
            self.base + path, method=method, data=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": "application/json"})
        try:
            with DIRECT.open(request, timeout=LIMIT + PATIENCE) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            value = json.load(error)["value"]
            # WebDriver §6.6: a short code and a message. Its further lines are a stack trace.
            message = f"{value['error']}: {value['message'].splitlines()[0]}"
        gone = value["error"] in ("stale element reference", "no such element")
        # This is chromedriver's message if the page changes between two of its own steps.
        gone = gone or "does not belong to the document" in value["message"]
        if gone and path.endswith("/name"):
            raise Stale(message)
        # The address without the query, which may contain a code.
        place = "" if path in ("/session", "/url") else " at " + self.url.split("?")[0]
        raise BrowserError(f"{method} {path or '/'}{place}: {message}")


# Requests to this machine must not use a proxy from the environment.
DIRECT = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def tool(name):
    found = shutil.which(name)
    if found is None:
        raise BrowserError(f"{name} is not installed: run .ci/install-tools")
    return found
