"""The notebooks on disk: an append-only log of events for each game, in SQLite.

The store knows records, not rules: what an event means is the notebook's affair, and what lists
show of a game is handed over with each event as a projection. A `Database` gives sessions for
reading and for writing; the functions here take such a session, and hand out frozen records.
"""

from companion.store.database import Database, now_in
from companion.store.entries import (
    KeyReused,
    NoSuchGame,
    StaleBase,
    append,
    find_by_key,
    last_number,
    load,
)
from companion.store.folding import folded
from companion.store.games import (
    change_viewer_key,
    create_game,
    create_game_with,
    game_begun_with,
    game_of_marker,
    game_of_viewer,
    list_games,
    state_for_marker,
    state_for_viewer,
)
from companion.store.handovers import (
    count_wrong_digits,
    handover_by_code,
    handover_by_link,
    put_handover,
    take_handover,
)
from companion.store.keys import (
    ALPHABET,
    digest,
    following_game_id,
    random_game_id,
    random_key,
    same_key,
)
from companion.store.limits import count_try, forget_past_tries, forgiven_at
from companion.store.notebooks import (
    add_marker,
    call_marker,
    marker,
    marker_labels,
    marker_seen,
    markers_of,
    notebook_to_recover,
    open_notebook,
    recovery_of,
    revoke_marker,
    set_recovery,
    was_revoked,
)
from companion.store.problems import DatabaseProblem
from companion.store.records import (
    GameRecord,
    HandoverRecord,
    MarkerRecord,
    Place,
    Projection,
    Record,
    RecoveryRecord,
    State,
)
from companion.store.tables import UNREADABLE

__all__ = [
    "ALPHABET",
    "UNREADABLE",
    "Database",
    "DatabaseProblem",
    "GameRecord",
    "HandoverRecord",
    "KeyReused",
    "MarkerRecord",
    "NoSuchGame",
    "Place",
    "Projection",
    "Record",
    "RecoveryRecord",
    "StaleBase",
    "State",
    "add_marker",
    "append",
    "call_marker",
    "change_viewer_key",
    "count_try",
    "count_wrong_digits",
    "create_game",
    "create_game_with",
    "digest",
    "find_by_key",
    "folded",
    "following_game_id",
    "forget_past_tries",
    "forgiven_at",
    "game_begun_with",
    "game_of_marker",
    "game_of_viewer",
    "handover_by_code",
    "handover_by_link",
    "last_number",
    "list_games",
    "load",
    "marker",
    "marker_labels",
    "marker_seen",
    "markers_of",
    "notebook_to_recover",
    "now_in",
    "open_notebook",
    "put_handover",
    "random_game_id",
    "random_key",
    "recovery_of",
    "revoke_marker",
    "same_key",
    "set_recovery",
    "state_for_marker",
    "state_for_viewer",
    "take_handover",
    "was_revoked",
]
