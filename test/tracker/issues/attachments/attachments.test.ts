import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HTTP_LIMITS } from '../../../../src/http/limits.ts';
import { ISSUE_LIMITS } from '../../../../src/tracker/issues/limits.ts';
import { eventsOf } from '../../../support/forge/events.ts';
import type { Person } from '../../../support/forge/forge.ts';
import { until } from '../../../support/until.ts';
import { ENGINE, ISSUES, open, startTracker, type Wire } from '../tracker.ts';
import { attach, collected, formOf, PICTURE, pathOf, upload } from './attachment-files.ts';

const OF_ISSUE = `${ISSUES}/1/assets`;

async function comment(who: Person, body: string): Promise<number> {
  return (await who.post(`${ISSUES}/1/comments`, { body })).body.id;
}

test('files of issues and comments are listed in their records, renamed and deleted, with events', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const { id: issueId } = await open(cid, 'One');
  const commentId = await comment(cid, 'Mine');
  const ofComment = `${ISSUES}/comments/${commentId}/assets`;

  for (const url of [OF_ISSUE, ofComment]) {
    const before = (await ada.get(`${ISSUES}/1`)).body;
    const first = await attach(cid, url, PICTURE, 'loom, front.png');
    assert.match(first.uuid, /^[0-9a-f-]{36}$/);
    assert.deepEqual(first, {
      ...{ id: first.id, name: 'loom, front.png', size: PICTURE.length, download_count: 0, uuid: first.uuid },
      created_at: first.created_at,
      browser_download_url: `${forge.url}/attachments/${first.uuid}`,
      type: 'attachment',
    });
    const second = await ben.send('POST', `${url}?name=b%20%C3%BC.txt`, await formOf('', 'a.txt'));
    assert.deepEqual([second.status, second.body.name, second.body.size], [201, 'b ü.txt', 0]);
    assert.deepEqual((await forge.get(url)).body, [first, second.body]);
    assert.deepEqual((await forge.get(`${url}/${first.id}`)).body, first);
    assert.ok((await ada.get(`${ISSUES}/1`)).body.updated_at >= before.updated_at);

    const renamed = await cid.patch(`${url}/${first.id}`, { name: 'front.png' });
    assert.deepEqual([renamed.status, renamed.body], [201, { ...first, name: 'front.png' }]);
    const same = await cid.patch(`${url}/${first.id}`, renamed.body);
    assert.deepEqual([same.status, same.body], [201, renamed.body]);
    const elsewhere = { browser_download_url: 'https://example.org/a.png' };
    assert.equal((await cid.patch(`${url}/${first.id}`, elsewhere)).status, 422);
    const stale = { json: { name: 'x' }, headers: { 'if-match': '"stale"' } };
    for (const method of ['PATCH', 'DELETE'])
      assert.equal((await cid.send(method, `${url}/${first.id}`, stale)).status, 412);
    assert.equal((await cid.delete(`${url}/${second.body.id}`)).status, 204);
    assert.equal((await cid.get(`${url}/${second.body.id}`)).status, 404);
    assert.deepEqual((await forge.get(url)).body, [renamed.body]);
  }
  const [ofIssue, ofIt] = [(await forge.get(OF_ISSUE)).body, (await forge.get(ofComment)).body];
  const records = [`${ISSUES}/1`, ISSUES, '/api/v1/repos/issues/search', `${ISSUES}/1/comments`];
  for (const [index, url] of [...records, `${ISSUES}/comments`, `${ISSUES}/comments/${commentId}`].entries())
    assert.deepEqual([(await ada.get(url)).body].flat()[0].assets, index < 3 ? ofIssue : ofIt, url);
  const page = (await forge.get('/ada/engine/issues/1')).text;
  for (const [{ browser_download_url: url, name }] of [ofIssue, ofIt])
    assert.match(page, new RegExp(`<a href="${new URL(url).pathname}">${name}</a>`), 'the page links to it');
  const about = { actor: 'cid', issueId, number: 1, isPull: false };
  const changes = (await eventsOf(forge.forge.running.engines.database, 'issue')).filter(({ kind }) =>
    kind.endsWith('.changed'),
  );
  assert.deepEqual(
    changes,
    [0, 1, 2, 3, 4, 5, 6, 7].map((index) => ({
      ...(index < 4
        ? { kind: 'issue.changed', ...about, changed: ['attachments'] }
        : { kind: 'issue-comment.changed', ...about, commentId }),
      actor: index % 4 === 1 ? 'ben' : 'cid',
    })),
  );
});

test('a file is sent at its address as raw sends files, in ranges and only if it is new, and downloads are counted', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'One');
  const picture = await attach(ada, `${OF_ISSUE}?name=a%20%22b%22.png`);
  const at = pathOf(picture);

  const whole = await forge.get(at);
  assert.equal(whole.status, 200);
  const headers = Object.fromEntries(whole.headers);
  assert.deepEqual(
    ['content-type', 'content-length', 'content-disposition', 'x-content-type-options'].map(
      (name) => headers[name],
    ),
    [
      'image/png',
      String(PICTURE.length),
      `inline; filename="a \\"b\\".png"; filename*=UTF-8''a%20%22b%22.png`,
      'nosniff',
    ],
  );
  assert.match(headers['content-security-policy'] ?? '', /^default-src 'none';.* sandbox$/);
  const etag = headers.etag ?? '';
  assert.match(etag, /^"[0-9a-f]{64}"$/);
  const known = await forge.get(at, { headers: { 'if-none-match': etag } });
  assert.deepEqual([known.status, known.text], [304, '']);
  const part = await forge.get(at, { headers: { range: 'bytes=1-3' } });
  assert.deepEqual(
    [part.status, part.text, part.headers.get('content-range')],
    [206, 'PNG', `bytes 1-3/${PICTURE.length}`],
  );
  assert.equal((await forge.get(at, { headers: { range: 'bytes=9999-' } })).status, 416);
  const head = await forge.send('HEAD', at);
  assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(PICTURE.length)]);
  await until(async () => (await forge.get(`${OF_ISSUE}/${picture.id}`)).body.download_count === 1);

  const types = [
    ['<!doctype html><script>alert(1)</script>', 'text/plain; charset=utf-8'],
    ['<svg xmlns="http://www.w3.org/2000/svg"><script/></svg>', 'image/svg+xml'],
    ['\u0000\u0001', 'application/octet-stream'],
    ['', 'text/plain; charset=utf-8'],
  ] as const;
  for (const [content, type] of types) {
    const sent = await forge.get(pathOf(await attach(ada, OF_ISSUE, content, 'page.html')));
    assert.deepEqual([sent.status, sent.text, sent.headers.get('content-type')], [200, content, type]);
    assert.match(sent.headers.get('content-security-policy') ?? '', /sandbox/);
  }
  await ada.post(`${ENGINE}/transfer`, { new_owner: 'ben' });
  await ada.patch(ENGINE, { name: 'motor' });
  assert.equal((await forge.get(at)).status, 200);
  for (const missing of [at.replace(/.$/, (digit) => (digit === '0' ? '1' : '0')), '/attachments/..%2fx'])
    assert.equal((await forge.get(missing)).status, 404, missing);
});

test('B1: a file is hidden from those who may not read its issue, and the ids of others are missing', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  await ada.repository('mill');
  const mill = '/api/v1/repos/ada/mill/issues';
  for (const at of [ISSUES, ISSUES, mill]) await open(ada, 'One', {}, at);
  const commentId = await comment(ada, 'Mine');
  const otherId = await comment(ada, 'Other');
  const ofComment = `${ISSUES}/comments/${commentId}/assets`;
  const [ofIssue, ofIt] = [await attach(ada, OF_ISSUE), await attach(ada, ofComment)];

  const swapped = [
    ...[`${ISSUES}/2/assets`, `${mill}/1/assets`, ofComment].map((url) => `${url}/${ofIssue.id}`),
    ...[OF_ISSUE, `${ISSUES}/comments/${otherId}/assets`].map((url) => `${url}/${ofIt.id}`),
    `${mill.replace('/issues', '/issues/comments')}/${commentId}/assets/${ofIt.id}`,
    `${OF_ISSUE}/999999`,
    `${OF_ISSUE}/x`,
  ];
  for (const url of swapped) {
    for (const method of ['GET', 'PATCH', 'DELETE'])
      assert.equal((await ada.send(method, url, { json: { name: 'x' } })).status, 404, `${method} ${url}`);
  }
  for (const url of [
    `${ISSUES}/9/assets`,
    `${mill}/comments/${commentId}/assets`,
    `${ISSUES}/comments/9999/assets`,
  ])
    assert.deepEqual([(await ada.get(url)).status, (await upload(ada, url)).status], [404, 404], url);

  const urls = [OF_ISSUE, `${OF_ISSUE}/${ofIssue.id}`, ofComment, pathOf(ofIssue), pathOf(ofIt)];
  const read = async (as?: { token: string }) =>
    Promise.all(urls.map(async (url) => (await forge.send('GET', url, as ? { as } : {})).status));
  const limited = await ada.tokenFor(['write:repository']);
  assert.deepEqual(await read({ token: limited }), [403, 403, 403, 403, 403]);
  await ada.patch(ENGINE, { private: true });
  const publicOnly = await ben.tokenFor(['all', 'public-only']);
  for (const who of [undefined, { token: cid.token }, { token: publicOnly }])
    assert.deepEqual(await read(who), [404, 404, 404, 404, 404]);
  assert.deepEqual(await read({ token: ben.token }), [200, 200, 200, 200, 200]);
  await ada.patch(ENGINE, { has_issues: false });
  assert.deepEqual(await read({ token: ada.token }), [404, 404, 404, 404, 404]);
  assert.equal((await upload(ada, OF_ISSUE)).status, 404);
});

test('only the author and people who may write change files, not in archives; a locked issue gets none from others', async (t) => {
  const { forge, ada, ben, cid } = await startTracker(t);
  const dan = await forge.account('dan');
  await open(cid, 'One');
  const commentId = await comment(ada, 'Mine');
  const ofComment = `${ISSUES}/comments/${commentId}/assets`;
  const [ofIssue, ofIt] = [await attach(cid, OF_ISSUE), await attach(ada, ofComment)];

  const denied: readonly [Person, string, Wire][] = [
    [dan, OF_ISSUE, ofIssue],
    [dan, ofComment, ofIt],
    [cid, ofComment, ofIt],
  ];
  for (const [who, url, { id }] of denied) {
    assert.equal((await upload(who, url)).status, 403);
    assert.equal((await who.patch(`${url}/${id}`, { name: 'x' })).status, 403);
    assert.equal((await who.delete(`${url}/${id}`)).status, 403);
  }
  assert.equal((await forge.send('POST', OF_ISSUE, await formOf('x'))).status, 401);
  await ada.put(`${ISSUES}/1/lock`, {});
  assert.equal((await upload(cid, OF_ISSUE)).status, 403);
  assert.equal((await cid.patch(`${OF_ISSUE}/${ofIssue.id}`, { name: 'x' })).status, 201);
  assert.equal((await upload(ben, OF_ISSUE)).status, 201);

  const stated = '2020-01-02T03:04:05Z';
  const early = `${OF_ISSUE}?updated_at=${stated}`;
  assert.equal((await upload(ada, early)).status, 422, 'before the issue');
  assert.equal((await upload(ada, `${OF_ISSUE}?updated_at=yesterday`)).status, 400);
  const { created_at: createdAt } = (await ada.get(`${ISSUES}/1`)).body;
  assert.equal((await upload(ben, `${OF_ISSUE}?updated_at=${createdAt}`)).status, 403);
  assert.equal((await attach(ada, `${OF_ISSUE}?updated_at=${createdAt}`)).created_at, createdAt);
  const inZone = createdAt.replace('Z', '+00:00');
  assert.equal((await attach(ada, `${OF_ISSUE}?updated_at=${inZone}`)).created_at, createdAt);

  await ada.patch(ENGINE, { archived: true });
  for (const [url, { id }] of [
    [OF_ISSUE, ofIssue],
    [ofComment, ofIt],
  ] as const) {
    assert.equal((await upload(ada, url)).status, 423);
    assert.equal((await ada.patch(`${url}/${id}`, { name: 'x' })).status, 423);
    assert.equal((await ada.delete(`${url}/${id}`)).status, 423);
    assert.equal((await ada.get(url)).status, 200);
  }
});

test('a bad form, a bad name, too many files and files beyond the room of the owner are rejected, and leave nothing', async (t) => {
  const { forge, ada } = await startTracker(t);
  await open(ada, 'One');
  const { database } = forge.forge.running.engines;
  const multipart = 'multipart/form-data; boundary=b';
  const part = '--b\r\nContent-Disposition: form-data; name="attachment"';
  const bodies: readonly [string, string?][] = [
    [''],
    ['{"attachment":"x"}', 'application/json'],
    ['attachment=x', 'application/x-www-form-urlencoded'],
    ['x', 'multipart/form-data'],
    ['--b\r\nnonsense', multipart],
    [`${part}\r\n\r\nno file name\r\n--b--\r\n`, multipart],
    [`${part}; filename=""\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`, multipart],
    [`${part}; filename="a.txt"\r\n\r\nno end of the form\r\n`, multipart],
  ];
  for (const [body, type] of bodies) {
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type };
    const answer = await ada.send('POST', OF_ISSUE, { body, headers });
    assert.equal(answer.status, 400, `${body} ${answer.text}`);
  }
  assert.equal((await ada.send('POST', OF_ISSUE, await formOf('x', 'a.txt', 'file'))).status, 400);
  const long = 'x'.repeat(ISSUE_LIMITS.issueAttachmentNameCharsMax + 1);
  for (const name of [long, 'a/b', 'a\\b', 'a\u0007b', 'a\nb', ' ', '.', ' ..']) {
    const url = `${OF_ISSUE}?name=${encodeURIComponent(name)}`;
    assert.equal((await upload(ada, url)).status, 422, JSON.stringify(name));
  }
  const tooLarge = String(ISSUE_LIMITS.issueAttachmentBytesMax + HTTP_LIMITS.formFieldBytesMax + 1);
  const sized = { 'content-type': multipart, 'content-length': tooLarge };
  assert.equal((await ada.send('POST', OF_ISSUE, { headers: sized, body: 'x' })).status, 413);
  assert.deepEqual((await ada.get(OF_ISSUE)).body, []);
  assert.deepEqual(await collected(forge), []);
  assert.deepEqual(await database.reader.selectFrom('issue_attachments').select('id').execute(), []);

  const first = await attach(ada, OF_ISSUE);
  const {
    id: _,
    uuid,
    ...row
  } = await database.reader.selectFrom('issue_attachments').selectAll().executeTakeFirstOrThrow();
  const copies = Array.from({ length: ISSUE_LIMITS.issueAttachmentsMax - 1 }, (_none, index) => ({
    ...row,
    uuid: `${index}-${uuid}`,
  }));
  await database.transaction((tx) => tx.insertInto('issue_attachments').values(copies).execute());
  assert.equal((await upload(ada, OF_ISSUE)).status, 422);
  assert.equal((await ada.delete(`${OF_ISSUE}/${first.id}`)).status, 204);
  assert.equal((await upload(ada, OF_ISSUE)).status, 201);
});
