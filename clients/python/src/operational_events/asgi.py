"""Records the requests of an ASGI application."""

from __future__ import annotations

from typing import Any, Awaitable, Callable, MutableMapping, Optional

from ._requests import RequestRecorder

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
ASGIApp = Callable[[Scope, Receive, Send], Awaitable[None]]


class RecordRequestsASGI(RequestRecorder[ASGIApp, Scope]):
    """Sends an event for each HTTP request: method, endpoint, path, route, status_code and latency_ms.

    The route is ``scope["operational_events.route"]``, or the path of the route of FastAPI. ``route`` replaces this. It
    is called with the scope when the response has ended. The query string is never sent.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return await self._app(scope, receive, send)
        event = self._start(scope["method"], scope["path"])

        async def send_on(message: Message) -> None:
            if message["type"] == "http.response.start":
                event.status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, send_on)
        finally:
            event.send(self._route(scope))

    def _known_route(self, scope: Scope) -> Optional[str]:
        path = getattr(scope.get("route"), "path", None)
        return f"{scope.get('root_path', '')}{path}" if isinstance(path, str) else None
