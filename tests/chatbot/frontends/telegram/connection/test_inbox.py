"""Updates that were taken over and not answered, on disk."""

import stat
from pathlib import Path
from typing import Any

from chatbot.frontends.telegram.connection.inbox import Inbox, KeptUpdate


def updates(*ids: int) -> list[dict[str, Any]]:
    return [{"update_id": number, "message": {"text": f"Question {number}"}} for number in ids]


def test_what_was_taken_over_and_not_answered_is_there_after_a_restart_in_its_order(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "bot")
    assert inbox.load() == []
    assert inbox.take(updates(9, 10, 11)) == updates(9, 10, 11)
    inbox.remove(10)
    inbox.mark_begun(updates(9)[0])
    assert Inbox(tmp_path / "bot").load() == [KeptUpdate(updates(9)[0], True), KeptUpdate(updates(11)[0], False)]


def test_what_telegram_sends_once_more_is_not_taken_twice(tmp_path: Path) -> None:
    Inbox(tmp_path).take(updates(1, 2))
    Inbox(tmp_path).remove(1)
    again = Inbox(tmp_path)
    again.load()
    assert again.take(updates(1, 2, 3)) == updates(3)


def test_it_is_for_its_owners_eyes_alone_and_damage_costs_one_message(tmp_path: Path) -> None:
    inbox = Inbox(tmp_path / "bot")
    inbox.take(updates(1, 2))
    assert {stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "bot").iterdir()} == {0o600}
    assert stat.S_IMODE((tmp_path / "bot").stat().st_mode) == 0o700
    (tmp_path / "bot" / "1.json").write_text("{")
    (tmp_path / "bot" / "3.json").write_text("[]")
    assert [kept.update["update_id"] for kept in Inbox(tmp_path / "bot").load()] == [2]


def test_in_a_private_run_nothing_is_written(tmp_path: Path) -> None:
    inbox = Inbox(None)
    assert inbox.load() == []
    assert inbox.take(updates(1)) == updates(1)
    inbox.mark_begun(updates(1)[0])
    inbox.remove(1)
    assert inbox.take(updates(1, 2)) == updates(2)
    assert list(tmp_path.iterdir()) == []
