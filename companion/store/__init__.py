"""The notebooks on disk: an append-only log of events for each game, in SQLite or PostgreSQL.

The store knows records, not rules. The notebook knows what an event means, and passes what lists
show of a game along with each event, as a projection. A `Database` opens sessions to read or to
write; the functions here take a session and return frozen records.
"""

from companion.store.database import Database as Database
from companion.store.database import DatabaseProblem as DatabaseProblem
from companion.store.database import lock_notebook as lock_notebook
from companion.store.database import now_in as now_in
from companion.store.games import StaleBase as StaleBase
from companion.store.games import append as append
from companion.store.games import create_game as create_game
from companion.store.games import folded as folded
from companion.store.games import game_begun_with as game_begun_with
from companion.store.games import game_of_marker as game_of_marker
from companion.store.games import game_of_viewer as game_of_viewer
from companion.store.games import list_games as list_games
from companion.store.games import load as load
from companion.store.games import number_for_viewer as number_for_viewer
from companion.store.models import DAMAGE as DAMAGE
from companion.store.models import UNREADABLE as UNREADABLE
from companion.store.models import GameRecord as GameRecord
from companion.store.models import HandoverRecord as HandoverRecord
from companion.store.models import MarkerRecord as MarkerRecord
from companion.store.models import PersonRecord as PersonRecord
from companion.store.models import Place as Place
from companion.store.models import Projection as Projection
from companion.store.models import Record as Record
from companion.store.models import SeasonRecord as SeasonRecord
from companion.store.models import SeatRow as SeatRow
from companion.store.notebooks import add_marker as add_marker
from companion.store.notebooks import any_marker as any_marker
from companion.store.notebooks import digest as digest
from companion.store.notebooks import following_game_id as following_game_id
from companion.store.notebooks import marker as marker
from companion.store.notebooks import marker_labels as marker_labels
from companion.store.notebooks import markers_of as markers_of
from companion.store.notebooks import open_notebook as open_notebook
from companion.store.notebooks import random_code as random_code
from companion.store.notebooks import random_game_id as random_game_id
from companion.store.notebooks import random_key as random_key
from companion.store.notebooks import revoke_marker as revoke_marker
from companion.store.notebooks import same_key as same_key
