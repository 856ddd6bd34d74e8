# The clinic's backend: it says who calls, finds patients, books appointments, and receives events. Python's standard library alone.
import hashlib
import hmac
import json
import os
import re
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

PORT = int(os.environ.get("PORT", "9002"))
ADDRESS = os.environ.get("CLINIC_URL", f"http://127.0.0.1:{PORT}")  # as the tools have it
SECRETS = json.loads(Path(os.environ.get("CLINIC_SECRETS", "clinic-secrets.json")).read_text())
PATIENTS = json.loads((Path(__file__).parent / "patients.json").read_text())
appointments = {}  # lists, by patient
handled = set()  # ids of events


def say_who_calls(call):
    """Answers the call hook. A web call has no number; here its metadata says which patient is signed in."""
    phone = call["from"] or (call.get("metadata") or {}).get("phone")
    for patient in PATIENTS:
        if patient["phone"] == phone:
            context = {key: patient[key] for key in ("id", "name", "language")}
            return 200, {"user_context": context, "greeting": "{{prompt.clinic-welcome-back}}"}
    return 204, None


def verify_patient(body):
    for patient in PATIENTS:
        if patient["number"] == body["number"]:
            return 200, {"id": patient["id"], "name": patient["name"]}
    return 404, {"error": "no patient has this number"}


def list_appointments(_, patient):
    booked = ", and ".join(appointments.get(patient, []))
    return 200, {"message": f"You have an appointment {booked}." if booked else "You have none yet."}


def book_appointment(body, patient):
    at = f"on {body['day']} {body['part']}"
    appointments.setdefault(patient, []).append(at)
    return 201, {"message": f"You have an appointment {at}."}


def receive_event(event):
    if event["id"] not in handled:
        handled.add(event["id"])
        for analysis in event["data"].get("analyses", []):
            answers = ", ".join(f"{c['name']}: {c['answer']}" for c in analysis["criteria"])
            print(analysis["name"], answers, flush=True)
        if event["type"] == "call.completed":
            print("completed", ", ".join(event["data"]["agent_history"]), flush=True)
    return 204, None


ROUTES = [  # the groups of a path are arguments
    ("POST", r"/calls", "call_hooks", say_who_calls),
    ("POST", r"/patients/verify", "tools", verify_patient),
    ("GET", r"/patients/(\w+)/appointments", "tools", list_appointments),
    ("POST", r"/patients/(\w+)/appointments", "tools", book_appointment),
    ("POST", r"/events", "webhook", receive_event),
]


def verified(signed, header, secret):
    parts = [part.strip().partition("=") for part in header.split(",")]
    stamp = next((value for key, _, value in parts if key == "t"), "")
    if not re.fullmatch("[0-9]{1,12}", stamp) or abs(time.time() - int(stamp)) > 300:
        return False
    want = hmac.new(secret.encode(), f"{stamp}.".encode() + signed, hashlib.sha256).hexdigest().encode()
    return any([hmac.compare_digest(value.encode(), want) for key, _, value in parts if key == "v1"])


class Backend(BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/":
            return self.answer(200, page(), "text/html; charset=utf-8")
        self.route()

    def do_POST(self):
        self.route()

    def route(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        for method, pattern, secret, handle in ROUTES:
            path = re.fullmatch(pattern, self.path)
            if method != self.command or not path:
                continue
            # Requests of tools are signed with their method and address, webhooks and call hooks with the body alone.
            signed = f"{method} {ADDRESS}{self.path}\n".encode() + body if secret == "tools" else body
            signature = self.headers.get("X-Parley-Signature" if secret == "tools" else "X-Webhook-Signature", "")
            if not verified(signed, signature, SECRETS[secret]):
                return self.answer(401, {"error": "the signature is wrong"})
            return self.answer(*handle(json.loads(body or "{}"), *path.groups()))
        self.answer(404, {"error": "no such path"})

    def answer(self, status, body=None, content_type="application/json"):
        encoded = b"" if body is None else (body if isinstance(body, str) else json.dumps(body)).encode()
        self.send_response(status)
        if body is not None:
            self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(encoded)))
        self.end_headers()
        self.wfile.write(encoded)

    def log_message(self, *_):
        """No log of requests."""


def page():
    """The clinic's web page, with the agent in its corner."""
    return f"""<!doctype html>
<title>Park Clinic</title>
<h1>Park Clinic</h1>
<p>Open from eight to six, Monday to Friday.</p>
<script type="module" src="{SECRETS["parley"]}/widget.js"></script>
<parley-agent token="{SECRETS["public_token"]}" position="bottom-right"></parley-agent>
"""


print(f"listening on http://127.0.0.1:{PORT}/", flush=True)
ThreadingHTTPServer(("127.0.0.1", PORT), Backend).serve_forever()
