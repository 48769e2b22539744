"""Events that will never be stored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Optional

LossReason = Literal["full", "unserializable", "refused", "closed"]
"""Why events are lost.

- ``full``: the queue had no room, because the service is away or slower than the program.
- ``unserializable``: the event cannot be written as JSON.
- ``refused``: the service has refused the event and would refuse it again.
- ``closed``: the sender was closed before the event was stored.
"""


@dataclass(frozen=True)
class Loss:
    """Events that will never be stored."""

    reason: LossReason
    events: int
    """How many events are lost."""
    status: Optional[int] = None
    """The status of the response, where the service refused the events."""
    detail: object = None
    """The ``detail`` of the response, or of the first refused line. The target of a redirect."""
