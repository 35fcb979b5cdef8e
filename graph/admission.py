"""Who may come in: names, text, users of the directory, and threads by owner."""

from collections.abc import Awaitable, Callable, Sequence

from langchain_core.messages import HumanMessage

from configs.masking import Masking
from configs.settings import Settings
from graph.errors import (
    BadName,
    EmptyText,
    NotYourThread,
    TextTooLong,
    UnknownThread,
    UnknownUser,
    WrongArgument,
)
from memory.errors import ThreadOwned
from memory.transcript import Transcript
from models.tokens import count
from nodes.incoming import MASKED_KEY
from state import Context, Scope, clean_text, thread_key
from tools.effects import EffectRow, may_decide

NAME_CHARS = 200


class Admission:
    """Checks before a graph is touched; each raises a UserError and changes nothing."""

    def __init__(self, settings: Settings, transcript: Transcript) -> None:
        """Use the directory and limits of the settings."""
        self._settings = settings
        self._transcript = transcript

    def context(self, user: str, tenant: str) -> Context:
        """The run's Context: the user with the teams that the directory gives.

        Raises:
            BadName: user or tenant is not a usable name.
            UnknownUser: the directory lists users, and not this one.
        """
        _check_name("user", user)
        _check_name("tenant", tenant)
        users = self._settings.directory.users
        if users and user not in users:
            raise UnknownUser(user, sorted(users))
        teams = users[user].teams if user in users else ()
        return Context(
            user=user,
            tenant=tenant,
            teams=tuple(teams),
            max_steps=self._settings.limits.max_steps,
        )

    def question(self, text: str, masking: Masking) -> HumanMessage:
        """A question as it may be kept: without secrets, marked when it had any.

        Args:
            text: as the user wrote it.
            masking: finds the secrets.

        Raises:
            WrongArgument: it is no text.
            EmptyText: nothing but white space.
            TextTooLong: more tokens than `limits.max_question_tokens`.
        """
        check(isinstance(text, str), "the message as text", text, "Give it as a str.")
        cleaned = clean_text(text).strip()
        if not cleaned:
            raise EmptyText
        limit = self._settings.limits.max_question_tokens
        size = len(cleaned.encode())
        if size > limit and (size := count(cleaned)) > limit:
            raise TextTooLong(size, limit)
        masked = masking.masked(text)
        marks = {MASKED_KEY: masked.count} if masked.count else {}
        return HumanMessage(masked.text, additional_kwargs=marks)

    async def claim(self, thread: str, context: Context) -> str:
        """The key of a thread this user may write to; a new name becomes the user's.

        Raises:
            NotYourThread: it is somebody else's.
        """
        key = self.key(thread, context.tenant)
        try:
            await self._transcript.claim(key, context.scope, thread)
        except ThreadOwned as error:
            raise NotYourThread(thread) from error
        return key

    async def owner(self, thread: str, tenant: str, user: str | None = None) -> tuple[str, Context]:
        """The key of an existing thread and its owner's Context.

        Args:
            thread: its name.
            tenant: its tenant.
            user: who asks; None when rights are checked elsewhere.

        Raises:
            UnknownThread: there is none.
            NotYourThread: `user` is not its owner.
        """
        key = self.key(thread, tenant)
        if user is not None:
            self.context(user, tenant)
        row = await self._transcript.thread(key)
        if row is None:
            raise UnknownThread(thread)
        if user is not None and row.owner != user:
            raise NotYourThread(thread)
        return key, self.context(row.owner, tenant)

    def key(self, thread: str, tenant: str) -> str:
        """The key of a thread, whether or not it exists.

        Raises:
            BadName: thread or tenant is not a usable name.
        """
        _check_name("thread", thread)
        _check_name("tenant", tenant)
        return thread_key(tenant, thread)

    async def concerned(
        self,
        thread: str,
        scope: Scope,
        rows_of: Callable[[str], Awaitable[Sequence[EffectRow]]],
    ) -> str:
        """The key of a thread that is this user's, or has or had an action for the user to see.

        Args:
            thread: its name.
            scope: who asks.
            rows_of: gives all actions of a thread, by its key, whatever became of them.

        Raises:
            UnknownThread: there is none, as far as this user is told.
        """
        key = self.key(thread, scope.tenant)
        row = await self._transcript.thread(key)
        if row is None:
            raise UnknownThread(thread)
        if row.owner == scope.user or any(self.may_see(one, scope) for one in await rows_of(key)):
            return key
        raise UnknownThread(thread)

    def may_see(self, row: EffectRow, scope: Scope) -> bool:
        """Whether a pending action is shown: to who asked for it and to who may decide it."""
        asked = row.tenant == scope.tenant and row.requested_by == scope.user
        return asked or may_decide(row, scope)


def check(fits: bool, wanted: str, came: object, next_step: str) -> None:
    """Refuse a value that a call does not take, before anything is done with it.

    Raises:
        WrongArgument: it does not fit.
    """
    if not fits:
        raise WrongArgument(wanted, came, next_step)


def is_number(value: object) -> bool:
    """Whether a value is a whole number; True is none, though Python counts with it."""
    return isinstance(value, int) and not isinstance(value, bool)


def _check_name(what: str, name: str) -> None:
    if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARS:
        raise BadName(what, name)
    if not name.isprintable() or not name.strip() or clean_text(name) != name:
        raise BadName(what, name)
