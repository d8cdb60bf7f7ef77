"""What a session's life must look like, in plain Python."""

from dataclasses import dataclass, field, replace


@dataclass(frozen=True, slots=True)
class Talk:
    """What an undo brings back; ``plan`` numbers the session's plans, ``None`` is off.

    ``submitted`` is the text that was decided on, ``believes`` whether the agent was told to plan.
    """

    plan: int | None = None
    text: bytes = b""
    submitted: bytes | None = None
    believes: bool = False
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Moment:
    """Right before the message number ``seq``, which began a turn."""

    seq: int
    talk: Talk
    mode: str
    exits: int


@dataclass(slots=True)
class Life:
    """One session. ``versions`` holds each plan's submitted texts, ``exits`` counts exit texts.

    ``allowed`` says whether the project allows auto, ``unseen`` that a message was not heard yet,
    ``quiet`` that the person put the plan aside, ``retry`` that the last turn can be tried again.
    """

    mode: str
    auto_exit: bool
    allowed: bool = True
    talk: Talk = Talk()
    turn: str = ""
    stopping: bool = False
    stepped: bool = False
    unseen: bool = False
    quiet: bool = False
    retry: bool = False
    wants: bool | None = None
    wants_mode: str | None = None
    exits: int = 0
    versions: list[list[bytes]] = field(default_factory=list)
    moments: list[Moment] = field(default_factory=list)

    @property
    def active(self) -> bool:
        return self.talk.plan is not None

    @property
    def soon_active(self) -> bool:
        return self.active if self.wants is None else self.wants

    def enter(self) -> None:
        self.versions.append([])
        plan = len(self.versions) - 1
        self.talk = replace(self.talk, plan=plan, text=b"", submitted=None)

    def leave(self) -> None:
        self.talk, self.wants = replace(self.talk, plan=None, text=b"", submitted=None), None
        if self.mode == "auto" and not self.allowed:
            self.mode = "manual"

    def choose(self) -> None:
        self.mode, self.wants_mode = self.wants_mode or self.mode, None
        if self.soon_active and not self.active:
            self.enter()
        elif self.active and not self.soon_active:
            self.leave()
        self.wants = None

    def want(self, *, active: bool) -> None:
        self.wants = None if active == self.active else active
        if not self.turn:
            self.choose()

    def want_mode(self, mode: str) -> None:
        self.wants_mode = None if mode == self.mode else mode
        if not self.turn:
            self.choose()

    def say(self, text: str, seq: int) -> None:
        if not self.turn:
            self.moments.append(Moment(seq, self.talk, self.mode, self.exits))
            self.begin()
        self.talk, self.unseen = replace(self.talk, said=(*self.talk.said, text)), True

    def begin(self) -> None:
        self.turn, self.stepped, self.stopping, self.quiet = "queued", False, False, False

    def step(self) -> None:
        """Ask the model: choices count, it hears everything, and is told what changed."""
        self.choose()
        self.exits += self.talk.believes and not self.active
        self.talk = replace(self.talk, believes=self.active)
        self.stepped, self.unseen = True, False

    def work(self, act: str, text: bytes) -> None:
        """Let the agent do one thing, then stop unless it has to wait."""
        if self.stopping:
            self.end(retry=False)
            return
        self.step()
        if act == "enter":
            self.enter()
        if "write" in act:
            self.write(text)
        if "submit" in act and self.submits():
            self.turn = "waiting"
            return
        self.step()
        self.end(retry=self.active and not self.quiet)

    def write(self, text: bytes) -> None:
        self.talk = replace(self.talk, text=text)

    def submits(self) -> bool:
        """Keep the text as a version; return whether a person has to decide on it."""
        talk, plan = self.talk, self.talk.plan
        if plan is None or not talk.text or talk.text == talk.submitted:
            return False
        self.versions[plan].append(talk.text)
        self.talk = replace(talk, submitted=talk.text)
        if self.auto_exit and self.allowed and self.mode == "auto":
            self.leave()
        return self.active

    def decide(self, kind: str) -> None:
        self.turn, self.quiet = "queued", kind == "dismiss"
        self.stopping = kind.startswith("reject")
        if kind in {"approve", "reject_and_exit"}:
            self.leave()

    def interrupt(self) -> None:
        if self.turn == "waiting":  # nobody decides on that text any more
            self.talk = replace(self.talk, submitted=None)
        self.unseen, unheard = self.unseen and self.stepped, self.unseen
        self.end(retry=True)
        self.unseen = unheard

    def end(self, *, retry: bool) -> None:
        self.turn, self.retry = "", retry
        self.choose()
        if self.unseen:
            self.begin()

    def undo(self, index: int) -> None:
        self.talk, self.unseen, self.retry = self.moments[index].talk, False, False
        del self.moments[index:]

    def fork(self, index: int | None) -> "Life":
        """Return another session's life: what was said, and a plan of its own."""
        now = Moment(0, self.talk, self.mode, self.exits)
        then = now if index is None else self.moments[index]
        copy = Life(then.mode, self.auto_exit, self.allowed, replace(then.talk, submitted=None))
        copy.exits, copy.unseen = then.exits, index is None and self.unseen
        if copy.active:
            copy.enter()
            copy.write(then.talk.text)
        return copy

    def compact(self) -> None:
        self.talk, self.moments = replace(self.talk, said=()), []
