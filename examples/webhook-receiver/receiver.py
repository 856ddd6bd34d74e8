# Verifies and handles Parley's webhooks. Python's standard library alone.
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, HTTPServer

SECRET = os.environ["WEBHOOK_SECRET"].encode()
TOLERANCE = 300  # seconds
handled = set()  # ids of events


def verified(body, header):
    stamp, signatures = "", []
    for part in header.split(","):
        key, _, value = part.strip().partition("=")
        if key == "t":
            stamp = value
        elif key == "v1":
            signatures.append(value.encode())
    if not re.fullmatch("[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > TOLERANCE:
        return False
    want = hmac.new(SECRET, stamp.encode() + b"." + body, hashlib.sha256).hexdigest().encode()
    return any([hmac.compare_digest(got, want) for got in signatures])


def handle(event):
    print(event["type"], event["id"], flush=True)


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not verified(body, self.headers.get("X-Webhook-Signature", "")):
            self.send_response(401)
            self.end_headers()
            return
        event = json.loads(body)
        if event["id"] not in handled:
            handle(event)
            handled.add(event["id"])
        self.send_response(204)
        self.end_headers()


HTTPServer(("127.0.0.1", int(os.environ.get("PORT", "9000"))), Receiver).serve_forever()
