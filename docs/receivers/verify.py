# Python. `body` is bytes; `headers` finds names in any case, as those of Flask, Django and http.server do.
import hashlib
import hmac
import re
import time


def is_genuine(body, headers, secret, tolerance_seconds=300):
    timestamp = headers.get("X-Service-Timestamp") or ""
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance_seconds:
        return False
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = (headers.get("X-Service-Signature") or "").split(",")
    return any(hmac.compare_digest(one.strip().encode(), expected.encode()) for one in given)
