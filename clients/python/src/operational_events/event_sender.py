"""Sends events in the background."""

from __future__ import annotations

import atexit
import os
import random
import threading
import weakref
from datetime import datetime, timezone
from time import monotonic
from typing import Callable, Mapping, Optional, Union

from ._attempt import Again, Stored, Target, TooLarge
from ._json import line_of, refuse
from ._queue import Batch, EventQueue, halves
from .loss import Loss

_FIRST_BACKOFF = 0.25
_MAX_BACKOFF = 30.0
_EXIT_TIMEOUT = 5.0
"""Seconds for which a program that ends waits for its events."""
_MAX_EVENTS_PER_REQUEST = 1_000


class EventSender:
    """Sends events in a background thread.

    ``send`` costs a line of JSON and neither waits nor raises. One batch is under way at a time. It is sent until the
    service has decided on it, through restarts of the service, and it is stored once. The memory for waiting events is
    limited. All methods may be called from any thread, also after a fork.
    """

    def __init__(
        self,
        url: str,
        api_key: str,
        *,
        source: Optional[str] = None,
        max_batch_events: int = 200,
        max_batch_bytes: int = 512 * 1024,
        max_wait: float = 1.0,
        max_queued_bytes: int = 8 * 1024 * 1024,
        timeout: float = 10.0,
        on_loss: Optional[Callable[[Loss], object]] = None,
        flush_on_exit: bool = True,
    ) -> None:
        """
        url: the address of the service, such as ``https://events.example.com``.
        api_key: a key with the scope ``events:write``.
        source: the source of events that name none.
        max_batch_events: the largest number of events per request, up to 1,000.
        max_batch_bytes: the largest size of a request, up to 5 MiB.
        max_wait: how long an event waits for others, in seconds.
        max_queued_bytes: the limit of waiting events. Further events are lost with the reason ``full``.
        timeout: how long one request may take, in seconds.
        on_loss: is called for events that will never be stored, in the thread of ``send`` or in the background
            thread. What it raises is ignored.
        flush_on_exit: whether the interpreter waits up to 5 seconds for waiting events when it exits.

        Raises ValueError for an address or a key that cannot be one.
        """
        self._target = Target(url, api_key, timeout)
        self._source = source
        self._max_batch_events = max(1, min(_MAX_EVENTS_PER_REQUEST, max_batch_events))
        self._max_batch_bytes = max_batch_bytes
        self._max_wait = max_wait
        self._max_queued_bytes = max_queued_bytes
        self._on_loss = on_loss
        self._reporting = threading.local()
        self._is_closed = False
        self._has_given_up = False
        self._reset()
        _SENDERS.add(self)
        if flush_on_exit:
            _FLUSHED_ON_EXIT.add(self)

    def _reset(self) -> None:
        """Begins with nothing to send. The child of a fork does this, because its parent sends what waits."""
        # The lock is reentrant: a signal handler or a finalizer may send while its own thread sends.
        self._changed = threading.Condition(threading.RLock())
        self._thread: Optional[threading.Thread] = None
        self._queue = EventQueue(self._max_queued_bytes)
        self._held: Optional[Batch] = None
        self._due: Optional[float] = None
        self._flushing = 0
        # A flush increases this number, which ends the waits of the background thread.
        self._wakes = 0
        self._taken = 0
        self._decided = 0

    @property
    def pending(self) -> int:
        """The number of events that are not known to be stored."""
        with self._changed:
            return self._taken - self._decided

    def send(
        self,
        event_type: str,
        payload: Optional[Mapping[str, object]] = None,
        *,
        source: Optional[str] = None,
        timestamp: Union[datetime, str, None] = None,
        **fields: object,
    ) -> None:
        """Queues an event. It is written as JSON at once, so that later changes to it have no effect.

        timestamp: a datetime or ISO 8601. The time of this call by default. A datetime without a zone is local time.
        fields: other members of the event, such as ``message``, ``severity``, ``status``, ``environment`` and
            ``event_id``. None leaves a member out.
        """
        own = {"event_type": event_type, "source": source, "timestamp": timestamp, "payload": payload}
        self._send({**fields, **own}, refuse)

    def _send(self, event: Mapping[str, object], fallback: Callable[[object], object]) -> None:
        if self._is_closed:
            return self._lose(Loss("closed", 1))
        try:
            line = line_of(self._complete(event), fallback)
        except Exception:
            return self._lose(Loss("unserializable", 1))
        loss = self._enqueue(line)
        if loss is not None:
            self._lose(loss)

    def _complete(self, event: Mapping[str, object]) -> Mapping[str, object]:
        completed = dict(event)
        if completed.get("timestamp") is None:
            completed["timestamp"] = datetime.now(timezone.utc)
        if completed.get("source") is None:
            completed["source"] = self._source
        return completed

    def _enqueue(self, line: bytes) -> Optional[Loss]:
        with self._changed:
            if not self._starts():
                return Loss("closed", 1)
            if not self._queue.add(line, self._held.size if self._held is not None else 0):
                return Loss("full", 1)
            self._taken += 1
            if self._due is None:
                self._due = monotonic() + self._max_wait
                self._changed.notify_all()
            elif self._is_full():
                self._changed.notify_all()
            return None

    def _starts(self) -> bool:
        """Starts the background thread when it does not run. Returns False when the interpreter is at its end."""
        if self._is_closed:
            return False
        if self._thread is None:
            thread = threading.Thread(target=self._run, name="operational-events", daemon=True)
            try:
                thread.start()
            except RuntimeError:
                return False
            self._thread = thread
        return True

    def flush(self, timeout: float = 30.0) -> bool:
        """Sends waiting events now.

        Returns whether all events that were sent before are stored or refused. False: ``timeout`` seconds have passed.
        """
        with self._changed:
            target = self._taken
            self._flushing += 1
            self._wakes += 1
            if len(self._queue) > 0:
                self._due = monotonic()
            self._changed.notify_all()
            try:
                return self._changed.wait_for(lambda: self._decided >= target, timeout)
            finally:
                self._flushing -= 1

    def close(self, timeout: float = 30.0) -> bool:
        """Accepts no more events, and flushes. Events without an answer are then lost. Returns what ``flush`` does."""
        _FLUSHED_ON_EXIT.discard(self)
        with self._changed:
            self._is_closed = True
        is_done = self.flush(timeout)
        lost = 0
        with self._changed:
            if not is_done and not self._has_given_up:
                self._has_given_up = True
                lost = self._taken - self._decided
            self._wakes += 1
            self._changed.notify_all()
        if lost > 0:
            self._lose(Loss("closed", lost))
        return is_done

    def __enter__(self) -> EventSender:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _run(self) -> None:
        batch: Optional[Batch] = None
        while True:
            with self._changed:
                self._held = None
                # Events that came while a batch was under way follow it at once.
                if batch is None or len(self._queue) == 0:
                    self._wait_until_due()
                if self._has_given_up or (self._is_closed and len(self._queue) == 0):
                    return
                self._held = batch = self._queue.take(self._max_batch_events, self._max_batch_bytes)
            if batch is not None:
                self._deliver(batch)

    def _wait_until_due(self) -> None:
        """Waits until a batch is due or the sender is closed. Holds the lock."""
        if len(self._queue) == 0:
            self._due = None
        while not self._is_closed:
            if self._due is None:
                self._changed.wait()
                continue
            left = self._due - monotonic()
            if left <= 0 or self._is_full():
                return
            self._changed.wait(left)

    def _is_full(self) -> bool:
        return len(self._queue) >= self._max_batch_events or self._queue.size >= self._max_batch_bytes

    def _deliver(self, batch: Batch) -> None:
        """Sends a batch until the service has decided on all of it, or until this sender gives up."""
        attempts = 0
        while not self._has_given_up:
            outcome = self._target.attempt(batch)
            if isinstance(outcome, Again):
                self._pause(outcome.after, _backoff(attempts))
                attempts += 1
            elif isinstance(outcome, TooLarge) and len(batch.lines) > 1:
                for half in halves(batch):
                    self._deliver(half)
                return
            elif isinstance(outcome, Stored):
                if outcome.refused > 0:
                    self._lose(Loss("refused", outcome.refused, outcome.status, outcome.detail))
                break
            else:
                self._lose(Loss("refused", len(batch.lines), outcome.status, outcome.detail))
                break
        with self._changed:
            self._decided += len(batch.lines)
            self._changed.notify_all()

    def _pause(self, asked: float, backoff: float) -> None:
        """Waits until the next attempt, or until somebody flushes. A flush does not wait for a long Retry-After."""
        with self._changed:
            wakes = self._wakes
            seconds = backoff if self._flushing > 0 else max(asked, backoff)
            self._changed.wait_for(lambda: self._wakes != wakes, seconds)

    def _lose(self, loss: Loss) -> None:
        # A listener that logs through an EventHandler of this sender may cause a loss itself.
        if self._on_loss is None or getattr(self._reporting, "is_busy", False):
            return
        self._reporting.is_busy = True
        try:
            self._on_loss(loss)
        except Exception:
            # A program that sends events must not fail because of the listener to their loss.
            pass
        finally:
            self._reporting.is_busy = False


_SENDERS: weakref.WeakSet[EventSender] = weakref.WeakSet()
_FLUSHED_ON_EXIT: weakref.WeakSet[EventSender] = weakref.WeakSet()


def _backoff(attempts: int) -> float:
    """Doubles up to half a minute, less up to a half by chance, so that many senders do not return as one."""
    return min(_MAX_BACKOFF, _FIRST_BACKOFF * 2.0 ** min(attempts, 10)) * (1 - random.random() / 2)


def _flush_on_exit() -> None:
    until = monotonic() + _EXIT_TIMEOUT
    for sender in list(_FLUSHED_ON_EXIT):
        sender.flush(max(0.0, until - monotonic()))


def _reset_after_fork() -> None:
    for sender in list(_SENDERS):
        sender._reset()


atexit.register(_flush_on_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_reset_after_fork)
