"""A headless Chromium for tests: the WebDriver protocol over plain HTTP.

Loaded by path (see conftest.py). Nothing but the standard library, chromium and its
driver; tests that need them skip where they are not installed.
"""

import contextlib
import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-dev-shm-usage",
)
DRIVER = shutil.which("chromedriver")
CHROME = shutil.which("chromium") or shutil.which("google-chrome")
KEYS = {"Right": "\ue014", "Escape": "\ue00c", "Enter": "\ue007", "End": "\ue010"}


class Browser:
    """One window."""

    def __init__(self, base: str, profile: Path) -> None:
        self.base = base
        options = {"args": [*FLAGS, f"--user-data-dir={profile}"], "binary": CHROME}
        capabilities = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL"},
        }
        made = self.call("/session", {"capabilities": {"alwaysMatch": capabilities}})
        self.base = f"{base}/session/{made['sessionId']}"
        self.size(1280, 900)

    def call(self, path: str, body: Any = None, method: str = "POST") -> Any:
        """One command of the protocol."""
        data = json.dumps({} if body is None else body).encode()
        request = urllib.request.Request(
            self.base + path,
            data=data if method == "POST" else None,
            method=method,
            headers={"content-type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise AssertionError(error.read().decode()[:2000]) from error

    def open(self, page: Path, fragment: str = "") -> None:
        self.call("/url", {"url": "about:blank"})
        self.call("/url", {"url": page.as_uri() + fragment})

    def run(self, script: str, *args: Any) -> Any:
        """What a script returns."""
        return self.call("/execute/sync", {"script": script, "args": list(args)})

    def press(self, selector: str, *keys: str) -> None:
        """Focus an element and press keys on it, as a reader would."""
        found = self.call("/element", {"using": "css selector", "value": selector})
        (name,) = found.values()
        text = "".join(KEYS.get(key, key) for key in keys)
        self.call(f"/element/{name}/value", {"text": text})

    def keys(self, *keys: str) -> None:
        """Press keys wherever the focus is."""
        actions = [
            {"type": kind, "value": KEYS.get(key, key)}
            for key in keys
            for kind in ("keyDown", "keyUp")
        ]
        self.call(
            "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]}
        )

    def click(self, selector: str) -> None:
        found = self.call("/element", {"using": "css selector", "value": selector})
        (name,) = found.values()
        self.call(f"/element/{name}/click")

    def size(self, width: int, height: int) -> None:
        self.devtools(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip

    def dark(self, *, on: bool) -> None:
        wanted = {
            "prefers-color-scheme": "dark" if on else "light",
            "prefers-reduced-motion": "reduce",
        }
        features = [{"name": name, "value": value} for name, value in wanted.items()]
        self.devtools("Emulation.setEmulatedMedia", features=features)

    def devtools(self, command: str, **parameters: Any) -> Any:
        return self.call("/goog/cdp/execute", {"cmd": command, "params": parameters})

    def complaints(self) -> list[str]:
        """What the console has said since it was last asked."""
        return [entry["message"] for entry in self.call("/se/log", {"type": "browser"})]


@contextlib.contextmanager
def browser(folder: Path) -> Iterator[Browser]:
    """A browser that ends with the block."""
    assert DRIVER is not None
    driver = subprocess.Popen(
        [DRIVER, "--port=0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    window = None
    try:
        assert driver.stdout is not None
        for line in driver.stdout:
            found = re.search(r"successfully on port (\d+)", line)
            if found:
                break
        else:
            raise AssertionError("the driver did not start")
        window = Browser(f"http://127.0.0.1:{found[1]}", folder)
        yield window
    finally:
        if window is not None:
            with contextlib.suppress(OSError, AssertionError):
                window.call("", method="DELETE")
        driver.terminate()
        driver.wait(20)
        if driver.stdout is not None:
            driver.stdout.close()
