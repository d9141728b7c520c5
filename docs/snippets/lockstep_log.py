"""Writes native Lockstep log lines: see docs/logs.md."""
import json
import sys
import threading

_lock = threading.Lock()


def log(node, event, **fields):
    """log("1", "send", to="2", kind="reply"); `from` is given as sender=..."""
    if "sender" in fields:
        fields["from"] = fields.pop("sender")
    line = json.dumps({"node": node, "event": event, **fields})
    with _lock:
        sys.stdout.write(line + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    log("1", "request")
    log("1", "enter")
    log("1", "exit")
    log("1", "send", to="2", kind="token", id=1)
    log("2", "recv", sender="1", kind="token", id=1)
    log("2", "enter")
    log("2", "exit")
