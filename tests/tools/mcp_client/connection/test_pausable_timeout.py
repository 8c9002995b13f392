import asyncio

import pytest

from tools.mcp_client.connection.pausable_timeout import Clocks


async def test_a_limit_ends_what_takes_longer() -> None:
    with pytest.raises(TimeoutError):
        async with Clocks().limit_time(0.01):
            await asyncio.sleep(60)


async def test_all_limits_stand_still_while_a_person_is_asked_and_go_on_afterwards() -> None:
    clocks = Clocks()
    async with clocks.limit_time(60.0) as outer, clocks.limit_time(0.2) as inner:
        with clocks.stop_clocks():
            with clocks.stop_clocks():
                await asyncio.sleep(0.3)
            assert (outer.when(), inner.when()) == (None, None)
        assert inner.when() is not None
    with pytest.raises(TimeoutError):
        async with clocks.limit_time(0.05):
            with clocks.stop_clocks():
                await asyncio.sleep(0.1)
            await asyncio.sleep(60)


async def test_a_limit_that_begins_meanwhile_counts_from_then_on() -> None:
    clocks = Clocks()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(10):
            with clocks.stop_clocks():
                async with clocks.limit_time(0.01) as clock:
                    await asyncio.sleep(0.05)
                    assert clock.when() is None
            async with clocks.limit_time(0.01):
                await asyncio.sleep(60)


async def test_a_limit_that_was_lifted_stays_so() -> None:
    clocks = Clocks()
    async with clocks.limit_time(0.01) as clock:
        clock.reschedule(None)
        with clocks.stop_clocks():
            pass
        await asyncio.sleep(0.05)
        assert clock.when() is None
