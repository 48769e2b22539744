"""Sends what a program logs."""

from __future__ import annotations

import logging
import traceback
from datetime import datetime, timezone
from typing import Dict, Optional

from .event_sender import EventSender

_MAX_MESSAGE_CHARACTERS = 2_000
_FLUSH_TIMEOUT = 5.0
_SEVERITIES = ((logging.CRITICAL, "critical"), (logging.ERROR, "error"), (logging.WARNING, "warning"))
_OWN_ATTRIBUTES = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName"}
"""Attributes of every record. All others come from ``extra``."""


class EventHandler(logging.Handler):
    """A handler of ``logging`` that sends each record as an event.

    An event has ``message`` (up to 2,000 characters), ``severity``, the time of the record, and as payload ``logger``,
    the members of ``extra`` and ``exception`` (type, message, stack). Values that JSON cannot write become text.
    Records of ERROR and above get the status ``error`` unless ``extra`` has a status.
    """

    def __init__(self, sender: EventSender, *, event_type: str = "log", level: int = logging.NOTSET) -> None:
        super().__init__(level)
        self._sender = sender
        self._event_type = event_type

    def emit(self, record: logging.LogRecord) -> None:
        try:
            self._sender._send(self._event_of(record), str)
        except Exception:
            self.handleError(record)

    def flush(self) -> None:
        """Waits up to five seconds until all events are stored or refused."""
        self._sender.flush(_FLUSH_TIMEOUT)

    def _event_of(self, record: logging.LogRecord) -> Dict[str, object]:
        payload = {name: value for name, value in vars(record).items() if name not in _OWN_ATTRIBUTES}
        payload.setdefault("logger", record.name)
        exception = _exception_of(record)
        if exception is not None:
            payload.setdefault("exception", exception)
        is_error = record.levelno >= logging.ERROR
        message = self.format(record) if self.formatter is not None else record.getMessage()
        return {
            "event_type": self._event_type,
            "timestamp": datetime.fromtimestamp(record.created, timezone.utc),
            "severity": next((name for level, name in _SEVERITIES if record.levelno >= level), "info"),
            "message": message[:_MAX_MESSAGE_CHARACTERS] or None,
            "status": "error" if is_error and "status" not in payload else None,
            "payload": payload,
        }


def _exception_of(record: logging.LogRecord) -> Optional[Dict[str, str]]:
    if not record.exc_info or record.exc_info[0] is None:
        return None
    kind, error, trace = record.exc_info
    stack = "".join(traceback.format_exception(kind, error, trace))
    return {"type": kind.__name__, "message": str(error), "stack": stack}
