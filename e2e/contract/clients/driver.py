"""Calls operations with the Python client: one for each line of the standard input.

Its outcome is a line of the standard output. With the argument async, the calls are those of the asynchronous client.
"""

import asyncio
import base64
import json
import keyword
import pathlib
import sys
import traceback

ROOT = pathlib.Path(__file__).resolve().parents[3] / "clients"
sys.path.insert(0, str(ROOT / "python" / "src"))

from parley import ApiError, AsyncParley, Parley, ParleyError  # noqa: E402

OPERATIONS = json.loads((ROOT / "typescript" / "src" / "generated" / "operations.json").read_text())


def snake(words):
    name = words.lower().replace("-", "_")
    return name + "_" if keyword.iskeyword(name) else name


def entry_of(call):
    entry = OPERATIONS.get(call["operation"])
    if entry is None:
        raise LookupError("the generated client has no " + call["operation"] + ": run make clients")
    return entry


def method(client_class, call):
    """Calls the method of an operation with its arguments."""
    entry = entry_of(call)
    headers = call.get("headers")
    client = client_class(call["baseUrl"], call.get("apiKey"), access_token=call.get("accessToken"), headers=headers, attempts=1)
    named = {snake(name): value for name, value in {**call.get("query", {}), **call.get("header", {})}.items()}
    body = [call.get("body")] if entry["body"] else []
    if entry["upload"]:
        body = [base64.b64decode(call["body"]), "audio/wav"]
    return getattr(getattr(client, snake(entry["resource"])), snake(entry["method"]))(*call["path"], *body, **named)


def synchronous(call):
    kind = entry_of(call)["kind"]
    answer = method(Parley, call)
    if kind == "content":
        return len(answer)
    if kind not in ("page", "stream"):
        return answer
    first = [one for _, one in zip(range(2), answer)]
    return {"page": {"items": answer.items, "total": answer.total}, "first": first} if kind == "page" else {"first": first}


async def asynchronous(call):
    kind = entry_of(call)["kind"]
    answer = method(AsyncParley, call)
    if kind not in ("page", "stream"):
        awaited = await answer
        return len(awaited) if kind == "content" else awaited
    first = []
    async for one in answer:
        first.append(one)
        if len(first) == 2:
            break
    if kind == "stream":
        await answer.aclose()
        return {"first": first}
    page = await answer
    return {"page": {"items": page.items, "total": page.total}, "first": first}


def outcome(call):
    try:
        return {"answer": asyncio.run(asynchronous(call)) if "async" in sys.argv else synchronous(call)}
    except ApiError as e:
        fields = {"status": e.status, "code": e.code, "details": e.details, "requestId": e.request_id}
        return {"error": {**fields, "class": type(e).__name__, "message": str(e)}}
    except ParleyError as e:
        return {"error": {"class": type(e).__name__, "message": str(e)}}
    except Exception:
        return {"broken": traceback.format_exc()}


for line in sys.stdin:
    print(json.dumps(outcome(json.loads(line))), flush=True)
