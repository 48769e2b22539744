"""Records the requests that an application serves."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Callable, Generic, MutableMapping, Optional, TypeVar

from .event_sender import EventSender

ROUTE = "operational_events.route"
"""The member of the environment or scope in which an application may name the route of a request."""

App = TypeVar("App")
Request = TypeVar("Request", bound=MutableMapping[str, Any])


class RequestRecorder(Generic[App, Request]):
    """The part that both kinds of middleware share. ``Request`` is the environment of WSGI or the scope of ASGI."""

    def __init__(
        self,
        app: App,
        sender: EventSender,
        *,
        event_type: str = "http.request",
        route: Optional[Callable[[Request], Optional[str]]] = None,
    ) -> None:
        self._app = app
        self._sender = sender
        self._event_type = event_type
        self._route = route or self._named_or_known_route

    def _start(self, method: str, path: str) -> RequestEvent:
        return RequestEvent(self._sender, self._event_type, method, path)

    def _named_or_known_route(self, request: Request) -> Optional[str]:
        named = request.get(ROUTE)
        return named if isinstance(named, str) else self._known_route(request)

    def _known_route(self, request: Request) -> Optional[str]:
        """Returns the route where the framework has stored it."""
        raise NotImplementedError


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
