"""Records the requests of a WSGI application."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Callable, Iterable, Iterator, Optional

from ._requests import RequestRecorder

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class RecordRequestsWSGI(RequestRecorder["WSGIApplication", "WSGIEnvironment"]):
    """Sends an event for each request: method, endpoint, path, route, status_code and latency_ms.

    The route is ``environ["operational_events.route"]``, or the rule of Flask or Bottle. ``route`` replaces this. It is
    called with the environment when the response has ended. The query string is never sent.
    """

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        path = _text_of(environ.get("SCRIPT_NAME", "") + environ.get("PATH_INFO", ""))
        event = self._start(environ["REQUEST_METHOD"], path)

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

    def _known_route(self, environ: WSGIEnvironment) -> Optional[str]:
        flask_rule = getattr(environ.get("werkzeug.request"), "url_rule", None)
        rule = getattr(flask_rule, "rule", None) or getattr(environ.get("bottle.route"), "rule", None)
        return f"{environ.get('SCRIPT_NAME', '')}{rule}" if isinstance(rule, str) else None


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


def _text_of(path: str) -> str:
    """WSGI gives the bytes of a path as Latin-1."""
    return path.encode("latin-1").decode("utf-8", "replace")
