"""Sends a batch once, and says what became of it."""

from __future__ import annotations

import http.client
import io
import json
import socket
import ssl
from dataclasses import dataclass
from time import monotonic
from typing import Any, List, Mapping, Optional, Union
from urllib.parse import urlsplit

from ._queue import Batch

_MAX_ANSWER_BYTES = 16 * 1024 * 1024
_MAX_RETRY_AFTER = 3600.0
"""Seconds. A limit may be raised earlier than a longer Retry-After says."""
_REDIRECTS = (301, 302, 303, 307, 308)


@dataclass(frozen=True)
class Stored:
    """The service has decided on every line. It refused some of them, the first with ``detail``."""

    refused: int
    status: int
    detail: object


@dataclass(frozen=True)
class Refused:
    """The whole batch was refused and would be refused again."""

    status: int
    detail: object


@dataclass(frozen=True)
class TooLarge(Refused):
    """The request is larger than the service, or a proxy, accepts. Nothing was stored."""


@dataclass(frozen=True)
class Again:
    """It is unknown whether the batch was stored, or it cannot be stored now. Send the same request again."""

    after: float = 0.0
    """Seconds."""


Outcome = Union[Stored, Refused, Again]


class Target:
    """Where batches go.

    ``timeout`` limits a whole request, in seconds, also when the answer arrives byte by byte.
    """

    def __init__(self, url: str, api_key: str, timeout: float) -> None:
        parts = urlsplit(url)
        if parts.scheme not in ("http", "https") or parts.hostname is None:
            raise ValueError(f"not an address of http or https: {url!r}")
        if not (api_key.isascii() and api_key.isprintable()):
            raise ValueError("the API key has characters that no key has, such as a line end")
        self._is_tls = parts.scheme == "https"
        self._host = parts.hostname
        self._port = parts.port or (443 if self._is_tls else 80)
        self._authority = parts.netloc.rpartition("@")[2]
        self._path = parts.path.rstrip("/") + "/v1/events/ingest"
        self._api_key = api_key
        self._timeout = timeout
        self._tls = ssl.create_default_context() if self._is_tls else None

    def attempt(self, batch: Batch) -> Outcome:
        """Sends a batch. With the same key the service stores it once, however often it is sent. Never raises."""
        try:
            return self._attempt(batch)
        except Exception:
            # There was no answer, half of one, or one that is no JSON. The service may have stored the batch or not.
            return Again()

    def _attempt(self, batch: Batch) -> Outcome:
        deadline = monotonic() + self._timeout
        sock: socket.socket = socket.create_connection((self._host, self._port), timeout=self._timeout)
        try:
            if self._tls is not None:
                sock = self._tls.wrap_socket(sock, server_hostname=self._host)
            connection = http.client.HTTPConnection(self._host, self._port)
            connection.sock = _TimedSocket(sock, deadline)
            connection.request(
                "POST",
                self._path,
                body=b"\n".join(batch.lines),
                headers={
                    "Host": self._authority,
                    "Content-Type": "application/x-ndjson",
                    "Idempotency-Key": batch.key,
                    "X-API-Key": self._api_key,
                    "Connection": "close",
                },
            )
            return _outcome_of(connection.getresponse(), batch)
        finally:
            sock.close()


class _TimedSocket:
    """What http.client uses of a socket, with one deadline for the whole request. Its owner closes the socket."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._limit()
        self._sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_TimedReader(self))

    def receive_into(self, buffer: Any) -> int:
        self._limit()
        return self._sock.recv_into(buffer)

    def close(self) -> None:
        """http.client closes a socket before it reads the body of the last response."""

    def _limit(self) -> None:
        left = self._deadline - monotonic()
        if left <= 0:
            raise TimeoutError("the request took too long")
        self._sock.settimeout(left)


class _TimedReader(io.RawIOBase):
    def __init__(self, sock: _TimedSocket) -> None:
        self._sock = sock

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self._sock.receive_into(buffer)


def _outcome_of(response: http.client.HTTPResponse, batch: Batch) -> Outcome:
    status = response.status
    if status in _REDIRECTS:
        # A redirect would take the key elsewhere, and following it would hide that the address is wrong.
        location = response.getheader("Location")
        return Refused(status, "Redirects are not followed" + ("" if location is None else f": {location}"))
    # 409: the same request is still running.
    if status in (408, 409, 429) or status >= 500:
        return Again(_retry_after(response.getheader("Retry-After")))
    if 200 <= status < 300:
        return _decision_of(json.loads(_body_of(response)), status, batch)
    answer = _answer_of(response)
    # Every line was refused for a reason of its own.
    results = answer.get("results")
    if status == 422 and isinstance(results, list) and len(results) == len(batch.lines):
        return _decision_of(answer, status, batch)
    detail = answer.get("detail")
    return TooLarge(status, detail) if status == 413 else Refused(status, detail)


def _decision_of(answer: Any, status: int, batch: Batch) -> Outcome:
    """Only an answer with a result for each line proves a decision. A proxy may answer 200, too."""
    results: List[Any] = answer["results"]
    if len(results) != len(batch.lines) or not all(isinstance(result["accepted"], bool) for result in results):
        return Again()
    refused = [result for result in results if not result["accepted"]]
    return Stored(len(refused), status, refused[0].get("detail") if refused else None)


def _answer_of(response: http.client.HTTPResponse) -> Mapping[str, Any]:
    """The status says that the batch was refused, also when the body is missing or broken off."""
    try:
        answer = json.loads(_body_of(response))
    except Exception:
        return {}
    return answer if isinstance(answer, dict) else {}


def _body_of(response: http.client.HTTPResponse) -> bytes:
    body = response.read(_MAX_ANSWER_BYTES)
    if not response.isclosed() and response.read(1):
        raise ValueError("the answer is too long")
    return body


def _retry_after(seconds: Optional[str]) -> float:
    """The service writes Retry-After in seconds."""
    try:
        wait = float(seconds or 0)
    except ValueError:
        return 0.0
    return min(wait, _MAX_RETRY_AFTER) if wait > 0 else 0.0
