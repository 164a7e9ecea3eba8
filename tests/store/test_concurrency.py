"""Several writers at once: none loses an event, and none overwrites another's."""

import threading

import pytest

from companion import store

WRITERS = 8
ACTS = 100


@pytest.mark.slow
def test_eight_writers_of_a_hundred_acts_each_leave_eight_hundred_events(database, game, mark):
    together = threading.Barrier(WRITERS)
    stale = [0] * WRITERS
    acknowledged: list[list[int]] = [[] for _ in range(WRITERS)]

    def write(writer: int) -> None:
        together.wait(60)
        for act in range(ACTS):
            with database.read() as session:
                base = store.last_number(session, game.id)
            while True:
                try:
                    with database.write() as session:
                        record = mark(
                            session, base, key=f"{writer}-{act}", payload={"writer": writer}
                        )
                except store.StaleBase as late:
                    stale[writer] += 1
                    base = late.last
                else:
                    acknowledged[writer].append(record.number)
                    break

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    with database.read() as session:
        records = store.load(session, game.id)
        assert store.last_number(session, game.id) == WRITERS * ACTS
    assert [record.number for record in records] == list(range(1, WRITERS * ACTS + 1))
    for writer in range(WRITERS):
        own = [record for record in records if record.payload == {"writer": writer}]
        assert [record.number for record in own] == acknowledged[writer]
        assert [record.key for record in own] == [f"{writer}-{act}" for act in range(ACTS)]


def test_of_the_same_act_sent_by_all_at_once_one_is_written(database, game, mark):
    together = threading.Barrier(WRITERS)
    answers: list[store.Record] = []

    def write() -> None:
        together.wait(60)
        with database.write() as session:
            answers.append(mark(session, 0))

    threads = [threading.Thread(target=write) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        (written,) = store.load(session, game.id)
    assert answers == [written] * WRITERS


def test_of_different_acts_on_one_base_one_is_written_and_the_others_are_told(database, game, mark):
    together = threading.Barrier(WRITERS)
    outcomes: list[object] = []

    def write(writer: int) -> None:
        together.wait(60)
        try:
            with database.write() as session:
                outcomes.append(mark(session, 0, key=f"writer-{writer}"))
        except store.StaleBase as late:
            outcomes.append((late.base, late.last))

    threads = [threading.Thread(target=write, args=(writer,)) for writer in range(WRITERS)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with database.read() as session:
        (written,) = store.load(session, game.id)
    assert outcomes.count(written) == 1
    assert outcomes.count((0, 1)) == WRITERS - 1
