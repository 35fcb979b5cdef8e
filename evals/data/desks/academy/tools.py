"""Tools of the training office of Brackwater Engineering. Every call reads seed.sql into memory and answers from it."""
import sqlite3
from datetime import date
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field

TODAY = "2026-04-27"
PASS_MARK = 70
Topic = Literal["welding", "electrical", "lifting", "first_aid", "cad", "leadership"]
Level = Literal["basic", "intermediate", "advanced", "refresher"]
Format = Literal["classroom", "online", "blended", "on_site"]
Person = Annotated[str, Field(description="Employee id such as E-1004, or the person's name", min_length=2)]


def _db() -> sqlite3.Connection:
    db = sqlite3.connect(":memory:")
    db.row_factory = sqlite3.Row
    db.executescript(Path(__file__).with_name("seed.sql").read_text(encoding="utf-8"))
    return db


def _person(db: sqlite3.Connection, said: str) -> sqlite3.Row:
    """The one employee with this id or name; first or last name is enough where it is unique."""
    words = [w for w in said.lower().replace(".", " ").split() if w not in {"mr", "mrs", "ms", "dr"}]
    rows = db.execute("SELECT * FROM employees ORDER BY id").fetchall()
    hits = [r for r in rows if r["id"].lower() == said.strip().lower()]
    hits = hits or [r for r in rows if words and set(words) <= set(r["name"].lower().split())]
    if not hits:
        raise ValueError(f"There is no employee {said!r}.")
    if len(hits) > 1:
        raise ValueError(f"Several employees are called {said!r}: " + ", ".join(f"{r['name']} ({r['id']})" for r in hits))
    return hits[0]


def _courses(db: sqlite3.Connection, said: str) -> set[str]:
    """Codes of the courses with this code, or with all these words in the title."""
    rows = db.execute("SELECT code, title FROM courses").fetchall()
    hits = {r["code"] for r in rows if r["code"].lower() == said.strip().lower()}
    hits = hits or {r["code"] for r in rows if set(said.lower().split()) <= set(r["title"].lower().split())}
    if not hits:
        raise ValueError(f"There is no course {said!r}.")
    return hits


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is not a day of the form YYYY-MM-DD.") from None


def _taken(db: sqlite3.Connection, session_id: str) -> list[dict]:
    return [dict(r) for r in db.execute(
        "SELECT n.id AS enrolment_id, e.id AS employee_id, e.name FROM enrolments n JOIN employees e ON e.id = n.employee_id "
        "WHERE n.session_id = ? ORDER BY n.id", (session_id,))]


def find_courses(
    *,
    topic: Annotated[Topic | None, Field(description="Only this subject")] = None,
    level: Annotated[Level | None, Field(description="Only this level")] = None,
    format: Annotated[Format | None, Field(description="Only this way of teaching; on_site is in our own workshop")] = None,
    language: Annotated[str | None, Field(pattern=r"^[a-z]{2}$", description="Only courses held in this language, two-letter code such as en")] = None,
    max_price: Annotated[float | None, Field(gt=0, description="Highest price a head, in EUR")] = None,
) -> list[dict]:
    """Courses in the catalogue, by code."""
    rows = _db().execute("SELECT * FROM courses ORDER BY code").fetchall()
    return [{**dict(r), "currency": "EUR"} for r in rows
            if topic in (None, r["topic"]) and level in (None, r["level"]) and format in (None, r["format"])
            and language in (None, r["language"]) and (max_price is None or r["price"] <= max_price)]


def list_sessions(
    *,
    start_date: Annotated[str, Field(description="First day looked at, YYYY-MM-DD")],
    end_date: Annotated[str, Field(description="Last day looked at, YYYY-MM-DD")],
    course: Annotated[str | None, Field(description="Only this course: its code such as C-114, or words of its title")] = None,
    min_seats: Annotated[int | None, Field(ge=1, le=30, description="Only sessions with at least so many seats left")] = None,
    starts_from: Annotated[str | None, Field(pattern=r"^[0-2]\d:[0-5]\d$", description="Only sessions that start at this time of day or later, HH:MM")] = None,
) -> list[dict]:
    """Sessions that fall into a period, by start."""
    if _day(end_date) < _day(start_date):
        raise ValueError(f"The end {end_date} lies before the start {start_date}.")
    db = _db()
    codes = _courses(db, course) if course else None
    rows = db.execute(
        "SELECT s.id AS session_id, s.course, c.title, s.start_date, s.end_date, s.starts_at, s.trainer, s.seats "
        "FROM sessions s JOIN courses c ON c.code = s.course WHERE s.start_date <= ? AND s.end_date >= ? "
        "ORDER BY s.start_date, s.id", (end_date, start_date)).fetchall()
    out = []
    for r in rows:
        people = _taken(db, r["session_id"])
        left = r["seats"] - len(people)
        if (codes is None or r["course"] in codes) and left >= (min_seats or 0) and r["starts_at"] >= (starts_from or ""):
            out.append({**dict(r), "seats_left": left, "enrolled": people})
    return out


def enrol(
    *,
    employees: Annotated[list[Person], Field(min_length=1, max_length=6, description="Who goes: employee ids or names")],
    session_id: Annotated[str, Field(pattern=r"^S-\d{4}$", description="Id of the session, such as S-2281")],
    waiting_list: Annotated[bool, Field(description="Put them on the waiting list of a full session")] = False,
    note: Annotated[str, Field(description="What the trainer should know, in the user's words")] = "",
) -> dict:
    """Gives one or more employees a place in a session."""
    db = _db()
    row = db.execute("SELECT * FROM sessions WHERE id = ?", (session_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no session {session_id}.")
    if row["start_date"] < TODAY:
        raise ValueError(f"{session_id} was on {row['start_date']}.")
    people = [_person(db, e) for e in employees]
    there = {t["employee_id"]: t["enrolment_id"] for t in _taken(db, session_id)}
    new = [p for p in people if p["id"] not in there]
    if len(new) > row["seats"] - len(there) and not waiting_list:
        raise ValueError(f"{session_id} has {row['seats'] - len(there)} seats left; the waiting list is open.")
    for n, p in enumerate(new):
        there[p["id"]] = f"EN-{5522 + n}"
    return {"session_id": session_id, "course": row["course"], "start_date": row["start_date"], "waiting_list": waiting_list,
            "note": note, "enrolled": [{"enrolment_id": there[p["id"]], "employee_id": p["id"], "name": p["name"],
                                        "was_enrolled": p not in new} for p in people]}


def withdraw(
    *,
    enrolment_id: Annotated[str, Field(pattern=r"^EN-\d{4}$", description="Id of the enrolment, such as EN-5501")],
    reason: Annotated[str, Field(min_length=3, description="Why, in the user's words")],
) -> dict:
    """Gives up a place in a session that has not begun."""
    row = _db().execute(
        "SELECT n.id, e.name, s.id AS session_id, s.start_date FROM enrolments n JOIN employees e ON e.id = n.employee_id "
        "JOIN sessions s ON s.id = n.session_id WHERE n.id = ?", (enrolment_id,)).fetchone()
    if row is None:
        raise ValueError(f"There is no enrolment {enrolment_id}.")
    if row["start_date"] <= TODAY:
        raise ValueError(f"{row['session_id']} began on {row['start_date']}; {enrolment_id} stays.")
    return {"enrolment_id": enrolment_id, "name": row["name"], "session_id": row["session_id"], "withdrawn": True, "reason": reason}


def held_certificates(
    *,
    employee: Person,
    topic: Annotated[Topic | None, Field(description="Only this subject")] = None,
    include_expired: Annotated[bool, Field(description="Also show certificates that are no longer valid")] = False,
) -> dict:
    """Certificates of one employee, newest first."""
    db = _db()
    who = _person(db, employee)
    rows = db.execute(
        "SELECT t.id AS certificate_id, t.course, c.title, c.topic, t.issued_on, t.expires_on, t.score "
        "FROM certificates t JOIN courses c ON c.code = t.course WHERE t.employee_id = ? ORDER BY t.issued_on DESC", (who["id"],))
    return {"employee_id": who["id"], "name": who["name"], "certificates": [
        {**dict(r), "expired": bool(r["expires_on"] and r["expires_on"] < TODAY)} for r in rows.fetchall()
        if topic in (None, r["topic"]) and (include_expired or not r["expires_on"] or r["expires_on"] >= TODAY)]}


def expiring_certificates(
    *,
    month: Annotated[str, Field(pattern=r"^\d{4}-\d{2}$", description="The (first) month, YYYY-MM")],
    months: Annotated[int, Field(ge=1, le=12, description="How many months, counted from that month on")] = 1,
    topic: Annotated[Topic | None, Field(description="Only this subject")] = None,
) -> list[dict]:
    """Certificates of all employees that expire in a month or in several, by day."""
    first = _day(month + "-01")
    last = first.year * 12 + first.month - 1 + months - 1
    rows = _db().execute(
        "SELECT t.id AS certificate_id, e.id AS employee_id, e.name, t.course, c.title, c.topic, t.expires_on "
        "FROM certificates t JOIN employees e ON e.id = t.employee_id JOIN courses c ON c.code = t.course "
        "WHERE substr(t.expires_on, 1, 7) BETWEEN ? AND ? ORDER BY t.expires_on, t.id",
        (month, f"{last // 12:04}-{last % 12 + 1:02}")).fetchall()
    return [dict(r) for r in rows if topic in (None, r["topic"])]


def issue_certificate(
    *,
    employee: Person,
    course_code: Annotated[str, Field(pattern=r"^C-\d{3}$", description="Code of the course, such as C-114")],
    score: Annotated[int, Field(ge=0, le=100, description="Result of the exam in per cent; 70 is the pass mark")],
    issued_on: Annotated[str | None, Field(description="Day of the exam, YYYY-MM-DD; without it, today")] = None,
) -> dict:
    """Issues a certificate and sends it to the public register."""
    db = _db()
    who = _person(db, employee)
    row = db.execute("SELECT * FROM courses WHERE code = ?", (course_code,)).fetchone()
    if row is None:
        raise ValueError(f"There is no course {course_code}.")
    if score < PASS_MARK:
        raise ValueError(f"{score} % is below the pass mark of {PASS_MARK} %.")
    day = _day(issued_on or TODAY)
    if day > _day(TODAY):
        raise ValueError(f"{day} is still to come.")
    expires = f"{day.year + row['valid_years']}{day.isoformat()[4:]}" if row["valid_years"] else None
    return {"certificate_id": "CT-9025", "employee_id": who["id"], "name": who["name"], "course": course_code,
            "title": row["title"], "score": score, "issued_on": day.isoformat(), "expires_on": expires}
