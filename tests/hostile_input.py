"""What people, machines and ill will put into a field, a file or a header."""

from collections.abc import Mapping, Sequence
from typing import Any

ODD = (
    *("", " ", "0", "-1", "1", "2", "13", "14", "99999999999999999999", "1e9", "1.5", "NaN", "+5"),
    *("٣", "²", "１", "\x00", "\u202e", "\ufeff", "\u2028", "e\u0301" * 300, "🂡", "👨‍👩‍👧", "שלום"),
    *("5C", "5c", "10H", "JKR", "8H=6C", "=", "5C 5C", "AS 2S 3S 4S", "XX", "5C=", "JKR=", "? ?"),
    *("meld", "lay_off 5S onto 1", "swap", "discard", "take pile", "up-1", "down-9", "0:8H", "on"),
    *(
        "<script>alert(1)</script>",
        "=1+1",
        "@x",
        "{{7*7}}",
        "%s%n",
        "../../x",
        "' OR 1=1 --",
        "a" * 5000,
    ),
    *(
        "none",
        "None",
        "null",
        "true",
        "proter",
        "kalooki",
        "PRO-13.3",
        "PRO-13.5",
        "IND-7.1",
        "x-y",
    ),
)
CARDS = [rank + suit for rank in "A23456789TJQK" for suit in "CDHS"] + ["JKR"]
JSON_ODD: Sequence[Any] = (
    *(None, True, False, 0, -1, 1, 2**63, 2**70, 1.5, 1e308, "", "x", "🂡"),
    *("5C", [], {}, [[]]),
    *([1, 2], {"a": 1}, ["5C"], "\ud800", "\x00", "a" * 2000, float("nan"), float("inf")),
)

HEADERS: Sequence[Mapping[str, str]] = (
    {},
    {},
    {},
    {"HX-Request": "true"},
    {"HX-Request": "true", "HX-Target": "x" * 300},
    {"Accept-Language": "\u00e9;q=x", "Accept-Encoding": "br;q=9, *;q=-1"},
    {"Referer": "http://elsewhere.example/"},
    {"Range": "bytes=5-1"},
    {"If-None-Match": "*", "If-Modified-Since": "yesterday"},
    {"User-Agent": ""},
    {"X-Forwarded-For": "1.2.3.4, x", "X-Forwarded-Proto": "gopher", "X-Forwarded-Host": "a b"},
    {"Content-Type": "multipart/form-data; boundary=x"},
    {"Content-Type": "application/json"},
    {"Content-Type": "application/x-www-form-urlencoded; charset=utf-7"},
)
