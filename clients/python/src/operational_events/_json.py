"""Writes an event as one line of JSON that the service accepts."""

from __future__ import annotations

import json
import math
import re
from datetime import date, datetime, time
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Callable, Mapping
from uuid import UUID

REPLACEMENT = "\ufffd"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Matches whole escapes, so that a backslash of the text is not taken for the start of one.
_ESCAPE = re.compile(r"\\(u0000|.)")


def line_of(event: Mapping[str, object], fallback: Callable[[object], object]) -> bytes:
    """Returns the event as JSON in UTF-8.

    Members without a value are left out, because the service refuses null. NaN and infinities become null. The
    database stores neither NUL nor unpaired surrogates, so U+FFFD replaces them.

    ``fallback`` returns what JSON can write for a value of an unknown type, or raises TypeError.

    Raises an exception when the event cannot be written.
    """
    given = {name: value for name, value in event.items() if not _is_absent(value)}
    try:
        text = _dumps(given, fallback)
    except ValueError:
        # A number is not finite, or a container holds itself. The copy of the latter raises RecursionError.
        text = _dumps(_finite(given), fallback)
    if "\\u0000" in text:
        text = _ESCAPE.sub(lambda escape: REPLACEMENT if escape[1] == "u0000" else escape[0], text)
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return _SURROGATE.sub(REPLACEMENT, text).encode("utf-8")


def refuse(value: object) -> object:
    """The fallback that writes no unknown types."""
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def _dumps(value: object, fallback: Callable[[object], object]) -> str:
    def default(unknown: object) -> object:
        known = _known(unknown)
        return fallback(unknown) if known is None else known

    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=default)


def _known(value: object) -> object:
    """What stands for a value of the standard library, or None."""
    if isinstance(value, datetime):
        return (value if value.tzinfo is not None else value.astimezone()).isoformat()
    if isinstance(value, (date, time)):
        return value.isoformat()
    if isinstance(value, (UUID, Decimal, PurePath)):
        return str(value)
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, (set, frozenset)):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value)
    return None


def _is_absent(value: object) -> bool:
    return value is None or (isinstance(value, float) and not math.isfinite(value))


def _finite(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(member) for name, member in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        return [_finite(member) for member in value]
    return value
