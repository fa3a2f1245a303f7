"""IRC logs of the rhawk Spades bot: four humans, several rounds a file. Read only.

Source: spec 1, notation 3, and the bot's own source (rhawk, ``spades.awk``). The bot shuffles the
players, so only the auction tells who sits where: the **first bidder of a game's first round is
North**, those after him East, South and West; the first bidder leads, and the deal passes
clockwise. "With 10 bags" means: ten bags cost 100, a nil is worth 100 and a blind nil 200 ("with 5
bags": 50, 50 and 100). Tricks of a failed nil count for the contract. Bags are the score modulo the
limit.

The hands are the cards that each seat played: a round cut short before its last card but one, one
said to be over before its last card, and one in which cards were passed are refused. Whatever the
log says of winners, tricks, contracts and scores is checked; lines that can't be read are noted.

Nicks become pseudonyms, and games hashes, by a salt that never leaves the machine: 32 random bytes
in the file ``salt`` of the user's folder. Nobody without it can try names out.
"""

import contextlib
import hashlib
import hmac
import os
import secrets
import tempfile
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path

from spades.core.cards import four
from spades.core.errors import InvalidRecordError
from spades.core.paths import user_folder
from spades.core.records import RoundRecord
from spades.notation import reading
from spades.notation.irc_round import Draft, Game, Message, messages
from spades.notation.reading import Intake, Reading, blamed_on, lines_of

NOTATION = "irc"
_FIRST_TRICK = (
    "the bot forbids spades in the first trick; the engine doesn't know that rule, so plays count "
    "as legal there that weren't"
)


_OF_A_ROUND = ("first", "bid", "nil", "auction", "lead", "turn", "win")


@dataclass
class _Log:
    intake: Intake
    salt: bytes | None
    game: Game | None = None
    draft: Draft | None = None
    n_rounds: int = 0
    n_unknown: int = 0
    is_lost: bool = False  # within a round whose deal wasn't read

    def feed(self, message: Message) -> None:
        match message.kind:
            case "start":
                game = self._new_game(message)
                game.target, game.limit = int(message["target"]), int(message["limit"])
                game.score = (0, 0)
            case "join":
                is_under_way = self.draft or (self.game and self.game.n_deals)
                game = self._new_game(message) if is_under_way else self._game(message)
                game.score = (0, 0)
            case "deal":
                self.close_round()
                game = self._game(message)
                self.draft = Draft(message.line, game, game.n_deals)
                game.n_deals += 1
                self.n_rounds += 1
            case "end":
                self.close_round()
                self.game = None
            case "named":
                self._game(message).teams[message["team"]] = message["pair"]
            case "substitute":
                self.intake.note(message.line, "a substitute plays for a seat (or no longer does)")
            case "unknown" if self.draft:
                self.draft.skip(message.line)
            case _ if self.draft:
                self.draft.feed(message)
            case kind if kind in _OF_A_ROUND:
                self._lose_round(message)
            case kind:
                self.n_unknown += kind == "unknown"

    def _lose_round(self, message: Message) -> None:
        """Refuse a round whose deal line is missing or can't be read; those after it keep their
        number and lose the score before them."""
        if self.is_lost:
            return
        self.is_lost = True
        game = self._game(message)
        game.n_deals += 1
        game.score = None
        self.n_rounds += 1
        self.intake.refuse(message.line, "bids or plays, and no line before them that deals")

    def _pseudonym(self, name: str, *, what: str = "p") -> str:
        self.salt = self.salt or installation_salt()  # made when first needed
        return pseudonym(name, self.salt, what=what)

    def _game(self, message: Message) -> Game:
        if self.game is None:
            self.game = Game(self._pseudonym(f"{message.when} {message.line}", what="irc"))
        return self.game

    def _new_game(self, message: Message) -> Game:
        self.close_round()
        self.game = None
        return self._game(message)

    def close_round(self) -> None:
        draft, self.draft, self.is_lost = self.draft, None, False
        if draft is None:
            return
        game = draft.game
        self._note_unsaid(draft)

        def read() -> RoundRecord:
            with blamed_on(draft.line):
                if game.limit == 0:
                    raise InvalidRecordError("a game with 0 bags; the bot knows 5 and 10")
                record = draft.read()
            names = four(self._pseudonym(nick.lower()) for nick in record.players)
            return replace(record, game_id=game.name, players=names)

        self.intake.take(draft.line, read)
        game.score = draft.score_after() or draft.scored

    def _note_unsaid(self, draft: Draft) -> None:
        """Note lines not read, and a target that no line gave: then a score line may have it."""
        game = draft.game
        if draft.unread:
            self.intake.note(
                draft.unread[0],
                f"{draft.n_unread:,} lines within the round of line {draft.line} can't be read or "
                f"say nothing of the play: {draft.unread_lines}",
            )
        if game.target is None:
            game.target = int(draft.score["target"]) if draft.score else None
            self.intake.note(
                draft.line,
                f"no line says what the game is to; {game.rules.target} points and "
                f"{game.rules.bag_limit} bags, the bot's own, assumed",
            )


def parse(text: str, *, name: str = "", salt: bytes | None = None) -> Reading:
    """Rounds of an IRC log, each replayed. ``salt`` of the nicks' hashes: default, one kept for
    this installation."""
    intake = Intake(NOTATION, name)
    log = _Log(intake, salt)
    for message in messages(lines_of(text)):
        if isinstance(message, int):
            if log.draft:
                log.draft.skip(message)
            continue
        log.feed(message)
        if log.n_rounds > reading.MAX_RECORDS:
            too_many = Intake(NOTATION, name)
            too_many.has_too_many(log.n_rounds)
            return too_many.done()
    log.close_round()
    if log.n_rounds:
        intake.note(0, _FIRST_TRICK)
    if log.n_unknown:
        intake.note(0, f"{log.n_unknown} lines that say nothing of the play left out")
    return intake.done()


SALT_BYTES = 32
_DIGITS = 16


def pseudonym(name: str, salt: bytes, *, what: str = "p") -> str:
    """Pseudonym of a name, ``what-`` and 16 hexadecimal digits."""
    text = f"{what}:{name}".encode("utf-8", errors="surrogatepass")
    return f"{what}-{hmac.new(salt, text, hashlib.sha256).hexdigest()[:_DIGITS]}"


def installation_salt() -> bytes:
    """The salt of this installation; where none can be kept, one of this process."""
    path = user_folder() / "salt"
    try:
        return _read(path) or _made(path)
    except OSError:
        return _process_salt()


def _read(path: Path) -> bytes | None:
    try:
        salt = path.read_bytes()
    except FileNotFoundError:
        return None
    return salt if len(salt) >= SALT_BYTES else None


def _made(path: Path) -> bytes:
    """A new salt, or the one that another process made at the same time."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".salt.") as file:
        file.write(secrets.token_bytes(SALT_BYTES))
        file.flush()
        os.fsync(file.fileno())
        if _read(path) is None:
            path.unlink(missing_ok=True)  # a salt cut short is of no use
        with contextlib.suppress(FileExistsError):
            os.link(file.name, path)
    return _read(path) or _process_salt()


@lru_cache(maxsize=1)
def _process_salt() -> bytes:
    return secrets.token_bytes(SALT_BYTES)
