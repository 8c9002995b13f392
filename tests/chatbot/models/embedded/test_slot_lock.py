"""Replies share the engine's slots with each other, never with what changes them."""

import asyncio

from chatbot.models.embedded.slot_lock import SlotUse


async def settled() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def test_replies_run_at_once_and_a_change_waits_for_all_of_them():
    use, said, leave = SlotUse(), [], asyncio.Event()

    async def reply(name: str) -> None:
        async with use.while_replying():
            said.append(f"{name} begins")
            await leave.wait()
            said.append(f"{name} ends")

    async def change() -> None:
        async with use.while_changing():
            said.append("changed")

    tasks = [asyncio.create_task(work) for work in (reply("one"), reply("two"), change())]
    await settled()
    assert said == ["one begins", "two begins"]
    leave.set()
    await asyncio.gather(*tasks)
    assert said == ["one begins", "two begins", "one ends", "two ends", "changed"]


async def test_a_reply_waits_for_a_change_and_one_that_is_cancelled_leaves_no_trace():
    use, done = SlotUse(), asyncio.Event()

    async def change() -> None:
        async with use.while_changing():
            await done.wait()

    async def reply() -> str:
        async with use.while_replying():
            return "said"

    changing = asyncio.create_task(change())
    await settled()
    waiting, cancelled = asyncio.create_task(reply()), asyncio.create_task(reply())
    await settled()
    cancelled.cancel()
    await settled()
    assert not waiting.done()
    changing.cancel()
    assert await asyncio.wait_for(waiting, 5) == "said"
    async with use.while_changing():
        pass
