import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ServerProcess } from '../../faults/server-process.ts';
import { databaseLocation } from '../../support/database/database-location.ts';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { authorizationOf, request } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';
import { EVENTS, EventStream, queryOf, readAll, type WireEvent } from './feed.ts';

const WRITERS = 6;
const LABELS_OF_EACH = 15;
/** After so many acknowledged writes, the server is killed. */
const ACKNOWLEDGED_PER_LIFE = 8;

const labelsOf = (events: readonly WireEvent[]) =>
  events.filter(({ kind }) => kind === 'label.created').map(({ data }) => String(data.name));

async function write(ada: Person, writer: number): Promise<readonly string[]> {
  const names = Array.from({ length: LABELS_OF_EACH }, (_, n) => `w${writer}-${n}`);
  for (const name of names)
    await ada.post(`/api/v1/repos/ada/engine${writer % 2}/labels`, { name, color: '#ff0000' });
  return names;
}

test('pollers and streams get each event of concurrent writers once and in order', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const name of ['engine0', 'engine1']) await ada.repository(name);
  const stream = new EventStream(`${forge.url}${EVENTS}`, { token: ada.token });
  t.after(() => stream.close());
  let isWritten = false;
  const writing = Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(ada, writer))).then(
    (names) => {
      isWritten = true;
      return names.flat();
    },
  );
  const polled: WireEvent[] = [];
  let cursor: string | undefined;
  for (let isOver = false; !isOver; ) {
    const wasWritten = isWritten;
    const { body } = await ada.get(`${EVENTS}?${queryOf({ cursor, limit: 3, wait: 1 })}`);
    polled.push(...body.events);
    cursor = body.cursor;
    isOver = wasWritten && body.events.length === 0;
  }
  const names = await writing;

  assert.deepEqual(labelsOf(polled).sort(), names.toSorted());
  assert.deepEqual(polled, (await readAll(ada)).events);
  await stream.until((each) => each.events().length >= polled.length);
  assert.deepEqual(stream.events(), polled);
});

test('a reader misses and repeats nothing when the server is killed while others write', async (t) => {
  const dataFolder = await temporaryFolder(t);
  const location = await databaseLocation(t, { schema: 'empty', folder: dataFolder });
  const site = { dataFolder, location, adminPassword: 'pw-of-the-root-1' };
  const root = { name: 'root', password: site.adminPassword };
  let server = await ServerProcess.start(t, site, null);
  const send = (method: string, path: string, json?: unknown) =>
    request(method, `${server.url}${path}`, { as: root, ...(json === undefined ? {} : { json }) });
  assert.equal((await send('POST', '/api/v1/user/repos', { name: 'engine' })).status, 201);

  const acknowledged: string[] = [];
  const read: WireEvent[] = [];
  let cursor: string | undefined;
  const poll = async () => {
    const { body } = await send('GET', `${EVENTS}?${queryOf({ cursor, limit: 4, wait: 1 })}`);
    read.push(...body.events);
    cursor = body.cursor;
    return body.events.length;
  };
  for (let life = 0; life < 3; life += 1) {
    let isOver = false;
    const writers = Array.from({ length: 4 }, async (_, writer) => {
      for (let n = 0; !isOver; n += 1) {
        const name = `l${life}-${writer}-${n}`;
        const { status } = await send('POST', '/api/v1/repos/root/engine/labels', { name, color: '#ff0000' });
        if (status === 201) acknowledged.push(name);
      }
    });
    const polling = (async () => {
      while (!isOver) await poll();
    })();
    const settled = Promise.allSettled([...writers, polling]);
    const before = acknowledged.length;
    await until(() => acknowledged.length >= before + ACKNOWLEDGED_PER_LIFE);
    await server.kill({ killsGit: false });
    isOver = true;
    await settled;
    server = await ServerProcess.start(t, site, null);
  }
  while ((await poll()) > 0);

  const ids = read.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length);
  const labels = labelsOf(read);
  assert.equal(new Set(labels).size, labels.length);
  assert.deepEqual(
    acknowledged.filter((name) => !labels.includes(name)),
    [],
  );
  assert.deepEqual(read, (await readAllAs(server.url, authorizationOf(root))).events);
});

function readAllAs(url: string, authorization: string) {
  return readAll({ get: (path) => request('GET', `${url}${path}`, { headers: { authorization } }) });
}
