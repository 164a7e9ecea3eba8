"""Games of the family in the midst of what they have, and the addresses of their pages."""

import re
from datetime import UTC, datetime

from playwright.sync_api import Page

from companion.rules.games import GAMES
from tests.browser.conftest import begun
from tests.browser.house import Server
from tests.browser.sending import by_seat, import_game, listed, send
from tests.services.seven_at_table import as_file, whole_game

PLACES = """
    / /games/new /games/archive /games/deleted /games/import /settings /people /seasons /seasons/new
    /phones /recovery-code /recover /join /j/seven-words-that-nobody-was-ever-given /rules
"""
PERSON = re.compile(r'href="(/people/\w+)">\n<span><b>.*?<bdi>(.*?)</bdi>')
PHONE = re.compile(r'href="(/phones/[\w-]+)"')
VIEWER = re.compile(r"/v/[\w-]+")
SEASON_VIEWER = re.compile(r"/s/[\w-]+")
NAMES = (
    "Wilhelmina Karunaratne-Fonseka",
    "Maximiliana von Hohenlohe-Lang",
    "شهرزاد",
    "Dilip 🎴",
    "Ewa",
    "Ünal",
    "Æ",
    "Chandrika Bandaranaike",
    "Jo",
    "Sathsara Wijewardena Mudalige",
)
OF_PROTER = """
    /penalty /ruling /ruling?ask=discard&player=1 /ruling?ask=meld&player=1
    /ruling?ask=lay_off&player=1 /ruling?ask=swap&player=1 /ruling?ask=turn&player=1
    /ruling?ask=meld&by_rules=1&hand=8&cards=5C&cards=8H&cards=7C
    /rulings /table /end /throw-in /end-game /sheet /hands/1 /hands/1/correct /log /tally /rules
    /manage /again /delete /people /code /transfer
"""
# Thirteen cards, one of each rank: with the suits changed about nobody holds another's.
HANDFUL = "AC 2D 3H 4S 5C 6D 7H 8S 9C TD JH QS KC"
CHIEF = "KC KC 5H 5S 5C 9C 9D"


def addresses(page: Page, server: Server, *games: str) -> list[str]:
    """Every page of these games, in the midst of what they have; without one, those of none."""
    if games:
        return [one for game in games for one in PAGES_OF[game](page, server)]
    (mine,) = PHONE.findall(page.request.get(f"{server.address}/phones").text())
    rules = [f"/rules/{game}" for game in GAMES]
    places = [server.address + place for place in (*PLACES.split(), *rules, mine)]
    return [*places, *_person(page, server), *_season(page, server)]


def _begun(page: Page, server: Server, game: str, players: int) -> str:
    """The address of a new game of so many."""
    return begun(page, server, NAMES[:players], game)


def _proter(page: Page, server: Server) -> list[str]:
    """Seven players with names of all kinds: a hand marked, a penalty, and a ruling."""
    game = _begun(page, server, "proter", 7)
    send(page, f"{game}/penalty", [("player", "1"), ("rule", "PRO-13.3")])
    asked = [("ask", "meld"), ("player", "2"), *listed("cards", "6C 6D 7D")]
    ruled = send(page, f"{game}/ruling?ask=meld&player=2", asked, f"{game}/ruling")
    left = by_seat("cards", ("KC", "QC", "JC", "TC", "9C", "8C"), first=1)
    send(page, f"{game}/end", [("out", "0"), *left, *by_seat("melded", ["yes"] * 7)])
    viewer = VIEWER.search(page.request.get(f"{game}/code").text())
    assert viewer is not None
    looked = server.address + viewer[0]
    watched = [looked, *(looked + path for path in ("/hands/1", "/tally", "/screen"))]
    return [*(game + path for path in ("", *OF_PROTER.split())), ruled, *watched]


def _person(page: Page, server: Server) -> list[str]:
    """The pages of somebody who has played under two names."""
    for name in (NAMES[0], "Jo Kern"):
        begun(page, server, (name, NAMES[1]), "proter")
    found = PERSON.findall(page.request.get(f"{server.address}/people").text())
    people = {name: address for address, name in found}
    one, other = server.address + people["Jo Kern"], people[NAMES[0]].rpartition("/")[2]
    send(page, f"{one}/change", [("other", other), ("do", "merge")])
    return [one, f"{one}/change"]


def _season(page: Page, server: Server) -> list[str]:
    """The pages of a season of two evenings, of seven people with long names; and a tally of it."""
    for day in (1, 8):
        evening = whole_game()
        evening.end_at(datetime(2025, 3, day, 20, tzinfo=UTC))
        over = import_game(page, server.address, as_file(evening))
    fields = [("name", "Wilhelmina’s long evenings in the winter"), ("game", "proter")]
    fields += [("first", "2025-03-01"), ("best", "1"), ("points", "5 3 2 1")]
    season = send(page, f"{server.address}/seasons/new", fields)
    (watched,) = {*SEASON_VIEWER.findall(page.request.get(season).text())}
    settle = "?settle=points&stake=0.05&sign=€"
    pages = [season, season + settle, f"{season}/change"]
    return [*pages, server.address + watched, f"{over}/tally{settle}"]


def _kalooki(page: Page, server: Server) -> list[str]:
    """Two packs and four jokers: a hand marked, a call charged, a meld with a joker on record."""
    game = _begun(page, server, "kalooki", 5)
    left = by_seat("cards", ("KC KC XX XX", "AS AS", "2D", "TH TH 9C"), first=1)
    send(page, f"{game}/end", [("bent", "1"), ("out", "0"), *left])
    send(page, f"{game}/penalty", [("player", "1"), ("rule", "KAL-4")])
    meld = [("player", "1"), *listed("cards", "4H 5H XX 7H"), ("add", "meld")]
    send(page, f"{game}/table", meld)
    rest = """
        /penalty /ruling?ask=turn&player=1 /table /sheet /hands/1/correct /tally
        /ruling?ask=call&player=1
    """
    asked = [("ask", "call"), ("player", "1"), ("turn", "0")]
    asked += [("melded_this_hand", "0"), ("calls", "3")]
    call = send(page, f"{game}/ruling?ask=call", asked, f"{game}/ruling")
    return [game, *(game + path for path in rest.split()), call]


def _contract_rummy(page: Page, server: Server) -> list[str]:
    game = _begun(page, server, "contract_rummy", 5)
    asked = [("ask", "contract"), ("player", "1"), *listed("cards", "8C 8D XX")]
    asked += [("play", "meld KC KD KH"), ("rule", "1")]
    ask = f"{game}/ruling?ask=contract&player=1"
    melds = send(page, ask, asked, f"{game}/ruling")
    asked = [*listed("asked", "0 2 3"), ("player", "1"), ("last_taker", "nobody")]
    may_i = send(page, f"{game}/may-i", asked)
    held = "8C 8D 8H KC KD XX 3S 4S 5S JD".replace(" ", "&cards=")
    other = begun(page, server, NAMES[:3], "contract_rummy", sheet="gamerules")
    drawing = f"{other}/ruling"
    draw = f"{drawing}?ask=draw&player=1"
    inside = f"{draw}&drawn=7C&above=KD&above=4H"
    asked = [("ask", "draw"), ("player", "1"), ("drawn", "7C"), *listed("above", "KD 4H")]
    drawn = send(page, inside, [*asked, *listed("cards", "5C 6C"), ("contract", "no")], drawing)
    paths = ("/contract", f"/contract?ask=1&cards={held}", "/may-i", "/rulings")
    pages = [*(game + path for path in paths), f"{ask}&play=meld+KC+KD+KH", melds, may_i]
    return [*pages, draw, f"{draw}&drawn=7C", f"{inside}&play=meld+KC+KD+KS", drawn]


def _indian_rummy(page: Page, server: Server) -> list[str]:
    unturned = _begun(page, server, "indian_rummy", 10)
    game = _begun(page, server, "indian_rummy", 10)
    send(page, f"{game}/turned", [("rank", "8")])
    ask = f"{game}/ruling?ask=declare&player=1"
    asked = [("ask", "declare"), ("player", "1"), *listed("cards", HANDFUL)]
    declared = send(page, ask, asked, f"{game}/ruling")
    send(page, f"{game}/end", [("out", "0")])
    over = _begun(page, server, "indian_rummy", 10)
    send(page, f"{over}/turned", [("rank", "8")])
    send(page, f"{over}/end", [("out", "0")])
    # Three packs, and four ways to change the suits: no card is in more than three hands.
    left = [HANDFUL.translate(_suits(seat)) for seat in range(1, 10)]
    send(page, f"{over}/end", [("out", "0"), *by_seat("cards", left, first=1)])
    pages = [unturned, f"{unturned}/turned", game, ask, declared, over]
    return [*pages, *(over + path for path in ("/sheet", "/hands/2", "/hands/2/correct", "/tally"))]


def _suits(seat: int) -> dict[int, str]:
    """The suits changed about, otherwise for each of four seats."""
    return str.maketrans({suit: "CDHS"[("CDHS".index(suit) + seat) % 4] for suit in "CDHS"})


def _indian_chief(page: Page, server: Server) -> list[str]:
    game = _begun(page, server, "indian_chief", 8)
    shown = (CHIEF, "7C", "AC 4H 6H 9H JC KS", "2C 2D", "TS 3S 8D", "TC 9S 5D AD")
    shown = (*shown, "AS 2S 3C 4C 6C", "7D")
    send(page, f"{game}/end", [*by_seat("cards", shown), ("suit-2", "H")])
    rest = ("", "/sheet", "/hands/1", "/hands/1/correct", "/tally")
    return [*(game + path for path in rest), f"{game}/box?cards=9C&cards=9H&others=9S"]


def _pay_me(page: Page, server: Server) -> list[str]:
    game = _begun(page, server, "pay_me", 8)
    others = ("9C JD 4H", "TH 9S 4D", "KS QD 4S") * 3
    cards = by_seat("cards", ("6C 7C 8C", *others[:7]))
    chosen = [("otherwise-1", "1"), ("chosen-1", "1"), *listed("left-1", "9C JD 4H")]
    send(page, f"{game}/end", [("out", "0"), *cards, *chosen])
    return [f"{game}/hands/1", f"{game}/hands/1/correct"]


PAGES_OF = {
    "proter": _proter,
    "kalooki": _kalooki,
    "contract_rummy": _contract_rummy,
    "indian_rummy": _indian_rummy,
    "indian_chief": _indian_chief,
    "pay_me": _pay_me,
}
"""Every page of a game of Proter, and those that look otherwise in the other games."""
