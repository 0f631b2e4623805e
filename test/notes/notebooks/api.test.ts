import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { NOTES_API, NotesApp, TOO_LONG } from '../../support/forge/notes.ts';

async function adasNotes(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  return { forge, ada, app: new NotesApp(forge, ada) };
}

test('a note has every field of the API with its type', async (t) => {
  const { app } = await adasNotes(t);
  const before = Math.floor(Date.now() / 1000);
  const note = await app.create({
    title: 'Engine',
    category: 'Work/Plans',
    content: 'It weaves.',
    favorite: true,
  });
  const { id, modified, etag, ...rest } = note;
  assert.ok(Number.isInteger(id) && id > 0);
  assert.ok(Number.isInteger(modified) && modified >= before);
  assert.match(etag, /^[0-9a-f]{32}$/);
  assert.deepEqual(rest, {
    title: 'Engine',
    category: 'Work/Plans',
    content: 'It weaves.',
    favorite: true,
    readonly: false,
    internalPath: '/Notes/Work/Plans/Engine.md',
    shareTypes: [],
    isShared: false,
    error: false,
    errorType: '',
  });
  assert.deepEqual(await app.note(id), note);
  assert.deepEqual(await app.list(), [note]);
});

test('an account without notes has an empty list, and then a private repository', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  assert.deepEqual(await app.list(), []);
  const repository = await ada.get('/api/v1/repos/ada/Notes');
  assert.equal(repository.status, 200);
  assert.equal(repository.body.private, true);
  assert.equal((await forge.get('/api/v1/repos/ada/Notes')).status, 404);
});

test('concurrent first calls create one notebook', async (t) => {
  const { ada, app } = await adasNotes(t);
  const titles = ['a', 'b', 'c', 'd'];
  await Promise.all(titles.map((title) => app.create({ title })));
  assert.deepEqual([...(await app.byTitle()).keys()].sort(), titles);
  const repositories = await ada.get('/api/v1/user/repos');
  assert.equal(repositories.body.length, 1);
});

test('only sent fields change, and only the etags of changed notes', async (t) => {
  const { app } = await adasNotes(t);
  const note = await app.create({ title: 'One', category: 'x', content: 'first', modified: 1_000_000 });
  assert.equal(note.modified, 1_000_000);

  assert.deepEqual(await app.update(note.id, {}), note);
  assert.deepEqual(
    await app.update(note.id, { title: 'One', category: 'x', content: 'first', favorite: false }),
    note,
  );

  const marked = await app.update(note.id, { favorite: true });
  assert.deepEqual({ ...marked, etag: '' }, { ...note, favorite: true, etag: '' });
  assert.notEqual(marked.etag, note.etag);

  const moved = await app.update(note.id, { category: 'y/z' });
  assert.deepEqual(
    [moved.title, moved.category, moved.content, moved.modified],
    ['One', 'y/z', 'first', 1_000_000],
  );

  const dated = await app.update(note.id, { modified: 2_000_000 });
  assert.equal(dated.modified, 2_000_000);

  const sameTime = await app.update(note.id, { content: 'third', modified: 2_000_000 });
  assert.deepEqual([sameTime.content, sameTime.modified], ['third', 2_000_000]);

  const before = Math.floor(Date.now() / 1000);
  const written = await app.update(note.id, { content: 'second' });
  assert.equal(written.content, 'second');
  assert.ok(written.modified >= before);

  const back = await app.update(note.id, {
    title: 'One',
    category: 'x',
    content: 'first',
    favorite: false,
    modified: 1_000_000,
  });
  assert.deepEqual(back, note);
});

test('a deleted note disappears, and its category with its last note', async (t) => {
  const { ada, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'One', category: 'deep/er' });
  await app.create({ title: 'Two' });
  await app.remove(id);
  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.equal((await app.send(method, `/${id}`)).status, 404, method);
  }
  const files = await ada.get('/api/v1/repos/ada/Notes/contents');
  assert.deepEqual(
    files.body.map((entry: { name: string }) => entry.name),
    ['Two.md'],
  );
  assert.deepEqual([...(await app.byTitle()).keys()], ['Two']);
});

test('a note created after a deleted one of the same name has a new id', async (t) => {
  const { app } = await adasNotes(t);
  const first = await app.create({ title: 'One' });
  await app.remove(first.id);
  const second = await app.create({ title: 'One' });
  assert.notEqual(second.id, first.id);
});

test('If-Match with another version returns 412 with the current note and changes nothing', async (t) => {
  const { app } = await adasNotes(t);
  const seen = await app.create({ title: 'One', content: 'a' });
  const now = await app.update(seen.id, { content: 'b' });
  for (const ifMatch of [`"${seen.etag}"`, `W/"${now.etag}"`, '*', now.etag]) {
    const refused = await app.send('PUT', `/${seen.id}`, {
      json: { content: 'c' },
      headers: { 'if-match': ifMatch },
    });
    assert.equal(refused.status, 412, ifMatch);
    assert.deepEqual(refused.body, now);
  }
  const taken = await app.send('PUT', `/${seen.id}`, {
    json: { content: 'c' },
    headers: { 'if-match': `"${seen.etag}", "${now.etag}"` },
  });
  assert.equal(taken.status, 200);
  assert.equal(taken.body.content, 'c');
});

test('a current version in the request returns 304', async (t) => {
  const { app } = await adasNotes(t);
  const { id, etag } = await app.create({ title: 'One' });
  const one = await app.send('GET', `/${id}`);
  assert.equal(one.headers.get('etag'), `"${etag}"`);
  const list = await app.send('GET');
  const listTag = list.headers.get('etag') ?? '';
  assert.match(listTag, /^"[0-9a-f]{32}"$/);
  assert.match(list.headers.get('last-modified') ?? '', /^\w{3}, \d{2} \w{3} \d{4} \d{2}:\d{2}:\d{2} GMT$/);

  for (const [path, tag] of [
    [`/${id}`, `"${etag}"`],
    ['', listTag],
    ['', listTag.replaceAll('"', '')],
  ] as const) {
    const answer = await app.send('GET', path, { headers: { 'if-none-match': tag } });
    assert.equal(answer.status, 304);
    assert.equal(answer.text, '');
    assert.equal(answer.headers.get('x-notes-api-versions'), '0.2, 1.4');
  }
});

test('the etag of a list changes with each changed note and with the query, but not otherwise', async (t) => {
  const { app } = await adasNotes(t);
  const tag = async (query = '') => (await app.send('GET', query)).headers.get('etag');
  const seen = [await tag()];
  const { id } = await app.create({ title: 'One' });
  seen.push(await tag());
  for (const edit of [
    { content: 'x' },
    { title: 'Two' },
    { category: 'c' },
    { favorite: true },
    { modified: 5 },
  ]) {
    await app.update(id, edit);
    seen.push(await tag());
  }
  await app.update(id, { title: 'Two', favorite: true });
  assert.equal(await tag(), seen.at(-1));
  seen.push(await tag('?exclude=content'), await tag('?category=c'), await tag('?pruneBefore=1'));
  await app.remove(id);
  seen.push(await tag());
  assert.equal(new Set(seen).size, seen.length);
});

test('a list omits the fields that the query excludes, and names every note', async (t) => {
  const { app } = await adasNotes(t);
  const one = await app.create({ title: 'One', category: 'c', content: 'x' });
  const two = await app.create({ title: 'Two', category: 'c/d' });
  const three = await app.create({ title: 'Three' });
  const ids = async (query: string) => (await app.list(query)).map(({ id }) => id);

  assert.deepEqual(await ids('?category=c'), [one.id]);
  assert.deepEqual(await ids('?category='), [three.id]);
  assert.deepEqual(await ids('?category=none'), []);

  const [bare] = await app.list(
    '?exclude=id,title,modified,category,favorite,readonly,content,etag,error&category=c',
  );
  assert.deepEqual(Object.keys(bare ?? {}).sort(), [
    'error',
    'errorType',
    'etag',
    'internalPath',
    'isShared',
    'shareTypes',
  ]);
  const { content: _, ...withoutContent } = one;
  assert.deepEqual((await app.send('GET', `/${one.id}?exclude=content`)).body, withoutContent);

  assert.deepEqual(await app.list(`?pruneBefore=${Math.floor(Date.now() / 1000) - 60}`), [one, two, three]);
  const pruned = await app.list('?pruneBefore=9223372036854775807');
  assert.deepEqual(pruned, [{ id: one.id }, { id: two.id }, { id: three.id }]);
});

test('chunks send every note once in full, and the last chunk lists every id', async (t) => {
  const { app } = await adasNotes(t);
  const note = [];
  for (const title of ['a', 'b', 'c', 'd', 'e']) note.push(await app.create({ title, content: title }));

  const first = await app.send('GET', '?chunkSize=2');
  assert.equal(first.headers.get('x-notes-chunk-pending'), '3');
  assert.deepEqual(first.body, note.slice(0, 2));
  const second = await app.send(
    'GET',
    `?chunkSize=2&chunkCursor=${first.headers.get('x-notes-chunk-cursor')}`,
  );
  assert.equal(second.headers.get('x-notes-chunk-pending'), '1');
  assert.deepEqual(second.body, note.slice(2, 4));
  const last = await app.send(
    'GET',
    `?chunkSize=2&chunkCursor=${second.headers.get('x-notes-chunk-cursor')}`,
  );
  assert.equal(last.headers.get('x-notes-chunk-cursor'), null);
  assert.equal(last.headers.get('last-modified'), first.headers.get('last-modified'));
  assert.deepEqual(last.body, [note[4], ...note.slice(0, 4).map(({ id }) => ({ id }))]);

  assert.equal((await app.list('?chunkSize=9&chunkCursor=broken')).length, 5);
});

test('every response lists the API versions and has one content type', async (t) => {
  const { forge, app } = await adasNotes(t);
  const { id } = await app.create({ title: 'One' });
  const token = await forge.root.tokenFor(['read:user']);
  const answers = [
    [200, await app.send('GET')],
    [412, await app.send('PUT', `/${id}`, { json: {}, headers: { 'if-match': '"x"' } })],
    [404, await app.send('GET', '/999999')],
    [404, await app.send('GET', `/${'9'.repeat(19)}`)],
    [400, await app.send('POST', '', { body: '{', headers: { 'content-type': 'application/json' } })],
    [413, await app.send('POST', '', { json: { content: TOO_LONG } })],
    [401, await forge.get(`${NOTES_API}/v1/notes`)],
    [401, await forge.get(`${NOTES_API}/v1/notes`, { as: { name: 'ada', password: 'wrong' } } as never)],
    [403, await forge.send('GET', `${NOTES_API}/v1/notes`, { as: { token } })],
    [404, await app.send('PATCH', `/${id}`)],
  ] as const;
  for (const [status, answer] of answers) {
    assert.equal(answer.status, status, answer.text);
    assert.equal(answer.headers.get('x-notes-api-versions'), '0.2, 1.4', String(status));
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8', String(status));
  }
});

test('an unknown version or route returns 400 with an empty list', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  await app.list();
  const paths = [
    ...['v7/notes', 'v1', 'v1/notes/abc', 'v1/notes/1/2', 'v1.4/notes', 'v1/attachment/1', 'v0.2/settings'],
    ...['x', ''],
  ];
  for (const path of paths) {
    assert.equal((await forge.get(`${NOTES_API}/${path}`)).status, 401, path);
    const answer = await ada.get(`${NOTES_API}/${path}`);
    assert.equal(answer.status, 400, path);
    assert.equal(answer.text, '[]');
    assert.equal(answer.headers.get('x-notes-api-versions'), '0.2, 1.4');
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  }
});

test('the API also works without /index.php', async (t) => {
  const { ada, app } = await adasNotes(t);
  const note = await app.create({ title: 'One' });
  assert.deepEqual((await ada.get('/apps/notes/api/v1/notes')).body, [note]);
});

test('parameters are accepted as JSON, as a form or in the query, and the body overrides the query', async (t) => {
  const { app } = await adasNotes(t);
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const note = await app.send('POST', '?title=query&category=q', {
    body: 'title=form&content=a%26b',
    headers: form,
  });
  assert.deepEqual([note.body.title, note.body.content, note.body.category], ['form', 'a&b', 'q']);
  const json = await app.send('PUT', `/${note.body.id}?content=query&favorite=true&id=77`, {
    json: { content: 'json', id: 78 },
  });
  assert.deepEqual([json.body.id, json.body.content, json.body.favorite], [note.body.id, 'json', true]);
  const unmarked = await app.send('PUT', `/${note.body.id}`, {
    json: { favorite: 'false', content: null, title: 5 },
  });
  assert.deepEqual(
    [unmarked.body.favorite, unmarked.body.content, unmarked.body.title],
    [false, 'json', '5'],
  );
});

test('a read token reads notes, and a write token writes them', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const reader = await ada.tokenFor(['read:repository']);
  const path = `${NOTES_API}/v1/notes`;
  // A caller without write access creates no notebook either.
  assert.deepEqual((await forge.send('GET', path, { as: { token: reader } })).body, []);
  assert.equal((await ada.get('/api/v1/repos/ada/Notes')).status, 404);

  const note = await app.create({ title: 'One' });
  for (const scheme of ['token', 'Bearer', 'bearer']) {
    const answer = await forge.get(path, { headers: { authorization: `${scheme} ${reader}` } });
    assert.deepEqual(answer.body, [note]);
  }
  const basic = await forge.send('GET', path, { as: { name: 'ada', password: reader } });
  assert.deepEqual(basic.body, [note]);
  for (const [method, at] of [
    ['POST', path],
    ['PUT', `${path}/${note.id}`],
    ['DELETE', `${path}/${note.id}`],
  ] as const) {
    const refused = await forge.send(method, at, { as: { token: reader }, json: { title: 'x' } });
    assert.equal(refused.status, 403, method);
  }
  const writer = await ada.tokenFor(['write:repository']);
  assert.equal((await forge.send('DELETE', `${path}/${note.id}`, { as: { token: writer } })).status, 200);
});

test('A4: a public-only token sees no notes', async (t) => {
  const { forge, ada, app } = await adasNotes(t);
  const token = await ada.tokenFor(['write:repository', 'public-only']);
  const path = `${NOTES_API}/v1/notes`;
  assert.equal((await forge.send('GET', path, { as: { token } })).status, 403);
  await app.create({ title: 'One' });
  assert.equal((await forge.send('GET', path, { as: { token } })).status, 403);
});

test('B1: notes of one user do not exist for any other user', async (t) => {
  const { forge, app } = await adasNotes(t);
  const note = await app.create({ title: 'Secret', content: 'a' });
  const grace = new NotesApp(forge, await forge.account('grace'));
  await grace.create({ title: 'Own' });
  for (const method of ['GET', 'PUT', 'DELETE']) {
    assert.equal(
      (await grace.send(method, `/${note.id}`, method === 'PUT' ? { json: { content: 'b' } } : {})).status,
      404,
    );
  }
  assert.deepEqual([...(await grace.byTitle()).keys()], ['Own']);
  assert.deepEqual(await app.list(), [note]);
});

test('A13: the notes API ignores requests to act as another account', async (t) => {
  const { forge, app } = await adasNotes(t);
  await app.create({ title: 'One' });
  const answer = await forge.root.get(`${NOTES_API}/v1/notes?sudo=ada`, { headers: { sudo: 'ada' } });
  assert.deepEqual(answer.body, []);
});

test('version 0.2 makes the title of a note from its text', async (t) => {
  const { ada, app } = await adasNotes(t);
  const notes = `${NOTES_API}/v0.2/notes`;
  const created = await ada.post(notes, { title: 'ignored', content: '# *First* test/ note\n\nText' });
  assert.equal(created.status, 200);
  assert.equal(created.body.title, 'First test note');
  const { id } = created.body;
  const titles = [
    ['Plain', 'Plain'],
    ['  * an item', 'an item'],
    ['## Heading ##\ntext', 'Heading'],
    ['=====\nUnderlined', 'Underlined'],
    ['__strong__ and _weak_', 'strong and weak'],
    ['..hidden', 'hidden'],
    ['', 'New note'],
    ['0', 'New note'],
    [`${'*'.repeat(5000)}a`, 'New note'],
  ] as const;
  for (const [content, title] of titles)
    assert.equal(
      (await ada.put(`${notes}/${id}`, { content, title: 'ignored' })).body.title,
      title,
      content.slice(0, 20),
    );
  await app.update(id, { title: 'Mine', content: 'Text' });
  assert.equal((await ada.put(`${notes}/${id}`, { favorite: true })).body.title, 'Text');
  assert.equal((await ada.get(notes)).body.length, 1);
  assert.equal((await ada.get(`${notes}/${id}`)).body.title, 'Text');
  assert.deepEqual((await ada.delete(`${notes}/${id}`)).body, []);
});

test('a page of another site may read with credentials of its own', async (t) => {
  const { forge, ada } = await adasNotes(t);
  const headers = { origin: 'https://app.example' };
  const asked = await forge.send('OPTIONS', `${NOTES_API}/v1/notes`, { headers });
  assert.equal(asked.status, 200);
  assert.equal(asked.headers.get('access-control-allow-origin'), 'https://app.example');
  assert.equal(asked.headers.get('access-control-allow-credentials'), 'false');
  assert.match(asked.headers.get('access-control-allow-methods') ?? '', /PUT, POST, GET, DELETE/);
  const listed = await ada.get(`${NOTES_API}/v1/notes`, { headers });
  assert.equal(listed.headers.get('access-control-allow-origin'), 'https://app.example');
  assert.equal((await ada.get(`${NOTES_API}/v1/notes`)).headers.get('access-control-allow-origin'), null);
});
