"""The command-line tool: signs in through the browser, and out again."""

from .processes import Program


def check(browser, products):
    with Program("spotify", "serve", "--port", "0", folder=products) as server:
        base = server.line("http://").split()[-1]
        without_a_token(browser, base)


def without_a_token(browser, base):
    """The Web API answers in words, and with nothing that belongs to anybody."""
    browser.open(base + "/v1/me")
    assert "No token provided" in browser.text(), browser.text()
