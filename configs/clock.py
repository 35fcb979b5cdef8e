"""The `clock` section of app.yaml: which day it is for this app."""

from datetime import UTC, date, datetime
from typing import Annotated
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BeforeValidator, Field

from configs.sections import Section


def _written_out(value: object) -> object:
    """Refuse a bare number, which would be read as seconds since 1970."""
    if isinstance(value, bool | int | float):
        message = "a date written YYYY-MM-DD"
        raise ValueError(message)
    return value


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        message = "a time zone by its IANA name, such as Europe/Berlin"
        raise ValueError(message) from error
    return name


class ClockSettings(Section):
    """What "today" means: a fixed day, or the date in a time zone.

    Only the day is fixed, for data that end on one. What is recorded (turns, the ledger, expiry)
    keeps its real time.
    """

    today: Annotated[date, BeforeValidator(_written_out)] | None = Field(
        default=None, description="None: the real date"
    )
    timezone: Annotated[str, AfterValidator(_known_zone)] | None = Field(
        default=None, description="None: the machine's (TZ, or what the system is set to)"
    )

    def day_of(self, moment: datetime) -> date:
        """The app's today at a moment, which is aware."""
        return self.today or self._local(moment)

    def date_of(self, moment: datetime) -> date:
        """The date to show for something stored; never after the app's today, if that is fixed."""
        local = self._local(moment)
        return local if self.today is None else min(local, self.today)

    def moment_of(self, moment: datetime) -> datetime:
        """The moment's time on the app's day, in UTC: what "yesterday" is counted from."""
        return datetime.combine(self.day_of(moment), moment.astimezone(UTC).timetz())

    def _local(self, moment: datetime) -> date:
        zone = None if self.timezone is None else ZoneInfo(self.timezone)
        return moment.astimezone(zone).date()


REAL_CLOCK = ClockSettings()
"""The real date, in the machine's zone."""
