"""The events that wait to be sent, and the batches that they become."""

from __future__ import annotations

import uuid
from collections import deque
from dataclasses import dataclass
from typing import Deque, List, Optional

_BYTES_OF_A_LINE = 64
"""What a queued event takes in addition to its text."""


@dataclass(frozen=True)
class Batch:
    """One request: its events as lines, and the key under which the service stores them once."""

    key: str
    lines: List[bytes]
    size: int
    """Bytes of the body, with a line end for each line."""


def batch_of(lines: List[bytes]) -> Batch:
    return Batch(str(uuid.uuid4()), lines, sum(len(line) + 1 for line in lines))


def halves(batch: Batch) -> List[Batch]:
    """Returns two batches with keys of their own, because a key belongs to one body."""
    middle = (len(batch.lines) + 1) // 2
    return [batch_of(batch.lines[:middle]), batch_of(batch.lines[middle:])]


class EventQueue:
    """Lines in the order in which they were sent. It never holds more than ``max_bytes``. Not safe for threads."""

    def __init__(self, max_bytes: int) -> None:
        self._max_bytes = max_bytes
        self._lines: Deque[bytes] = deque()
        self.size = 0

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, line: bytes, held: int) -> bool:
        """Returns False when there is no room. The batch under way takes ``held`` bytes."""
        size = len(line) + 1 + _BYTES_OF_A_LINE
        if self.size + held + size > self._max_bytes:
            return False
        self._lines.append(line)
        self.size += size
        return True

    def take(self, max_events: int, max_bytes: int) -> Optional[Batch]:
        """Returns the oldest events, as many as fit into one request and at least one. None when none waits."""
        lines: List[bytes] = []
        size = 0
        while self._lines and len(lines) < max_events:
            next_size = len(self._lines[0]) + 1
            if lines and size + next_size > max_bytes:
                break
            lines.append(self._lines.popleft())
            size += next_size
        self.size -= size + len(lines) * _BYTES_OF_A_LINE
        return batch_of(lines) if lines else None
