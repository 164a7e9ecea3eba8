"""Scripts and style sheets use no feature that the oldest supported browsers lack."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.browser_features.make import FLOOR, NEWER, WRITTEN

ROOT = Path(__file__).parents[2]
STATIC = ROOT / "static"
SCRIPTS = [STATIC / "sw.js", *sorted((STATIC / "js").glob("*.js"))]
STYLES = sorted(STATIC.glob("*.css"))

KINDS: dict[str, dict[str, str]] = json.loads(NEWER.read_text(encoding="utf-8"))

# Names of ours, of htmx and of old features that newer features have, too.
OURS = """
    bytes draw drop entry hand last lines lock move opened properties retry show sourceElement
    to token touched
"""

# Newer features that are used, and what happens on a phone that lacks them.
SCRIPTS_DO_WITHOUT = {
    "actions.js": {"durability": "is not read, and the browser's own holds"},
    "outbox.js": {
        "BroadcastChannel": "the module does not load, and the browser itself sends forms",
        "submitter": "only where BroadcastChannel is missing, too",
        "vibrate": "is looked for, and nothing shakes",
    },
    "table.js": {"submitter": "the browser itself sends the form"},
    "screen.js": {
        "released": "goes with wakeLock",
        "wakeLock": "is looked for, and a note says that the screen may go dark",
    },
}
STYLES_DO_WITHOUT = {
    ":focus-visible": "the browser's own ring",
    ":has": "save_hand.js sets classes; elsewhere something shows that could be hidden",
    "-webkit-tap-highlight-color": "a tap is shown the browser's way",
    "@page": "the browser's own margins",
    "appearance": "a switch looks like a box to tick",
    "break-after: avoid": "a heading may end a printed page",
    "cursor: default": "nothing points on a phone",
    "cursor: grab": "nothing points on a phone",
    "cursor: pointer": "nothing points on a phone",
    "dvh": "vh stands before it",
    "flex-basis: max-content": "as wide as there is room",
    "forced-color-adjust": "a corner has the system's colour",
    "forced-color-adjust: none": "a corner has the system's colour",
    "outline": "its corners are not round",
    "overflow-wrap: anywhere": "a long name is cut off",
    "overscroll-behavior-x": "a swipe beyond the sheet may go back",
    "overscroll-behavior-x: contain": "a swipe beyond the sheet may go back",
    "text-size-adjust": "-webkit-text-size-adjust stands before it",
    "text-wrap": "lines of headings are not of one length",
    "text-wrap: balance": "lines of headings are not of one length",
}


def code(script: str) -> str:
    """Return a script without comments and texts, but with the expressions in templates."""
    bare = re.sub(r"/\*.*?\*/|(?<![:\"'`\\])//[^\n]*", " ", script, flags=re.DOTALL)
    bare = re.sub(r'"(?:\\.|[^"\\\n])*"' + r"|'(?:\\.|[^'\\\n])*'", '""', bare)
    filled = re.compile(r"\$\{([^}]*)\}")
    return re.sub(r"`(?:\\.|[^`\\])*`", lambda text: " ".join(filled.findall(text[0])), bare)


def newer_in_script(script: str) -> Iterator[str]:
    """Yield the features of a script that are newer than the floor."""
    bare = code(script)
    yield from {*re.findall(r"(?<![.\w$])[A-Za-z_$][\w$]*", bare)} & {*KINDS["globals"]}
    members = {*re.findall(r"\.([A-Za-z_$][\w$]*)|(?<=[{,])\s*(\w+)(?=\s*[,:}=])", bare)}
    yield from {one or other for one, other in members} & {*KINDS["members"]}
    for name in {*re.findall(r"\.([A-Za-z_$][\w$]*)(?=\?\.\(|\()", bare)}:
        if name in KINDS["methods"]:
            yield name
    for name in {*re.findall(r"\b[A-Z]\w*\.[A-Za-z_]\w*", bare)}:
        if name in KINDS["statics"]:
            yield name
    for place in KINDS["written"]:
        if re.search(WRITTEN[place], script if "regular" in place else bare):
            yield place


def newer_in_style(style: str) -> Iterator[str]:
    """Yield the features of a style sheet that are newer than the floor."""
    bare = re.sub(r"/\*.*?\*/", " ", style, flags=re.DOTALL)
    bare = re.sub(r'"(?:\\.|[^"\\])*"', '""', bare)
    for name in {*re.findall(r"@([\w-]+)", bare)} & {*KINDS["at-rules"]}:
        yield f"@{name}"
    for before in re.findall(r"([^{};]*)\{", bare):
        for name in {*re.findall(r"::?([\w-]+)", before)} & {*KINDS["selectors"]}:
            yield f":{name}"
    for name, value in re.findall(r"(?<=[{};\s])([\w-]+)\s*:\s*([^{};]+)(?=[;}])", bare):
        if name in KINDS["properties"]:
            yield name
        for word in {*re.findall(r"[A-Za-z][\w-]*", value)}:
            if f"{name}: {word}" in KINDS["values"]:
                yield f"{name}: {word}"
        for word in {*re.findall(r"([\w-]+)\(", value)} & {*KINDS["functions"]}:
            yield f"{word}()"
        yield from {*re.findall(r"\d([a-z]+)\b", value)} & {*KINDS["units"]}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda file: file.name)
def test_a_script_needs_nothing_newer(script):
    found = {*newer_in_script(script.read_text(encoding="utf-8"))} - {*OURS.split()}
    assert found == {*SCRIPTS_DO_WITHOUT.get(script.name, {})}


def test_style_sheets_need_nothing_newer():
    found = {one for file in STYLES for one in newer_in_style(file.read_text(encoding="utf-8"))}
    assert found == {*STYLES_DO_WITHOUT}


def test_the_docs_name_the_browsers_of_the_data():
    assert KINDS["floor"] == FLOOR
    names = ("iOS", "Chrome", "Samsung Internet", "Firefox")
    said = ", ".join(f"{name} {floor}" for name, floor in zip(names, FLOOR.values(), strict=True))
    assert said in (ROOT / "docs/operations.md").read_text(encoding="utf-8")
