"""The Python sender as a program for tests, with the commands of sender.mjs and those of `sender-programs.ts`."""

import asyncio
import json
import logging
import os
import sys

from operational_events import EventHandler, EventSender, RecordRequestsASGI, RecordRequestsWSGI

options = json.loads(sys.argv[1])
losses = []
sender = EventSender(
    options["url"],
    options["apiKey"],
    source=options["source"],
    max_batch_events=options["maxBatchEvents"],
    max_batch_bytes=options["maxBatchBytes"],
    max_queued_bytes=options["maxQueuedBytes"],
    max_wait=options["maxWaitMs"] / 1_000,
    timeout=options["timeoutMs"] / 1_000,
    on_loss=lambda loss: losses.append(vars(loss)),
)
circle = []
circle.append(circle)
VALUES = {
    "circle": circle,
    "unknown": object(),
    "not finite": [float("nan"), float("inf"), 1],
    "broken text": "a\ud800b\0c\\u0000",
}
PATHS = (("GET", "/shop/orders/17"), ("POST", "/nowhere"), ("GET", "/broken"))


def send(command):
    for event in command["events"]:
        sender.send(**event)


def send_value(command):
    sender.send("order.paid", {"n": 0, "value": VALUES[command["value"]]})


def log(_command):
    logger = logging.getLogger("shop")
    logger.setLevel(logging.INFO)
    logger.propagate = False
    logger.addHandler(EventHandler(sender, event_type="shop.log"))
    logger.info("paid %d", 17, extra={"n": 0, "order": "ö-17"})
    logger.warning("", extra={"n": 1, "client": circle.append})
    try:
        raise ValueError("declined")
    except ValueError:
        logger.exception("payment failed", extra={"n": 2})
    logger.critical("x" * 3_000, extra={"n": 3, "status": "retried"})


def wsgi(_command):
    def shop(environ, start_response):
        if environ["PATH_INFO"] == "/broken":
            raise RuntimeError("broken")
        if environ["PATH_INFO"] != "/orders/17":
            start_response("404 Not Found", [])
            return [b""]
        environ["operational_events.route"] = "/shop/orders/{id}"
        start_response("201 Created", [])
        return iter([b"paid"])

    app = RecordRequestsWSGI(shop, sender)
    for method, path in PATHS:
        prefix = "/shop" if path.startswith("/shop") else ""
        environ = {
            "REQUEST_METHOD": method,
            "SCRIPT_NAME": prefix,
            "PATH_INFO": path[len(prefix) :],
            "QUERY_STRING": "token=secret",
        }
        try:
            body = app(environ, lambda status, headers: None)
            list(body)
            body.close()
        except RuntimeError:
            pass


def asgi(_command):
    async def shop(scope, receive, send_message):
        if scope["path"] == "/broken":
            raise RuntimeError("broken")
        status = 404
        if scope["path"] == "/shop/orders/17":
            scope["operational_events.route"] = "/shop/orders/{id}"
            status = 201
        await send_message({"type": "http.response.start", "status": status, "headers": []})
        await send_message({"type": "http.response.body", "body": b""})

    async def serve():
        async def ignore(_message):
            pass

        app = RecordRequestsASGI(shop, sender)
        for method, path in PATHS:
            scope = {"type": "http", "method": method, "path": path, "query_string": b"token=secret"}
            try:
                await app(scope, None, ignore)
            except RuntimeError:
                pass

    asyncio.run(serve())


def fork(command):
    """The child sends events of its own, and ends as a program does."""
    child = os.fork()
    if child == 0:
        send(command)
        sys.exit(0)
    return os.waitpid(child, 0)[1] == 0


COMMANDS = {
    "send": send,
    "send value": send_value,
    "flush": lambda command: sender.flush(command["timeoutMs"] / 1_000),
    "close": lambda command: sender.close(command["timeoutMs"] / 1_000),
    "state": lambda command: None,
    "log": log,
    "wsgi": wsgi,
    "asgi": asgi,
    "fork": fork,
}

for line in sys.stdin:
    command = json.loads(line)
    is_done = COMMANDS[command["do"]](command)
    print(json.dumps({"pending": sender.pending, "losses": losses, "isDone": is_done}), flush=True)
