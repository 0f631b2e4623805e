"""Uses a published library for notes. The tests run it.

python client.py sign-in   prints the address of a page, and waits until a user signs in there
python client.py notes     writes, reads, changes and deletes notes, with the name and password in NC_AUTH_USER and NC_AUTH_PASS

Both with the address of the server in NEXTCLOUD_URL.
"""

import asyncio
import sys

from nc_py_api import AsyncNextcloud, NextcloudException


async def sign_in():
    """Gets an app password through a page of the server."""
    client = AsyncNextcloud(nc_auth_user="", nc_auth_pass="")
    flow = await client.loginflow_v2.init(user_agent="A library")
    print(flow.login, flush=True)
    credentials = await client.loginflow_v2.poll(flow.token, timeout=30)
    assert await client.user == credentials.login_name == "ada"
    print(credentials.app_password)


async def notes():
    """Does with notes what the library can."""
    client = AsyncNextcloud()
    assert await client.user == "ada"
    assert (await client.srv_version)["major"] >= 28
    api = client.notes
    assert await api.available
    assert await api.get_list() == []

    plan = await api.create("Größe: a plan?", content="first\n", category="Work/Ideas", favorite=True, last_modified=1000)
    assert (plan.title, plan.category, plan.content) == ("Größe a plan", "Work/Ideas", "first\n"), plan
    assert plan.favorite and not plan.readonly and plan.last_modified.timestamp() == 1000
    other = await api.create("Other")
    assert [note.note_id for note in await api.get_list()] == [plan.note_id, other.note_id]
    assert await api.get_list(etag=True) == [], "an unchanged list is 304"
    assert [note.title for note in await api.get_list(category="Work/Ideas")] == ["Größe a plan"]
    assert [note.content for note in await api.get_list(no_content=True)] == ["", ""]
    [chunk] = await api.get_list(limit=1)
    cursor = client.response_headers["X-Notes-Chunk-Cursor"]
    rest = await api.get_list(limit=1, cursor=cursor)
    assert [note.note_id for note in rest] == [other.note_id, plan.note_id], "the last chunk names all notes"

    changed = await api.update(plan, content="second\n", category="Done")
    assert (changed.content, changed.category, changed.etag != plan.etag) == ("second\n", "Done", True)
    assert (await api.by_id(plan)).content == "second\n"
    assert await api.by_id(changed) == changed, "an unchanged note is 304"
    try:
        await api.update(plan, content="stale")
        raise AssertionError("an update of an older version succeeded")
    except NextcloudException as error:
        assert error.status_code == 412, error
    assert (await api.update(plan, title="Plan", overwrite=True)).title == "Plan"

    assert await api.get_settings() == {"notes_path": "Notes", "file_suffix": ".md"}
    await api.set_settings(file_suffix=".txt")
    assert (await api.get_settings())["file_suffix"] == ".txt"

    await api.delete(other)
    try:
        await api.by_id(other)
        raise AssertionError("a deleted note was read")
    except NextcloudException as error:
        assert error.status_code == 404, error
    print("ok")


if __name__ == "__main__":
    asyncio.run({"sign-in": sign_in, "notes": notes}[sys.argv[1]]())
