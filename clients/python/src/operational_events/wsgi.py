"""Records the requests of a WSGI application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional

from ._requests import RequestEvent
from .event_sender import EventSender

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ROUTE = "operational_events.route"
"""The member of the environment in which an application may name the route of a request."""


class RecordRequestsWSGI:
    """Sends an event for each request: method, endpoint, path, route, status_code and latency_ms.

    The route is ``environ["operational_events.route"]``, or the rule of Flask or Bottle. ``route`` replaces this. It is
    called with the environment when the response has ended. The query string is never sent.
    """

    def __init__(
        self,
        app: WSGIApplication,
        sender: EventSender,
        *,
        event_type: str = "http.request",
        route: Optional[Callable[[WSGIEnvironment], Optional[str]]] = None,
    ) -> None:
        self._app = app
        self._sender = sender
        self._event_type = event_type
        self._route = route or _known_route

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = _text_of(environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""))
        event = RequestEvent(self._sender, self._event_type, environ["REQUEST_METHOD"], path)

        def start(status: str, headers: Any, exc_info: Any = None) -> Any:
            event.status = int(status[:3])
            return start_response(status, headers, exc_info) if exc_info else start_response(status, headers)

        def done() -> None:
            event.send(self._route(environ))

        try:
            body = self._app(environ, start)
        except BaseException:
            done()
            raise
        return _Body(body, done)


class _Body:
    """The body of a response, which calls back once when the server closes it."""

    def __init__(self, body: Iterable[bytes], done: Callable[[], None]) -> None:
        self._body = body
        self._done = done

    def __iter__(self) -> Iterator[bytes]:
        return iter(self._body)

    def close(self) -> None:
        try:
            close = getattr(self._body, "close", None)
            if close is not None:
                close()
        finally:
            self._done()


def _known_route(environ: WSGIEnvironment) -> Optional[str]:
    named = environ.get(ROUTE)
    if isinstance(named, str):
        return named
    flask_rule = getattr(environ.get("werkzeug.request"), "url_rule", None)
    rule = getattr(flask_rule, "rule", None) or getattr(environ.get("bottle.route"), "rule", None)
    return f"{environ.get('SCRIPT_NAME', '')}{rule}" if isinstance(rule, str) else None


def _text_of(path: str) -> str:
    """WSGI gives the bytes of a path as Latin-1."""
    return path.encode("latin-1").decode("utf-8", "replace")
