"""What mypy accepts and refuses; nothing here is run."""

from __future__ import annotations

from parley import AsyncParley, Parley, types


def synchronous(parley: Parley) -> None:
    started: types.StartedBody = parley.calls.start({"workflow_slug": "demo", "call_type": "voip"})
    parley.calls.start({"workflow_slug": "demo", "workflow": "demo"})  # type: ignore[typeddict-item]
    parley.calls.start({"user_id": "u"})  # type: ignore[typeddict-item]
    parley.calls.list(status="over")  # type: ignore[arg-type]
    parley.calls.list(metadata={"order": "4711"})
    slugs: "list[str | None]" = [call["workflow_slug"] for call in parley.calls.list()]
    for message in parley.calls.stream(started["call_id"]):
        if message["event"] == "transcript":
            slugs.append(message["data"]["content"])
        elif message["event"] == "ended":
            print(message["data"]["content"])  # type: ignore[typeddict-item]


async def asynchronous(parley: AsyncParley) -> None:
    total: int = (await parley.agents.list(limit=1)).total
    names: "list[str]" = [agent["name"] async for agent in parley.agents.list()]
    print(total, names)
