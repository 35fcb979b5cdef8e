"""Secret-shaped strings are masked before anything keeps, shows or sends them.

One set of rules for what users write, tool results, log records and errors: keys and tokens by the
shapes their issuers give them, bearer headers, private keys, passwords in addresses and in
`name=value` pairs, and the very values that the process was given as secrets.
"""

import logging
import re
import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

SHORTEST_KNOWN: Final = 8
MARK: Final = "[masked "
"""Begins what stands in the place of a secret."""

_TOKENS: Final = (
    r"sk-(?:ant-|proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{20,}",  # OpenAI, Anthropic, OpenRouter
    r"(?:sk|rk|pk)_(?:live|test)_[A-Za-z0-9]{16,}",  # Stripe
    r"whsec_[A-Za-z0-9+/=]{16,}",
    r"gh[pousr]_[A-Za-z0-9]{30,}",  # GitHub
    r"github_pat_[A-Za-z0-9_]{30,}",
    r"gl(?:pat|ptt|dt|rt)-[A-Za-z0-9_-]{18,}",  # GitLab
    r"xox[abeoprs]-[A-Za-z0-9-]{10,}",  # Slack
    r"xapp-[0-9]-[A-Za-z0-9-]{10,}",
    r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}",  # AWS
    r"AIza[A-Za-z0-9_-]{30,}",  # Google
    r"ya29\.[A-Za-z0-9_-]{20,}",
    r"GOCSPX-[A-Za-z0-9_-]{20,}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
    r"hf_[A-Za-z0-9]{30,}",  # Hugging Face
    r"npm_[A-Za-z0-9]{30,}",
    r"pypi-[A-Za-z0-9_-]{50,}",
    r"dop_v1_[a-f0-9]{40,}",  # DigitalOcean
    r"lsv2_(?:pt|sk)_[A-Za-z0-9_]{30,}",  # LangSmith
    r"gsk_[A-Za-z0-9]{40,}",  # Groq
    r"xai-[A-Za-z0-9]{40,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # JSON web token
)
_NAMES: Final = (
    r"pass(?:word|wd|phrase)|secret(?:[_-]?(?:access[_-]?)?key)?|client[_-]?secret|private[_-]?key"
    r"|api[_-]?key|access[_-]?key|(?:access|auth|refresh|session|id|bearer)[_-]?token|auth[_-]?key"
    r"|x-api-key|token"
)
_KEY_BLOCK: Final = (
    r"-----BEGIN (?P<block>(?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?)-----"
    r".*?(?:-----END (?P=block)-----|\Z)"
)
_PAIR: Final = (
    rf"(?P<name>(?<![A-Za-z0-9])(?:{_NAMES})\\*[\"']?\s{{0,9}}(?:=>?|:)\s{{0,9}})"
    r"(?P<value>\\+\"[^\"\\\n]{6,}\\+\"|\"[^\"\n]{6,}\"|'[^'\n]{6,}'|[^\s\"',;&<>(){}\[\]]{8,})"
)
# A rule is tried only where one of its words occurs in the text in small letters.
_TOKEN_STARTS: Final = (
    *("sk-", "_live_", "_test_", "whsec_", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"),
    *("glpat-", "glptt-", "gldt-", "glrt-", "xox", "xapp-", "akia", "asia", "abia", "acca"),
    *("aiza", "ya29.", "gocspx-", "sg.", "hf_", "npm_", "pypi-", "dop_v1_", "lsv2_", "gsk_"),
    *("xai-", "eyj"),
)
_RULES: Final[tuple[tuple[str, re.Pattern[str], tuple[str, ...]], ...]] = (
    ("private key", re.compile(_KEY_BLOCK, re.S), ("-----begin",)),
    (
        "password",
        re.compile(r"(?<=://)(?P<user>[^\s/:@\"']*):(?P<pw>[^\s/@\"']+)(?=@)"),
        ("://",),
    ),
    (
        "token",
        re.compile(rf"(?<![A-Za-z0-9_-])(?:{'|'.join(_TOKENS)})"),
        _TOKEN_STARTS,
    ),
    (
        "bearer token",
        re.compile(
            r"(?P<name>\b(?:bearer|basic|token)\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.I
        ),
        ("bearer", "basic", "token"),
    ),
    ("secret", re.compile(_PAIR, re.I), ("pass", "secret", "key", "token")),
)
_PLAIN_WORD: Final = re.compile(
    r"[A-Za-z]+(?:[-_.][A-Za-z]+)*|[0-9.,:-]+|\$\{?\w+\}?|\*+|x+|•+", re.I
)


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and how many there were."""

    text: str
    count: int


@dataclass(frozen=True, slots=True)
class Masking:
    """Masks by shape, and by value what is known to be secret."""

    known: tuple[str, ...] = field(default=(), repr=False)

    @classmethod
    def of(cls, secrets: Iterable[str]) -> "Masking":
        """Mask these values wherever they turn up; shorter ones than eight characters are left."""
        kept = {secret for secret in secrets if len(secret) >= SHORTEST_KNOWN}
        return cls(tuple(sorted(kept, key=lambda secret: (-len(secret), secret))))

    def __call__(self, text: str) -> str:
        """The text with each secret replaced by what kind it was."""
        return self.masked(text).text

    def named(self, name: str, text: str) -> str:
        """A named value's text without its secrets: known by their shape, or by the name."""
        prefix = f"{name}: "
        whole = self(f"{prefix}{text}")
        return whole.removeprefix(prefix) if whole.startswith(prefix) else self(text)

    def within(self, value: Any, name: str = "") -> Any:  # noqa: ANN401 - JSON in, JSON out
        """JSON with the secrets of all its texts masked, known by their shape or by their key."""
        if isinstance(value, Mapping):
            return {key: self.within(item, str(key)) for key, item in value.items()}
        if isinstance(value, list):
            return [self.within(item, name) for item in value]
        return self.named(name, value) if isinstance(value, str) else value

    def masked(self, text: str) -> Masked:
        """The text with each secret replaced by what kind it was, and how many there were."""
        count = 0
        for secret in self.known:
            if secret in text:
                count += text.count(secret)
                text = text.replace(secret, _hidden("secret"))
        lowered = text.lower()
        for kind, pattern, words in _RULES:
            if any(word in lowered for word in words):
                text, found = _replaced(kind, pattern, text)
                count += found
        return Masked(text, count)


NO_MASKING: Final = Masking()
"""Masks by shape only."""


def _replaced(kind: str, pattern: re.Pattern[str], text: str) -> tuple[str, int]:
    count = 0

    def hide(match: re.Match[str]) -> str:
        nonlocal count
        groups = match.groupdict()
        if "pw" in groups:
            count += 1
            return f"{groups['user']}:{_hidden(kind)}"
        if "value" not in groups:
            count += 1
            return _hidden(kind)
        value = groups["value"]
        if not _looks_secret(value):
            return match[0]
        count += 1
        quote = value[: len(value) - len(value.lstrip("\\\"'"))]
        return f"{groups['name']}{quote}{_hidden(kind)}{quote}"

    return pattern.sub(hide, text), count


def _looks_secret(value: str) -> bool:
    """Whether a value is more than a plain word, a number, or a placeholder."""
    inner = value.strip("\\\"'")
    if MARK in inner:
        return False
    return _PLAIN_WORD.fullmatch(inner) is None


def _hidden(kind: str) -> str:
    return f"{MARK}{kind}]"


class MaskingFilter(logging.Filter):
    """Masks a log record's message and its traceback before any handler sees them."""

    def __init__(self, masking: Masking) -> None:
        """Use the rules of `masking`."""
        super().__init__()
        self._masking = masking

    def filter(self, record: logging.LogRecord) -> bool:
        """Mask in place; every record passes."""
        try:
            message = record.getMessage()
        except (TypeError, ValueError):  # a record whose arguments do not fit; logging reports it
            return True
        masked = self._masking(message)
        if masked != message:
            record.msg, record.args = masked, None
        if record.exc_info and record.exc_text is None:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = self._masking(record.exc_text)
        return True


class _MaskedRecords:
    """Makes the log records of this process, each masked by every masking that is on."""

    def __init__(self) -> None:
        """Make nothing yet."""
        self._one_at_a_time = threading.Lock()
        self._rules: tuple[MaskingFilter, ...] = ()
        self._before: Callable[..., logging.LogRecord] | None = None

    def add(self, rules: MaskingFilter) -> None:
        with self._one_at_a_time:
            self._rules += (rules,)
            if self._before is None:
                self._before = logging.getLogRecordFactory()
                logging.setLogRecordFactory(self)

    def remove(self, rules: MaskingFilter) -> None:
        with self._one_at_a_time:
            self._rules = tuple(one for one in self._rules if one is not rules)
            # Wrapped by somebody else's it stays, and masks nothing.
            if not self._rules and logging.getLogRecordFactory() is self:
                logging.setLogRecordFactory(self._before or logging.LogRecord)
                self._before = None

    def __call__(self, *args: Any, **kwargs: Any) -> logging.LogRecord:  # noqa: ANN401 - logging's own
        record = (self._before or logging.LogRecord)(*args, **kwargs)
        for rules in self._rules:
            rules.filter(record)
        return record


_RECORDS: Final = _MaskedRecords()


def mask_logs(masking: Masking) -> Callable[[], None]:
    """Mask every log record of this process from now on; call what it returns to stop.

    A filter of a logger sees only what is logged there, and one of a handler only that handler, so
    the records themselves are masked as they are made. Desks of one process may begin and stop in
    any order.
    """
    rules = MaskingFilter(masking)
    _RECORDS.add(rules)
    return lambda: _RECORDS.remove(rules)
