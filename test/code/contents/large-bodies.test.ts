import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CONTENTS_LIMITS } from '../../../src/code/contents/limits.ts';
import { GIT_LIMITS } from '../../../src/git/limits.ts';
import { HTTP_LIMITS } from '../../../src/http/limits.ts';
import { converse, statusesIn } from '../../http/exchange.ts';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { untilNothingIsLeft } from '../transport/quarantines.ts';
import { bodyBytes, HalfSentBody, untilBodyBytes } from './bodies.ts';
import { file } from './engine.ts';
import { base64, contentsOf } from './files.ts';

const DECLARED = CONTENTS_LIMITS.fileBodyBytesMax;

async function sharedEngine(t: TestContext) {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('engine', { auto_init: true });
  return { forge, ada, ben };
}

test('H3: large bodies of callers who may only read are rejected before they are read', async (t) => {
  const { forge, ada, ben } = await sharedEngine(t);
  await ada.repository('secret', { auto_init: true, private: true });
  const send = (path: string, method: string) =>
    new HalfSentBody(forge, { as: ben, method, path, declared: DECLARED });
  const bodies = Array.from({ length: 48 }, (_, index) =>
    index % 3 === 0
      ? send(contentsOf('ada/secret', 'a'), 'POST')
      : send(file('a'), index % 3 === 1 ? 'POST' : 'PUT'),
  );

  const responses = await Promise.all(bodies.map((body) => body.response()));

  const expected = bodies.map((_, index) => [index % 3 === 0 ? 404 : 403]);
  assert.deepEqual(responses.map(statusesIn), expected);
  assert.ok(responses.every((response) => /^connection: close$/im.test(response)));
  await untilBodyBytes(forge, 0);
});

test('H3: half-sent bodies of one writer leave room for other writers, and none when they end', async (t) => {
  const { forge, ada, ben } = await sharedEngine(t);
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'write' });
  const share = HTTP_LIMITS.bodyBytesPerCallerMax;
  const bodies = Array.from(
    { length: 40 },
    () => new HalfSentBody(forge, { as: ada, method: 'POST', path: file('a'), declared: DECLARED }),
  );
  await untilBodyBytes(forge, share);

  const bens = await ben.post(file('of-ben'), { content: base64('ben') });
  for (const body of bodies) body.leave();
  await untilBodyBytes(forge, 0);
  const adas = await ada.post(file('of-ada'), { content: base64('ada') });

  assert.deepEqual([bens.status, adas.status], [201, 201]);
  await untilNothingIsLeft(forge);
});

test('H3: a caller with too many large bodies receives 503 with Retry-After', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  const atOnce = HTTP_LIMITS.bodyBytesPerCallerMax / CONTENTS_LIMITS.fileFieldsBytesMax;
  const bodies = Array.from(
    { length: atOnce + HTTP_LIMITS.bodyQueuePerCallerMax + 1 },
    () => new HalfSentBody(forge, { as: ada, method: 'POST', path: file('a'), declared: DECLARED }),
  );

  const response = await Promise.race(bodies.map((body) => body.response()));

  assert.deepEqual(statusesIn(response), [503]);
  assert.match(response, /^retry-after: \d+$/im);
  assert.equal(bodies.filter((body) => body.isAnswered).length, 1, 'the others have or wait for room');
  for (const body of bodies) body.leave();
  await untilBodyBytes(forge, 0);
});

test('a client that leaves in the middle of a large body is not logged as a fault of the server', async (t) => {
  const forge = await startForge(t, { logLevel: 'error' });
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const lines = collectLog(forge.forge.running.app);
  const body = new HalfSentBody(forge, { as: ada, method: 'POST', path: file('a'), declared: DECLARED });
  await until(async () => (await bodyBytes(forge)) > 0);

  body.leave();

  await untilBodyBytes(forge, 0);
  await untilNothingIsLeft(forge);
  assert.deepEqual(lines, []);
});

test('a client that leaves during the authorization leaves no contents behind', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  forge.stopAfterTest();
  const lines = collectLog(forge.forge.running.app);
  const { writing } = forge.forge.running.services;
  const { find, contentsFor } = writing;
  const [isAuthorized, hasLeft] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const discarded = Promise.withResolvers<void>();
  writing.find = async (...args) => {
    const found = await find.apply(writing, args);
    isAuthorized.resolve();
    await hasLeft.promise;
    return found;
  };
  writing.contentsFor = (repository) => {
    const contents = contentsFor.call(writing, repository);
    const discard = contents.discard.bind(contents);
    contents.discard = () => discard().then(discarded.resolve, discarded.reject);
    return contents;
  };
  const body = new HalfSentBody(forge, { as: ada, method: 'POST', path: file('a'), declared: DECLARED });
  await isAuthorized.promise;

  body.leave();
  await until(async () => {
    const metrics = await forge.get('/metrics');
    return /^quire_http_requests_running 1$/m.test(metrics.text);
  });
  hasLeft.resolve();

  await discarded.promise;
  await untilBodyBytes(forge, 0);
  assert.deepEqual(lines, []);
});

test('a client that waits for 100 Continue sends no body that would be rejected', async (t) => {
  const { forge, ada, ben } = await sharedEngine(t);
  const body = JSON.stringify({ content: base64('x') });
  const head = (as: { token: string }) =>
    [
      `POST ${file('a')} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      `Authorization: token ${as.token}`,
      'Content-Type: application/json',
      'Expect: 100-continue',
      `Content-Length: ${body.length}`,
      '\r\n',
    ].join('\r\n');

  assert.deepEqual(statusesIn(await converse(forge.url, head(ben))), [403]);
  assert.deepEqual(statusesIn(await converse(forge.url, head(ada) + body)), [100, 201]);
});

test('a body without a stated length is bounded as it arrives', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  const head = [
    `POST ${file('a')} HTTP/1.1`,
    'Host: localhost',
    'Connection: close',
    `Authorization: token ${ada.token}`,
    'Content-Type: application/json',
    'Transfer-Encoding: chunked',
    '\r\n',
  ].join('\r\n');
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const content = 'QUJD'.repeat(50_000);
  const fields = chunk('x'.repeat(CONTENTS_LIMITS.fileFieldsBytesMax));

  const stored = await converse(
    forge.url,
    `${head}${chunk('{"content":"')}${chunk(content)}${chunk('"}')}0\r\n\r\n`,
  );
  const tooLarge = await converse(forge.url, `${head}${chunk('{"message":"')}${fields}`);

  assert.deepEqual([statusesIn(stored), statusesIn(tooLarge)], [[201], [413]]);
  await untilBodyBytes(forge, 0);
});

test('a large file is stored as it was sent, in any form of JSON and base64', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  const bytes = randomBytes(GIT_LIMITS.objectInMemoryBytesMax + 12);
  const other = bytes.subarray(9);
  // Both are large: the server does not keep them in memory.
  assert.ok(other.length > GIT_LIMITS.objectInMemoryBytesMax);
  const lines = (base64(bytes).match(/.{1,76}/g) ?? []).join('\r\n');
  const escaped = base64(bytes).replaceAll('/', '\\/').replaceAll('+', '\\u002b');
  const post = (path: string, body: string) =>
    ada.send('POST', file(path), { body, headers: { 'content-type': 'application/json' } });

  const answers = [
    await post('plain', `{"content":"${base64(bytes)}","message":"Add plain"}`),
    await post('lines', JSON.stringify({ message: 'Add lines', content: lines })),
    await post('escaped', ` {"author": {"content": "no"}, "content" : "${escaped}"}`),
    await post('last', `{"content":"${base64(other)}","cont\\u0065nt":"${base64(bytes)}"}`),
  ];

  assert.deepEqual(
    answers.map((answer) => [answer.status, answer.body?.content?.size]),
    answers.map(() => [201, bytes.length]),
  );
  assert.equal(new Set(answers.map((answer) => answer.body.content.sha)).size, 1);
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  for (const name of ['plain', 'lines', 'escaped', 'last']) {
    assert.ok(bytes.equals(await readFile(join(folder, name))), name);
  }
  assert.equal(await git(folder, ['fsck', '--strict']), '');
  await untilNothingIsLeft(forge);
});

test('a large invalid body is rejected and leaves nothing', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  const long = base64(randomBytes(300_000));
  const post = async (body: string) => {
    const headers = { 'content-type': 'application/json' };
    const { status, body: answer } = await ada.send('POST', file('a'), { body, headers });
    return [status, answer.message];
  };
  const notBase64 = [422, '[Content]: not standard base64'];

  assert.deepEqual(await post(`{"content":"${long}%${long}"}`), notBase64);
  assert.deepEqual(await post(`{"content":"${long}=${long}"}`), notBase64);
  assert.deepEqual(await post(`{"content":"${long}\\t${long}"}`), notBase64);
  for (const wrong of ['\n', '\\x', '\\u12'])
    assert.match(String((await post(`{"content":"${long}${wrong}"}`))[1]), /JSON/, JSON.stringify(wrong));
  assert.match(String((await post(`{"content":"${long}"`))[1]), /JSON/);
  assert.deepEqual(await post(`{"content":"${long}","content":1}`), [422, '[Content]: must be string']);
  assert.deepEqual(await post(`{"content":"${long}","content":null}`), [422, '[Content]: Required']);
  assert.deepEqual((await post(`{"content":"","message":"${'x'.repeat(3_000_000)}"}`))[0], 413);
  assert.deepEqual((await ada.get(file('a'))).status, 404);
  await untilNothingIsLeft(forge);
  await untilBodyBytes(forge, 0);
});

test('H8: concurrent large files on one branch are all stored', async (t) => {
  const { forge, ada } = await sharedEngine(t);
  const contents = Array.from({ length: 6 }, () => randomBytes(200_000));

  const answers = await Promise.all(
    contents.map((bytes, index) => ada.post(file(`large-${index}`), { content: base64(bytes) })),
  );

  assert.deepEqual([...new Set(answers.map((answer) => answer.status))], [201]);
  for (const [index, bytes] of contents.entries())
    assert.equal((await ada.get(file(`large-${index}`))).body.content, base64(bytes));
  await untilNothingIsLeft(forge);
});
