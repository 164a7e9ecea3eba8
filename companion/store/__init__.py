"""The notebooks on disk: an append-only log of events for each game, in SQLite or PostgreSQL.

The store knows rows, not rules. Its callers know what an event means, and pass what lists show
of a game along with each event, as a projection. A `Database` opens sessions to read or to write;
the functions here take a session and return rows.
"""

from companion.store.database import (
    Database as Database,
    DatabaseProblem as DatabaseProblem,
    lock_notebook as lock_notebook,
    now_in as now_in,
)
from companion.store.games import (
    StaleBase as StaleBase,
    append as append,
    create_game as create_game,
    folded as folded,
    game_of_marker as game_of_marker,
    game_of_viewer as game_of_viewer,
    games_begun_with as games_begun_with,
    is_key as is_key,
    list_games as list_games,
    load as load,
    number_for_viewer as number_for_viewer,
)
from companion.store.models import (
    DAMAGE as DAMAGE,
    UNREADABLE as UNREADABLE,
    UNREADABLE_DAY as UNREADABLE_DAY,
    EventRow as EventRow,
    GameRecord as GameRecord,
    MarkerRecord as MarkerRecord,
    PersonRecord as PersonRecord,
    Place as Place,
    Projection as Projection,
    SeasonRecord as SeasonRecord,
    SeatRow as SeatRow,
    TransferRecord as TransferRecord,
)
from companion.store.notebooks import (
    add_marker as add_marker,
    add_notebook as add_notebook,
    any_marker as any_marker,
    digest as digest,
    marker as marker,
    marker_labels as marker_labels,
    markers_of as markers_of,
    next_game_id as next_game_id,
    random_code as random_code,
    random_id as random_id,
    random_key as random_key,
    revoke_marker as revoke_marker,
    same_key as same_key,
    viewers_link as viewers_link,
)
