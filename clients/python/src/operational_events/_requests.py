"""The event of a served request."""

from __future__ import annotations

from time import perf_counter
from typing import Optional

from .event_sender import EventSender


class RequestEvent:
    """Measures a request from its creation until ``send``."""

    def __init__(self, sender: EventSender, event_type: str, method: str, path: str) -> None:
        self.status = 500
        """The status of the response. A request that ends without a response counts as 500."""
        self._sender = sender
        self._event_type = event_type
        self._method = method
        self._path = path
        self._started_at = perf_counter()

    def send(self, route: Optional[str]) -> None:
        """``endpoint`` is the route where it is known, so that ids in paths do not make endpoints of their own."""
        payload = {
            "method": self._method,
            "endpoint": route or self._path,
            "path": self._path,
            "status_code": self.status,
            "latency_ms": round((perf_counter() - self._started_at) * 1_000),
        }
        if route:
            payload["route"] = route
        self._sender.send(self._event_type, payload)
