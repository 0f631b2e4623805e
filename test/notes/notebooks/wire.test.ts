import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API, NotesApp } from '../../support/forge/notes.ts';
import { authorizationOf } from '../../support/http/http.ts';

const JSON_TYPE = { 'content-type': 'application/json' };
const FORM_TYPE = { 'content-type': 'application/x-www-form-urlencoded' };

async function adasNotes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  return { forge, ada, app: new NotesApp(forge, ada) };
}

function seconds(): number {
  return Math.floor(Date.now() / 1000);
}

test('the list of notes', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const old = await app.create({ title: 'Old', modified: 1_000_000, category: 'c' });
  const second = await app.create({ title: 'Second' });
  const ids = async (query = '') => (await app.list(query)).map(({ id }) => id);

  await t.test('is ordered by the last update, not by the time of the text', async () => {
    assert.deepEqual(await ids(), [old.id, second.id]);
    await app.update(old.id, { content: 'x', modified: 2_000_000 });
    assert.deepEqual(await ids(), [second.id, old.id]);
  });

  await t.test('is pruned by the last update, not by the time of the text', async () => {
    const [, last] = await app.list(`?pruneBefore=${seconds() - 60}`);
    assert.deepEqual([last?.id, last?.content], [old.id, 'x']);
    const pruned = await app.list(`?pruneBefore=${seconds() + 60}`);
    assert.deepEqual(pruned, [{ id: second.id }, { id: old.id }]);
  });

  await t.test('has the time at which the request began as Last-Modified', async () => {
    const before = seconds();
    const answer = await app.send('GET');
    const time = Date.parse(answer.headers.get('last-modified') ?? '') / 1000;
    assert.ok(before <= time && time <= seconds());
  });

  await t.test(
    'in chunks has cursors of three numbers, the first of which is the time of the first chunk',
    async () => {
      const first = await app.send('GET', '?chunkSize=1');
      const cursor = first.headers.get('x-notes-chunk-cursor') ?? '';
      assert.match(cursor, /^\d+-\d+-\d+$/);
      const [start] = cursor.split('-');
      assert.equal(Number(start), Date.parse(first.headers.get('last-modified') ?? '') / 1000);
      const later = await app.send('GET', `?chunkSize=1&chunkCursor=1-0-0`);
      assert.equal(later.headers.get('last-modified'), 'Thu, 01 Jan 1970 00:00:01 GMT');
      assert.match(later.headers.get('x-notes-chunk-cursor') ?? '', /^1-/);
    },
  );

  await t.test(
    'is sent to a client that knows only its time, as one second may have two changes',
    async () => {
      const time = (await app.send('GET')).headers.get('last-modified') ?? '';
      const answer = await app.send('GET', '', { headers: { 'if-modified-since': time } });
      assert.deepEqual([answer.status, answer.body.length], [200, 2]);
    },
  );

  await t.test('takes a parameter of the wrong type as a number', async () => {
    for (const query of [
      '?pruneBefore=abc',
      '?chunkSize=abc',
      '?chunkSize=-3',
      '?chunkSize=',
      '?chunkSize=9223372036854775808',
      '?chunkSize=999999999999999999999',
      '?pruneBefore=-5',
    ])
      assert.equal(
        (await app.list(query)).every(({ title }) => title !== undefined),
        true,
        query,
      );
    const cut = await app.send('GET', '?chunkSize=1.9');
    assert.equal(cut.body.length, 1);
  });

  await t.test('reads its parameters from a body, too, before the query', async () => {
    const bodies = [
      [JSON.stringify({ category: 'c' }), JSON_TYPE],
      ['category=c', FORM_TYPE],
    ] as const;
    for (const [body, headers] of bodies) {
      const answer = await app.send('GET', '?category=other', { body, headers });
      assert.deepEqual(
        answer.body.map(({ id }: { id: number }) => id),
        [old.id],
        body,
      );
    }
    const one = await app.send('GET', `/${old.id}`, { body: 'exclude=content', headers: FORM_TYPE });
    assert.equal('content' in one.body, false);
  });

  await t.test('sets no cookie, and needs the credentials each time', async () => {
    const answer = await app.send('GET');
    assert.equal(answer.headers.get('set-cookie'), null);
    const without = await forge.get(`${NOTES_API}/v1/notes`);
    assert.equal(without.status, 401);
    assert.deepEqual(Object.keys(without.body), ['message']);
    assert.match(without.headers.get('www-authenticate') ?? '', /^Basic /);
  });

  await t.test(
    'starts with a folder that has no notes yet, and stays empty when its last note is gone',
    async () => {
      await ada.put(`${NOTES_API}/v1/settings`, { notesPath: 'New/Folder' });
      assert.deepEqual(await app.list(), []);
      const { id } = await app.create({ title: 'n', category: 'a/b' });
      await app.remove(id);
      assert.deepEqual(await app.list(), []);
      for (const method of ['GET', 'PUT', 'DELETE'])
        assert.equal((await app.send(method, `/${old.id}`)).status, 404, 'a note outside the folder');
      await ada.put(`${NOTES_API}/v1/settings`, { notesPath: null });
      assert.equal((await app.note(old.id)).title, 'Old');
    },
  );
});

test('a time that a client sends', async (t) => {
  const { app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n' });
  const future = seconds() + 86_400;

  await t.test('of zero or before means now', async () => {
    for (const modified of [0, -1, -9_999_999_999, '0', 'soon']) {
      const before = seconds();
      const note = await app.create({ title: 'now', modified });
      assert.ok(note.modified >= before && note.modified <= seconds(), String(modified));
    }
  });

  await t.test('in the future is kept', async () => {
    assert.equal((await app.update(id, { modified: future })).modified, future);
  });

  await t.test('beyond the year 9999 is cut to its end', async () => {
    for (const modified of [253_402_300_800, '9223372036854775807', 1e308, '99999999999999999999999'])
      assert.equal((await app.update(id, { modified })).modified, 253_402_300_799, String(modified));
    assert.equal((await app.list()).length, 6);
  });
});

test('a title', async (t) => {
  const { app } = await adasNotes(t);
  const titleOf = async (title: string, category = '') => (await app.create({ title, category })).title;

  await t.test('of only dots or slashes is called New note', async () => {
    for (const [index, title] of ['....', '///', '\\', '. . .', './..'].entries())
      assert.equal(await titleOf(title, `dots ${index}`), 'New note', title);
  });

  await t.test('of 300 characters is cut to 100', async () => {
    assert.equal(await titleOf('é'.repeat(300)), 'é'.repeat(100));
  });

  await t.test('of emoji is not cut inside one', async () => {
    assert.equal(await titleOf('👩‍🚀 Ideas 🚀'), '👩‍🚀 Ideas 🚀');
    assert.equal((await titleOf('🚀'.repeat(300))).isWellFormed(), true);
    assert.equal((await titleOf('half \ud83d')).isWellFormed(), true);
  });

  await t.test('from right to left stays as it is', async () => {
    assert.equal(await titleOf('רשימת קניות'), 'רשימת קניות');
    assert.equal(await titleOf('قائمة'), 'قائمة');
  });

  await t.test('that differs only in case or in its Unicode form from another gets a number', async () => {
    assert.equal(await titleOf('Café'.normalize('NFC'), 'twins'), 'Café'.normalize('NFC'));
    assert.equal(await titleOf('Café'.normalize('NFD'), 'twins'), `${'Café'.normalize('NFD')} (2)`);
    assert.equal(await titleOf('CAFÉ', 'twins'), 'CAFÉ (3)');
  });

  await t.test('of several clients at once is there for each of them, with a number', async () => {
    const titles = await Promise.all(Array.from({ length: 5 }, () => titleOf('Same', 'at once')));
    assert.deepEqual(titles.sort(), ['Same', 'Same (2)', 'Same (3)', 'Same (4)', 'Same (5)']);
  });
});

test('a bad request', async (t) => {
  const { app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n', content: 'x' });

  await t.test('whose body is not JSON gets 400 with an empty list', async () => {
    for (const body of ['{', '{"title":', 'title=x', '{"a":1}}']) {
      for (const [method, path] of [
        ['POST', ''],
        ['PUT', `/${id}`],
      ] as const) {
        const answer = await app.send(method, path, { body, headers: JSON_TYPE });
        assert.deepEqual([answer.status, answer.text], [400, '[]'], `${method} ${body}`);
      }
    }
    const listed = await app.send('GET', '', { body: '{', headers: JSON_TYPE });
    assert.equal(listed.status, 400);
  });

  await t.test('whose body is JSON of another kind changes nothing', async () => {
    const before = await app.note(id);
    for (const body of [
      '[1]',
      '"content"',
      '5',
      'null',
      '{"content":{"a":1}}',
      '{"__proto__":{"content":"y"}}',
      '',
    ]) {
      const answer = await app.send('PUT', `/${id}`, { body, headers: JSON_TYPE });
      assert.ok([200, 400].includes(answer.status), body);
      assert.deepEqual(await app.note(id), before, body);
    }
  });

  await t.test('whose body has another type gets 415', async () => {
    for (const type of ['text/xml', 'multipart/form-data; boundary=b', 'application/octet-stream']) {
      const answer = await app.send('POST', '', { body: 'x', headers: { 'content-type': type } });
      assert.equal(answer.status, 415, type);
      assert.equal(answer.headers.get('x-notes-api-versions'), '0.2, 1.4');
    }
  });

  await t.test('for an id that is no number gets 404, or 400 for GET', async () => {
    for (const path of ['/abc', '/1x', '/-1', '/1.5', '/%31%00', '/0x1', '/ 1', '/１']) {
      for (const method of ['PUT', 'DELETE'])
        assert.equal((await app.send(method, encodeURI(path))).status, 404, `${method} ${path}`);
      assert.equal((await app.send('GET', encodeURI(path))).status, 400, path);
    }
    const missing = await app.send('GET', `/${'0'.repeat(30)}`);
    assert.deepEqual([missing.status, missing.body], [404, { errorType: 'Exception' }]);
  });

  await t.test('with a NUL is stored without it, so that an app does not try for ever', async () => {
    const answer = await app.send('POST', '', { json: { title: 'we\0b', category: 'a\0', content: 'a\0b' } });
    const { title, category, content, id } = answer.body;
    assert.deepEqual([answer.status, title, category, content], [200, 'web', 'a', 'ab']);
    assert.equal((await app.update(id, { content: '\0c\0' })).content, 'c');
    assert.equal((await app.send('DELETE', `/${id}`)).status, 200);
  });
});

test('a page of another site is answered as CORS defines, but its cookies are no credentials', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  await app.list();
  const origin = 'https://app.example';
  for (const path of ['v1/notes', 'v0.2/notes/1', 'v1.4/attachment/1', 'v1/settings', 'any/thing']) {
    const asked = await forge.send('OPTIONS', `${NOTES_API}/${path}`, { headers: { origin } });
    assert.equal(asked.status, 200, path);
    assert.equal(asked.headers.get('access-control-allow-origin'), origin);
    assert.equal(asked.headers.get('access-control-allow-methods'), 'PUT, POST, GET, DELETE, PATCH');
    assert.match(
      asked.headers.get('access-control-allow-headers') ?? '',
      /^Authorization, Content-Type, Accept/,
    );
    assert.equal(asked.headers.get('access-control-max-age'), '1728000');
    assert.equal(asked.headers.get('access-control-allow-credentials'), 'false');
    assert.equal(asked.headers.get('x-notes-api-versions'), '0.2, 1.4');
  }
  const cookie = `session=${authorizationOf({ token: ada.token })}`;
  const refused = await forge.send('GET', `${NOTES_API}/v1/notes`, { headers: { origin, cookie } });
  assert.deepEqual([refused.status, refused.headers.get('access-control-allow-origin')], [401, origin]);
});

test('a notebook whose repository changes meanwhile', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'n', content: 'x' });

  await t.test('renamed, goes on', async () => {
    assert.equal((await ada.patch('/api/v1/repos/ada/Notes', { name: 'Diary' })).status, 200);
    const note = await app.update(id, { content: 'y' });
    assert.deepEqual([note.id, note.internalPath], [id, '/Diary/n.md']);
  });

  await t.test('archived, can be read, and keeps favorites', async () => {
    await ada.patch('/api/v1/repos/ada/Diary', { archived: true });
    assert.equal((await app.note(id)).readonly, true);
    const refused = await app.send('PUT', `/${id}`, { json: { content: 'z' } });
    assert.deepEqual([refused.status, refused.body], [403, { errorType: 'Exception' }]);
    for (const [method, path] of [
      ['POST', ''],
      ['DELETE', `/${id}`],
    ] as const)
      assert.equal((await app.send(method, path)).status, 403, method);
    assert.equal((await app.update(id, { favorite: true, content: 'y' })).favorite, true);
    await ada.patch('/api/v1/repos/ada/Diary', { archived: false });
    assert.equal((await app.update(id, { content: 'z' })).content, 'z');
  });

  await t.test('transferred to someone else, is never an empty list', async () => {
    const grace = await forge.account('grace');
    await ada.post('/api/v1/repos/ada/Diary/transfer', { new_owner: 'grace' });
    assert.equal((await app.list()).length, 1, 'the new owner has not accepted yet');
    assert.equal((await grace.post('/api/v1/repos/ada/Diary/transfer/accept')).status, 202);
    for (const [method, path] of [
      ['GET', ''],
      ['GET', `/${id}`],
      ['POST', ''],
      ['PUT', `/${id}`],
    ] as const)
      assert.equal((await app.send(method, path)).status, 503, `${method} ${path}`);
    await grace.put('/api/v1/repos/grace/Diary/collaborators/ada', { permission: 'write' });
    const note = await app.update(id, { content: 'shared' });
    assert.deepEqual([note.id, note.favorite, note.internalPath], [id, true, '/@grace/Diary/n.md']);
  });
});
