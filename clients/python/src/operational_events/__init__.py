"""Sends events to the Operational Event Service in the background, each stored once."""

from .asgi import RecordRequestsASGI
from .event_handler import EventHandler
from .event_sender import EventSender
from .loss import Loss, LossReason
from .wsgi import RecordRequestsWSGI

__all__ = [
    "EventHandler",
    "EventSender",
    "Loss",
    "LossReason",
    "RecordRequestsASGI",
    "RecordRequestsWSGI",
]
