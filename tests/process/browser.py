"""A headless Chromium, driven over WebDriver's plain HTTP protocol (https://www.w3.org/TR/webdriver2/)."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

DEADLINE_SECONDS = 60

# What keeps it to itself: no first-run pages, no updates, no talk with anyone.
SWITCHES = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--hide-scrollbars",
)
# The key by which an answer tells an element.
ELEMENT = "element-6066-11e4-a52e-4f735466cecf"


def poll(question, what):
    """Asks until the answer is true; returns it."""
    deadline = time.monotonic() + DEADLINE_SECONDS
    while True:
        answer = question()
        if answer:
            return answer
        if time.monotonic() > deadline:
            raise AssertionError(f"not within {DEADLINE_SECONDS} seconds: {what}")
        time.sleep(0.02)


class Browser:
    """One window of one Chromium, which ends with it."""

    def __init__(self, width=1280, height=800, preferences=()):
        self._folder = tempfile.mkdtemp()
        self._log = open(os.path.join(self._folder, "log"), "w+b")
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=self._log, stderr=subprocess.STDOUT,
            env={**os.environ, "HOME": self._folder})
        self._session = None
        try:
            self._url = f"http://127.0.0.1:{poll(self._port, 'chromedriver listens')}"
            switches = [*SWITCHES, f"--window-size={width},{height}", f"--user-data-dir={self._folder}/profile", *preferences]
            capabilities = {"browserName": "chrome", "goog:chromeOptions": {"args": switches},
                            "goog:loggingPrefs": {"browser": "ALL"}}
            self._session = self._ask("POST", "/session", {"capabilities": {"alwaysMatch": capabilities}})["sessionId"]
        except BaseException:
            self.close()
            raise

    def close(self):
        try:
            if self._session:
                self._ask("DELETE", f"/session/{self._session}")
        finally:
            self._driver.terminate()
            self._driver.wait()
            self._log.close()
            shutil.rmtree(self._folder, ignore_errors=True)

    def _port(self):
        if self._driver.poll() is not None:
            raise AssertionError(f"chromedriver ended: {self._told()}")
        for line in self._told().splitlines():
            if "started successfully on port" in line:
                return int(line.rstrip(".").rsplit(" ", 1)[1])
        return None

    def _told(self):
        with open(self._log.name, encoding="utf-8", errors="replace") as log:
            return log.read()

    def _ask(self, method, path, body=None):
        data = json.dumps(body or {}).encode("utf-8") if method == "POST" else None
        request = urllib.request.Request(self._url + path, data, {"Content-Type": "application/json"}, method=method)
        # Not through a proxy, whatever the environment says.
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=DEADLINE_SECONDS) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(f"{method} {path}: {error.read().decode('utf-8', 'replace')}") from None

    def _in_session(self, path, body=None):
        return self._ask("POST", f"/session/{self._session}{path}", body)

    def open(self, url):
        self._in_session("/url", {"url": url})

    def run(self, script, *arguments):
        """What a function with this body returns."""
        return self._in_session("/execute/sync", {"script": script, "args": list(arguments)})

    def complaints(self):
        """What the page wrote to the console since the last time that it was asked: errors and refused loads among it."""
        return [entry["message"] for entry in self._in_session("/se/log", {"type": "browser"})]

    def element(self, selector):
        return self._in_session("/element", {"using": "css selector", "value": selector})[ELEMENT]

    def click(self, selector):
        self._in_session(f"/element/{self.element(selector)}/click")

    def type(self, selector, text):
        self._in_session(f"/element/{self.element(selector)}/value", {"text": text})

    def keys(self, text):
        actions = [{"type": kind, "value": key} for key in text for kind in ("keyDown", "keyUp")]
        self._in_session("/actions", {"actions": [{"type": "key", "id": "keys", "actions": actions}]})

    def pointer(self, *moves):
        """Moves of a mouse, in pixels of the page: (x, y), "down", "up"."""
        self._in_session("/actions", {"actions": [
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": [
                {"type": "pointerDown" if move == "down" else "pointerUp", "button": 0} if isinstance(move, str) else
                {"type": "pointerMove", "x": round(move[0]), "y": round(move[1]), "duration": 0} for move in moves]}]})

    def wheel(self, x, y, distance):
        self._in_session("/actions", {"actions": [{"type": "wheel", "id": "wheel", "actions": [
            {"type": "scroll", "x": round(x), "y": round(y), "deltaX": 0, "deltaY": distance, "duration": 0}]}]})

    def screenshot(self):
        return base64.b64decode(self._ask("GET", f"/session/{self._session}/screenshot"))
