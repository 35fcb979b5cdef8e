"""Tools of the desk of Millpond Veterinary Practice. Every call reads seed.sql into memory and answers from it."""
import re
import sqlite3
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-09-16"
Species = Literal["dog", "cat", "rabbit", "rodent", "bird", "reptile"]
Kind = Literal["consultation", "vaccination", "dental", "surgery", "follow_up"]
Vaccine = Literal["rabies", "distemper", "leptospirosis", "cat_flu", "myxomatosis"]
Animal = Annotated[str, Field(description="Patient id such as PT-0087, or the animal's name with the owner's last name; "
                                          "either name alone where it fits one animal only", min_length=2)]
CLOCK = r"^([01]\d|2[0-3]):[0-5]\d$"
MINUTES = {"consultation": 30, "vaccination": 30, "follow_up": 30, "dental": 60, "surgery": 90}
FILLERS = {"mr", "mrs", "ms", "dr", "the", "vet"}


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _words(text: str) -> set[str]:
    text = re.sub(r"['’]s?\b", "", text.lower())
    return {w for w in re.findall(r"[^\W_]+(?:-[^\W_]+)*", text) if w not in FILLERS}


def _one(rows: list[sqlite3.Row], said: str, label, what: str) -> sqlite3.Row:
    """The one row with this id or these names."""
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    hits = hits or [r for r in rows if _words(said) and _words(said) <= _words(label(r))]
    if not hits:
        raise ValueError(f"There is no {what} {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"{said!r} fits more than one {what}: " + ", ".join(f"{label(r)} ({r['id']})" for r in hits))
    return hits[0]


def _animal(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    return _one(db.execute("SELECT * FROM patients ORDER BY id").fetchall(), said, lambda r: f"{r['name']} {r['owner']}", "animal")


def _vet(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    return _one(db.execute("SELECT * FROM vets ORDER BY id").fetchall(), said, lambda r: r["name"], "vet")


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def _span(start_date: str, end_date: str) -> None:
    if _day(end_date) < _day(start_date):
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")


def _mins(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:])


def _clock(minutes: int) -> str:
    return f"{minutes // 60:02}:{minutes % 60:02}"


def _hours(day: date) -> list[tuple[int, int]]:
    """When the practice is open, in minutes since midnight."""
    if day.weekday() == 6:
        return []
    return [(540, 720)] if day.weekday() == 5 else [(510, 750), (840, 1080)]


def _taken(db: sqlite3.Connection, vet_id: str, day: str, start: int, minutes: int, except_id: str = "") -> str | None:
    for a in db.execute("SELECT * FROM appointments WHERE vet_id = ? AND day = ? AND id <> ?", (vet_id, day, except_id)):
        if start < _mins(a["time"]) + a["minutes"] and _mins(a["time"]) < start + minutes:
            return a["id"]
    return None


def _fits(db: sqlite3.Connection, vet: sqlite3.Row, day: str, time: str, minutes: int, except_id: str = "") -> None:
    start = _mins(time)
    if _day(day) < _day(TODAY):
        raise ValueError(f"{day} is past.")
    if start % 15:
        raise ValueError("Appointments begin at a full quarter of an hour.")
    if not any(a <= start and start + minutes <= b for a, b in _hours(_day(day))):
        raise ValueError(f"The practice is closed on {day} for an appointment from {time} of {minutes} minutes.")
    if other := _taken(db, vet["id"], day, start, minutes, except_id):
        raise ValueError(f"Dr. {vet['name']} has {other} at that time.")


def _appointment(db: sqlite3.Connection, appointment_id: str) -> sqlite3.Row:
    row = db.execute("SELECT a.*, p.name AS animal, p.owner FROM appointments a JOIN patients p ON p.id = a.patient_id WHERE a.id = ?",
                     (appointment_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no appointment {appointment_id}.")
    if row["day"] < TODAY:
        raise ValueError(f"{appointment_id} was on {row['day']} and can no longer be changed.")
    return row


def get_patient(*, animal: Animal) -> dict:
    """The file of one animal."""
    db = _db()
    row = dict(_animal(db, animal))
    vet_id = row.pop("vet_id")
    rows = lambda sql: [dict(r) for r in db.execute(sql, (row["id"],))]  # noqa: E731
    return {**row, "vet": db.execute("SELECT name FROM vets WHERE id = ?", (vet_id,)).fetchone()["name"],
            "weights": rows("SELECT day, kg FROM weights WHERE patient_id = ? ORDER BY day DESC"),
            "notes": rows("SELECT day, kind, text FROM notes WHERE patient_id = ? ORDER BY day DESC"),
            "vaccinations": rows("SELECT vaccine, given_on, due_on FROM vaccinations WHERE patient_id = ? ORDER BY due_on")}


def vaccinations_due(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-(0[1-9]|1[0-2])$", description="Month in which they fall due, YYYY-MM")],
    species: Annotated[Species | None, Field(description="Only animals of this species")] = None,
    vaccine: Annotated[Vaccine | None, Field(description="Only this vaccine")] = None,
    with_overdue: Annotated[bool, Field(description="Also those that fell due before that month and were not given")] = False,
) -> list[dict]:
    """Vaccinations that fall due in a month, by day."""
    rows = _db().execute(
        "SELECT v.due_on, v.vaccine, p.id AS patient_id, p.name, p.species, p.owner, p.phone "
        "FROM vaccinations v JOIN patients p ON p.id = v.patient_id ORDER BY v.due_on, p.id").fetchall()
    return [dict(r) for r in rows
            if (r["due_on"][:7] == month or (with_overdue and r["due_on"][:7] < month))
            and species in (None, r["species"]) and vaccine in (None, r["vaccine"])]


def list_appointments(
    *,
    start_date: Annotated[str, Field(description="First day looked at, YYYY-MM-DD")],
    end_date: Annotated[str | None, Field(description="Last day looked at, YYYY-MM-DD; without it, everything from the first day on")] = None,
    animal: Annotated[str | None, Field(description="Only this animal: patient id, or its name with the owner's last name")] = None,
    vet: Annotated[str | None, Field(description="Only this vet: id such as VET-01, or name")] = None,
    species: Annotated[Species | None, Field(description="Only animals of this species")] = None,
    kind: Annotated[Kind | None, Field(description="Only this kind of appointment")] = None,
) -> list[dict]:
    """Appointments in a period, by day and time."""
    _span(start_date, end_date or "2099-12-31")
    db = _db()
    pid = _animal(db, animal)["id"] if animal else None
    vid = _vet(db, vet)["id"] if vet else None
    rows = db.execute(
        "SELECT a.id AS appointment_id, a.day, a.time, a.minutes, a.kind, a.home_visit, p.id AS patient_id, p.name, p.species, p.owner, "
        "v.id AS vet_id, v.name AS vet FROM appointments a JOIN patients p ON p.id = a.patient_id JOIN vets v ON v.id = a.vet_id "
        "WHERE a.day >= ? AND a.day <= ? ORDER BY a.day, a.time, a.id", (start_date, end_date or "2099-12-31")).fetchall()
    return [{**dict(r), "home_visit": bool(r["home_visit"])} for r in rows
            if pid in (None, r["patient_id"]) and vid in (None, r["vet_id"])
            and species in (None, r["species"]) and kind in (None, r["kind"])]


def free_slots(
    *,
    start_date: Annotated[str, Field(description="First day looked at, YYYY-MM-DD")],
    end_date: Annotated[str | None, Field(description="Last day looked at, YYYY-MM-DD; without it, two weeks on")] = None,
    vet: Annotated[str | None, Field(description="Only this vet: id such as VET-01, or name")] = None,
    not_before: Annotated[str | None, Field(pattern=CLOCK, description="Earliest time of day, HH:MM")] = None,
    count: Annotated[int, Field(ge=1, le=20, description="How many slots at most")] = 5,
) -> list[dict]:
    """Free slots of half an hour, earliest first."""
    first = max(_day(start_date), _day(TODAY))
    last = _day(end_date) if end_date else first + timedelta(days=14)
    _span(start_date, last.isoformat())
    db = _db()
    vets = [_vet(db, vet)] if vet else db.execute("SELECT * FROM vets ORDER BY id").fetchall()
    out: list[dict] = []
    for n in range((last - first).days + 1):
        day = first + timedelta(days=n)
        for a, b in _hours(day):
            for start in range(a, b, 30):
                if not_before and start < _mins(not_before):
                    continue
                out += [{"day": day.isoformat(), "time": _clock(start), "vet_id": v["id"], "vet": v["name"]}
                        for v in vets if not _taken(db, v["id"], day.isoformat(), start, 30)]
                if len(out) >= count:
                    return out[:count]
    return out


def book_appointment(
    *,
    animal: Animal,
    day: Annotated[str, Field(description="Day of the appointment, YYYY-MM-DD")],
    time: Annotated[str, Field(pattern=CLOCK, description="When it begins, HH:MM")],
    kind: Annotated[Kind, Field(description="What it is for; follow_up: checks and stitches after a treatment")] = "consultation",
    vet: Annotated[str | None, Field(description="Vet id such as VET-01, or name; without it, the animal's own vet")] = None,
    home_visit: Annotated[bool, Field(description="The vet drives to the owner")] = False,
    note: Annotated[str, Field(description="What is wrong with the animal, in the user's words")] = "",
) -> dict:
    """Enters an appointment."""
    db = _db()
    row = _animal(db, animal)
    doctor = _vet(db, vet or row["vet_id"])
    _fits(db, doctor, day, time, MINUTES[kind])
    return {"appointment_id": "AP-3339", "patient_id": row["id"], "name": row["name"], "owner": row["owner"], "day": day, "time": time,
            "minutes": MINUTES[kind], "vet": doctor["name"], "kind": kind, "home_visit": home_visit, "note": note}


def move_appointment(
    *,
    appointment_id: Annotated[str, Field(pattern=r"^AP-\d{4}$", description="Id of the appointment, such as AP-3312")],
    new_day: Annotated[str | None, Field(description="New day, YYYY-MM-DD; without it, the day stays")] = None,
    new_time: Annotated[str | None, Field(pattern=CLOCK, description="New time, HH:MM; without it, the time stays")] = None,
    new_vet: Annotated[str | None, Field(description="Vet id or name; without it, the vet stays")] = None,
) -> dict:
    """Gives an appointment another day, time or vet."""
    if not (new_day or new_time or new_vet):
        raise ValueError("A new day, time or vet is needed.")
    db = _db()
    row = _appointment(db, appointment_id)
    doctor = _vet(db, new_vet or row["vet_id"])
    day, time = new_day or row["day"], new_time or row["time"]
    _fits(db, doctor, day, time, row["minutes"], appointment_id)
    return {"appointment_id": appointment_id, "name": row["animal"], "owner": row["owner"], "day": day, "time": time,
            "vet": doctor["name"], "before": {"day": row["day"], "time": row["time"]}}


def cancel_appointments(
    *,
    appointment_ids: Annotated[list[Annotated[str, Field(pattern=r"^AP-\d{4}$")]],
                               Field(min_length=1, max_length=10, description="Ids of the appointments, such as AP-3312")],
    fee: Annotated[float, Field(ge=0, le=100, description="Fee for the owner, in EUR")] = 0,
    reason: Annotated[str, Field(description="Why, in the user's words")] = "",
) -> dict:
    """Cancels one or more appointments."""
    db = _db()
    rows = [_appointment(db, i) for i in appointment_ids]
    return {"cancelled": [{"appointment_id": r["id"], "name": r["animal"], "owner": r["owner"], "day": r["day"], "time": r["time"]}
                          for r in rows], "fee": fee, "reason": reason}
