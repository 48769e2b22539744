# Python. `body` is bytes; `headers` finds names in any case, as those of Flask, Django and http.server do.
import base64
import hashlib
import hmac
import re
import time


def is_genuine(body, headers, secret, tolerance_seconds=300):
    """Verifies a webhook of an alert destination. `secret` is the text that was typed."""
    timestamp = headers.get("X-Service-Timestamp") or ""
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance_seconds:
        return False
    signed = timestamp.encode() + b"." + body
    expected = "v1=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
    given = (headers.get("X-Service-Signature") or "").split(",")
    return any(hmac.compare_digest(one.strip().encode(), expected.encode()) for one in given)


def is_genuine_of_channel(body, headers, secret, tolerance_seconds=300):
    """Verifies a webhook of a channel, by its signing secret (`whsec_…`)."""
    message_id = headers.get("webhook-id") or ""
    timestamp = headers.get("webhook-timestamp") or ""
    if not re.fullmatch("[0-9]{1,12}", timestamp) or abs(time.time() - int(timestamp)) > tolerance_seconds:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{message_id}.{timestamp}.".encode() + body
    expected = b"v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    given = (headers.get("webhook-signature") or "").split(" ")
    return any(hmac.compare_digest(one.encode(), expected) for one in given)
