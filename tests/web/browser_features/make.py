"""Write the features that are newer than the oldest supported phones, from MDN's data.

    npm pack @mdn/browser-compat-data && tar xzf mdn-browser-compat-data-*.tgz
    python -m tests.web.browser_features.make package/data.json

The data is that of https://github.com/mdn/browser-compat-data (CC0 1.0, see LICENSE.txt).

What begins with the floor itself is written, too: on a phone one version older it would break a
page in the middle of something. A name that several interfaces have is newer if none of them had
it before in all four browsers. "i16 f-" says that iOS has it since 16, Firefox on Android never.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

FLOOR = {
    "safari_ios": "15.4",
    "chrome_android": "97",
    "samsunginternet_android": "18",
    "firefox_android": "104",
}
SHORT = {browser: browser.removeprefix("safari_")[0] for browser in FLOOR}
NOWHERE = " ".join(f"{letter}-" for letter in SHORT.values())
NEWER = Path(__file__).with_name("newer.json")

# Syntax and arguments, by their place in the data and how they are written.
WRITTEN = {
    "api/FormData/FormData/submitter": r"new FormData\([^()]*,",
    "api/IDBFactory/databases": r"indexedDB\.databases\(",
    "javascript/classes/static/initialization_blocks": r"\bstatic\s*\{",
    "javascript/classes/private_class_fields_in": r"#\w+ in\b",
    "javascript/grammar/hashbang_comments": r"\A#!",
    "javascript/regular_expressions/lookbehind_assertion": r"\(\?<[=!]",
    "javascript/regular_expressions/modifier": r"\(\?[ims-]+:",
    "javascript/statements/import/import_attributes": r"\bfrom \"[^\"]*\" (?:with|assert)\b",
    "javascript/statements/using": r"\busing \w+ =",
}
# Units of lengths are described in groups.
UNITS = {
    "viewport_percentage_units_dynamic": ("dvh", "dvw", "dvi", "dvb", "dvmin", "dvmax"),
    "viewport_percentage_units_small": ("svh", "svw", "svi", "svb", "svmin", "svmax"),
    "viewport_percentage_units_large": ("lvh", "lvw", "lvi", "lvb", "lvmin", "lvmax"),
    "container_query_length_units": ("cqw", "cqh", "cqi", "cqb", "cqmin", "cqmax"),
}

Node = dict[str, Any]


def number(version: object) -> tuple[int, ...] | None:
    """Return a version as numbers, or None for one that there is not (yet)."""
    if not isinstance(version, str) or version == "preview":
        return None
    return tuple(int(part) for part in version.removeprefix("≤").split("."))


def since(node: Node, browser: str) -> tuple[int, ...] | None:
    """Return the first version of a browser that has this, by this name and without being asked."""
    told = node["__compat"]["support"].get(browser, {"version_added": False})
    odd = ("flags", "prefix", "alternative_name", "version_removed")
    found = [
        version
        for one in (told if isinstance(told, list) else [told])
        if not any(how in one for how in odd)
        and (version := number(one.get("version_added"))) is not None
    ]
    return min(found, default=None)


def wanting(node: Node) -> str:
    """Return the browsers that lacked it before the floor, and since when they have it."""
    late = []
    for browser, floor in FLOOR.items():
        version = since(node, browser)
        if version is None:
            late.append(f"{SHORT[browser]}-")
        elif version >= (number(floor) or ()):
            late.append(f"{SHORT[browser]}{'.'.join(map(str, version))}")
    return " ".join(late)


def newest(
    named: Iterable[tuple[str, Node]], others: Iterable[tuple[str, Node]] = ()
) -> dict[str, str]:
    """Return the names that nothing had before the floor, and what is wanting.

    ``others`` may have the names, too. What none of the four browsers has is left out.
    """
    late: dict[str, list[str]] = {}
    for name, node in named:
        late.setdefault(name, []).append(wanting(node))
    for name, node in others:
        if name in late:
            late[name].append(wanting(node))
    return {
        name: min(told, key=len)
        for name, told in sorted(late.items())
        if all(told) and min(told, key=len) != NOWHERE
    }


def children(node: Node) -> Iterator[tuple[str, Node]]:
    """Name the features within one."""
    return ((name, part) for name, part in node.items() if "__compat" in part)


def extract(data: Node) -> dict[str, object]:
    """Return what is newer, by how it is found in a script or a style sheet."""
    api, builtins, css = data["api"], data["javascript"]["builtins"], data["css"]
    within = [(holder, *one) for holder, node in api.items() for one in children(node)]
    members = [(name, node) for holder, name, node in within if "_" not in name and name != holder]
    methods = [one for node in builtins.values() for one in children(node) if one[0].isidentifier()]
    known = [*children(api), *children(builtins)]
    written = {place: wanting(node) for place in WRITTEN if (node := at(data, place))}
    values = [
        (f"{name}: {value}", one)
        for name, node in css["properties"].items()
        for value, one in children(node)
        if "_" not in value
    ]
    types = [one for kind in ("color", "gradient", "image") for one in children(css["types"][kind])]
    return {
        "of": data["__meta"]["version"],
        "floor": FLOOR,
        "globals": newest(known, members),
        "statics": newest(
            (f"{holder}.{name.removesuffix('_static')}", node)
            for holder, name, node in within
            if name.endswith("_static")
        ),
        "members": newest(members, [*methods, *known]),
        "methods": newest(methods, [*members, *known]),
        "written": {place: told for place, told in written.items() if told},
        "at-rules": newest(children(css["at-rules"])),
        "properties": newest(children(css["properties"])),
        "values": newest(values),
        "selectors": newest(children(css["selectors"])),
        "functions": newest([*children(css["types"]), *types]),
        "units": newest(
            (unit, css["types"]["length"][group])
            for group, units in UNITS.items()
            for unit in units
        ),
    }


def at(data: Node, place: str) -> Node | None:
    """Return the feature at a place of the data; None where there is none."""
    node: Any = data
    for part in place.split("/"):
        node = node.get(part, {})
    return node if "__compat" in node else None


if __name__ == "__main__":
    made = extract(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))
    NEWER.write_text(json.dumps(made, indent=0, ensure_ascii=False) + "\n", encoding="utf-8")
