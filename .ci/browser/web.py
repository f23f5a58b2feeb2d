"""Tests the web app: log-in at Spotify's page, what is playing, and log-out."""

from .processes import Program

COOKIE = "spotify-web"  # on loopback; with TLS it is `__Host-spotify-web`


def check(browser, products):
    with Program("spotify-web", "--local", "--port", "0", folder=products) as server:
        base = server.line("http://").split()[1].rstrip("/")
        welcome(browser, base)
        denial(browser, base)
        log_in(browser, base)
        pages(browser, base)
        foreign_callback(browser, base)
        forged_form(browser, base)
        log_out(browser, base)
        session_ended(browser, base)


def welcome(browser, base):
    """No cookie is set before the user logs in, and the policy allows the style sheet."""
    browser.open(base + "/")
    assert browser.title == "What is playing?", browser.title
    assert COOKIE not in browser.cookies(), browser.cookies()
    green = browser.script("return getComputedStyle(document.querySelector('#log-in')).backgroundColor")
    assert green == "rgb(29, 185, 84)", green
    browser.screenshot("web-welcome")

    browser.open(base + "/now")
    assert "Log in to see this page." in browser.text("#notice")
    assert browser.attribute("#log-in", "href").endswith("/login?return_to=%2Fnow")


def denial(browser, base):
    browser.open(base + "/")
    browser.click("#log-in")
    assert "/authorize?" in browser.url and not browser.url.startswith(base), browser.url
    browser.screenshot("web-consent")
    browser.click("#deny")
    assert browser.url.startswith(base + "/callback?"), browser.url
    assert "You did not allow it" in browser.text("h1")
    browser.screenshot("web-denied")


def log_in(browser, base):
    """The user comes back to the requested page, with a new id, and without a code in the address."""
    before = cookie(browser)
    browser.open(base + "/now")
    browser.click("#log-in")
    browser.click("#allow")
    assert browser.url == base + "/now", browser.url
    after = cookie(browser)
    assert after["value"] != before["value"], "the id from before the log-in is still in use"
    assert after["httpOnly"] and after["sameSite"] == "Lax" and after["path"] == "/", after
    assert browser.script("return document.cookie") == "", "a script can read the cookie"
    browser.screenshot("web-now")


def pages(browser, base):
    browser.click("#profile-link")
    assert browser.url == base + "/me", browser.url
    assert browser.text("#user") and browser.text("#track"), browser.text()
    browser.screenshot("web-profile")
    # A logged-in user is not sent to Spotify again, and never to another site.
    browser.open(base + "/login?return_to=https://example.com/")
    assert browser.url == base + "/me", browser.url
    browser.open(base + "/")
    assert "You are logged in." in browser.text(), browser.text()
    browser.screenshot("web-home")


def foreign_callback(browser, base):
    """A forged link neither logs a user in nor logs the user out."""
    browser.open(base + "/callback?code=abc&state=forged")
    assert "This log-in was not begun here" in browser.text("h1")
    browser.screenshot("web-foreign")
    browser.open(base + "/me")
    assert browser.has("#user")


def forged_form(browser, base):
    browser.script("document.querySelector('[name=csrf]').value = 'A'.repeat(43)")
    browser.click("#log-out")
    assert "This form is not of this session" in browser.text("h1")
    browser.screenshot("web-forged")
    browser.open(base + "/me")
    assert browser.has("#user"), "a forged form has logged the user out"


def log_out(browser, base):
    """After the log-out the profile is not shown again, also not from the browser's cache."""
    browser.click("#log-out")
    assert "You are logged out." in browser.text("#notice")
    assert COOKIE not in browser.cookies(), browser.cookies()
    browser.screenshot("web-logged-out")
    browser.back()
    assert not browser.has("#user"), browser.text()
    assert "Log in to see this page." in browser.text("#notice"), browser.text()


def session_ended(browser, base):
    """Without the cookie the user is not logged in. The cookie has only an id, and no tokens."""
    browser.click("#log-in")
    if browser.url.startswith(base):  # Spotify does not ask again for what the user has allowed
        assert browser.url == base + "/me", browser.url
    else:
        browser.click("#allow")
    session = cookie(browser)
    assert len(session["value"]) == 43, "the cookie contains more than an id"
    browser.forget_cookies()
    browser.open(base + "/me")
    assert "Log in to see this page." in browser.text("#notice")
    # If the server does not know the id, it removes the cookie.
    browser.script("document.cookie = arguments[0] + '=' + 'A'.repeat(43) + '; path=/'", COOKIE)
    browser.open(base + "/me")
    assert "Your session has ended." in browser.text("#notice")
    assert COOKIE not in browser.cookies(), browser.cookies()
    browser.screenshot("web-session-ended")


def cookie(browser):
    return browser.cookies()[COOKIE]
