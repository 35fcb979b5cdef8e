"""Which day it is for an app, and whom it serves."""

from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from configs.clock import ClockSettings
from configs.errors import ConfigError, InvalidConfig
from configs.settings import SHIPPED_APP, load_settings
from tests.configs.app_folder import AppFolder

LATE = datetime(2026, 3, 11, 23, 30, tzinfo=UTC)


def refusal(app: AppFolder, text: str) -> ConfigError:
    app.write("app.yaml", text)
    with pytest.raises(InvalidConfig) as caught:
        load_settings(app.path)
    return caught.value


def test_a_fixed_day_is_today_whatever_the_time(app: AppFolder) -> None:
    app.write("app.yaml", "clock: {today: 2026-06-30}")
    clock = load_settings(app.path).clock
    assert clock.day_of(LATE) == date(2026, 6, 30)
    assert clock.moment_of(LATE) == datetime(2026, 6, 30, 23, 30, tzinfo=UTC)


@pytest.mark.parametrize(
    ("zone", "day"),
    [("UTC", 11), ("Europe/Berlin", 12), ("America/Los_Angeles", 11), ("Pacific/Auckland", 12)],
)
def test_without_a_fixed_day_it_is_the_date_in_the_apps_zone(zone: str, day: int) -> None:
    assert ClockSettings(timezone=zone).day_of(LATE) == date(2026, 3, day)


def test_without_a_zone_it_is_the_machines_date() -> None:
    assert ClockSettings().day_of(LATE) == LATE.astimezone().date()


@pytest.mark.parametrize(
    ("stored", "shown"), [(date(2026, 11, 29), date(2026, 6, 30)), (date(2026, 1, 5),) * 2]
)
def test_nothing_stored_is_later_than_a_fixed_day(stored: date, shown: date) -> None:
    moment = datetime(stored.year, stored.month, stored.day, 12, tzinfo=UTC)
    clock = ClockSettings(today=date(2026, 6, 30), timezone="UTC")
    assert clock.date_of(moment) == shown


@pytest.mark.parametrize(
    ("text", "key", "wanted"),
    [
        ("clock: {today: 2026-13-40}", "clock.today", "date"),
        ("clock: {today: 2026-02-30}", "clock.today", "date"),
        ("clock: {today: tomorrow}", "clock.today", "date"),
        ("clock: {today: 20260630}", "clock.today", "a date written YYYY-MM-DD"),
        ("clock: {today: 2026-06-30 10:15:00}", "clock.today", "date"),
        ("clock: {timezone: Berlin}", "clock.timezone", "such as Europe/Berlin"),
        ("clock: {timezone: ../etc/passwd}", "clock.timezone", "such as Europe/Berlin"),
        ("clock: {zone: UTC}", "clock.zone", "timezone"),
    ],
)
def test_a_bad_clock_is_named_with_its_key(
    app: AppFolder, text: str, key: str, wanted: str
) -> None:
    error = refusal(app, text)
    assert (str(error.file), error.key) == (str(app.path / "app.yaml"), key)
    assert wanted in error.wanted


def test_the_environment_sets_the_day(app: AppFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HIPPOGRAPH_CLOCK__TODAY", "2026-05-04")
    assert load_settings(app.path).clock.today == date(2026, 5, 4)


def test_the_sample_companys_day_is_the_last_of_its_books_and_stands_in_one_place() -> None:
    settings = load_settings()
    assert settings.clock.today == date(2026, 6, 30)
    assert not [one.name for one in settings.experts if "today" in one.brief]


def test_the_charter_says_what_the_app_says_it_serves(app: AppFolder) -> None:
    app.write("app.yaml", "serves: >-\n  It serves the crew\n  of a lighthouse.\n")
    charter = load_settings(app.path).charter
    assert "It serves the crew of a lighthouse. A router" in charter
    assert "software" not in charter
    assert "{" not in charter


def test_without_that_the_charter_names_the_experts_in_order(app: AppFolder) -> None:
    app.write_expert("tides", title="Tides and weather")
    first, again = load_settings(app.path).charter, load_settings(app.path).charter
    assert "Its experts: Billing, Tides and weather." in first
    assert first == again


def test_a_purpose_that_no_model_would_read_is_refused(app: AppFolder) -> None:
    app.write("prompts/charter.md", "You are one module of my desk.")
    error = refusal(app, "serves: It serves a lighthouse.")
    assert error.key == "serves"
    assert "{serves}, in prompts/charter.md" in error.wanted
    app.write("app.yaml", "")
    assert load_settings(app.path).charter == "You are one module of my desk."


def test_the_shipped_charter_has_the_place_for_it() -> None:
    text = Path(SHIPPED_APP / "prompts/charter.md").read_text("utf-8")
    assert text.count("{serves}") == 1
