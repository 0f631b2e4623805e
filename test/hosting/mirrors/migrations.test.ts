import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createServices, openEngines } from '../../../src/app/compose.ts';
import { readConfig } from '../../../src/app/config.ts';
import { hintAfterCommit } from '../../../src/base/database/hints-after-commit.ts';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { placeOf, startServerProcess } from '../../code/transport/server-process.ts';
import { afterTest } from '../../support/after-test.ts';
import { type Person, startForge, type TestForge, type TestForgeOptions } from '../../support/forge/forge.ts';
import { type Answer, request } from '../../support/http/http.ts';
import { collectLog } from '../../support/log-lines.ts';
import { until } from '../../support/until.ts';
import { startFakeFamily } from '../../tracker/imports/source.ts';
import { startBackend } from './backend.ts';
import { type SteppedSource, startSteppedSource } from './stepped-source.ts';
import { ALLOWED, hurried, MIGRATE } from './sync.ts';

const OWN = '/api/v1/user/migrations';

interface Place {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly stepped: SteppedSource;
}

async function start(t: TestContext, options: TestForgeOptions = {}): Promise<Place> {
  const stepped = await startSteppedSource(t);
  const forge = await startForge(t, { ...ALLOWED, ...options });
  return { forge, ada: await forge.account('ada'), stepped };
}

/** Requests a migration, and returns when its pack has begun. */
async function begin(
  { ada, stepped }: Place,
  fields: object = {},
): Promise<{ readonly made: Promise<Answer> }> {
  stepped.steps.push('begin');
  const count = stepped.begun.length + 1;
  const body = { clone_addr: stepped.source.url, repo_name: 'engine', ...fields };
  const made = ada.post(MIGRATE, body);
  await until(() => stepped.begun.length === count);
  return { made };
}

async function newest(of: Person) {
  return (await of.get(`${OWN}?limit=1`)).body[0];
}

/** Waits until a record is as wanted, and returns it. */
async function awaited(of: Person, holds: (record: Answer['body']) => boolean): Promise<Answer['body']> {
  let record: Answer['body'];
  await until(async () => {
    record = await newest(of);
    return holds(record);
  });
  return record;
}

/** Waits until the first attempt of a migration has failed and it waits for the next one. */
function retrying(of: Person): Promise<Answer['body']> {
  return awaited(of, (record) => record?.status === 'waiting' && record.attempts === 1);
}

/** Makes the time between attempts so long that a test sees each migration wait. */
function retryLate(t: TestContext): void {
  const limits: { migrationRetryMs: number } = MIRROR_LIMITS;
  t.mock.property(limits, 'migrationRetryMs', 3_600_000);
}

/** Requires that nothing is left of migrations that did not succeed. */
async function requireNothingLeft({ forge }: TestForge): Promise<void> {
  const { reader } = forge.running.engines.database;
  const running = reader.selectFrom('repository_migrations').select('id').where('run', 'is not', null);
  await until(async () => (await running.execute()).length === 0);
  for (const table of ['repository_intents', 'repositories', 'git_repositories'] as const)
    assert.deepEqual(await reader.selectFrom(table).selectAll().execute(), [], table);
  const rows = await reader.selectFrom('repository_migrations').selectAll().execute();
  for (const row of rows)
    assert.deepEqual([row.run, row.pending_id, row.slot, row.secrets], Array(4).fill(null));
}

test('the record of a migration shows its progress, and its end', async (t) => {
  const place = await start(t);
  const { ada, stepped } = place;
  const { made } = await begin(place, { mirror: true });

  const { id, ...running } = await awaited(ada, ({ progress }) => progress.bytes_received > 0);
  assert.deepEqual(
    [running.repo_owner, running.repo_name, running.clone_addr, running.mirror],
    ['ada', 'engine', stepped.source.url, true],
  );
  assert.deepEqual(
    [running.status, running.phase, running.attempts, running.last_error, running.repo_id],
    ['running', 'git', 1, '', 0],
  );
  assert.deepEqual(
    [running.progress.refs, running.progress.git_objects, running.progress.bytes_received],
    [1, 3, 12],
  );
  assert.deepEqual([running.ended_at, running.next_attempt_at], Array(2).fill('1970-01-01T00:00:00Z'));
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 404);

  stepped.begun[0]?.destroy();
  assert.equal((await made).status, 201, 'the connection was lost, and the copy begins again');
  const done = (await ada.get(`${OWN}/${id}`)).body;
  assert.deepEqual(
    [done.status, done.phase, done.attempts, done.repo_id],
    ['done', 'publishing', 1, (await made).body.id],
  );
  assert.equal(done.progress.git_objects, 3);
  assert.ok(done.progress.bytes_received > 100);
  assert.ok(Date.parse(done.ended_at) >= Date.parse(done.started_at));
});

test('the record shows how many issues and comments have come, and what is left out', async (t) => {
  const reached = Promise.withResolvers<void>();
  const goingOn = Promise.withResolvers<void>();
  const issue = {
    ...{ id: 1, number: 4, title: 'Fits', body: '', state: 'open', user: { id: 7, login: 'ada' } },
    ...{
      created_at: '2024-01-02T03:04:05Z',
      updated_at: '2024-01-02T03:04:05Z',
      labels: [],
      milestone: null,
    },
    assignees: [{ id: 8, login: 'eve' }],
  };
  const { url } = await startFakeFamily(t, async (path, records) => {
    if (path === 'issues') return [issue];
    if (path !== 'issues/comments') return records[path];
    reached.resolve();
    await goingOn.promise;
    return records[path];
  });
  const forge = await startForge(t, ALLOWED);
  const ben = await forge.account('ben');
  const body = { clone_addr: url, repo_name: 'engine', service: 'gitea', issues: true };
  const made = ben.post(MIGRATE, body);
  await reached.promise;

  const running = await awaited(ben, ({ progress }) => progress.issues > 0);
  assert.deepEqual([running.phase, running.progress.issues, running.progress.comments], ['issues', 1, 0]);
  goingOn.resolve();
  assert.equal((await made).status, 201);
  const done = await newest(ben);
  assert.deepEqual(
    [done.status, done.left_out],
    ['done', ['assignments to users without an account here: 1']],
  );
});

test('a migration is tried again after lost connections and a busy source, and the log says so', async (t) => {
  retryLate(t);
  const { forge, ada, stepped } = await start(t, { logLevel: 'info' });
  const log = collectLog(forge.forge.running.app);
  stepped.steps.push('cut', 'cut', 'cut', 503);
  const made = ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine' });

  const waiting = await retrying(ada);
  assert.match(waiting.last_error, /^the source cannot be copied: /);
  assert.ok(Date.parse(waiting.next_attempt_at) > Date.parse(waiting.started_at));
  assert.equal((await hurried(forge, made)).status, 201);
  const done = await newest(ada);
  assert.deepEqual([done.status, done.attempts, done.last_error], ['done', 3, '']);
  await until(() => log.some((line) => line.includes('a repository was migrated')));
  const lines = log.map((line) => JSON.parse(line)).filter(({ migration }) => migration === done.id);
  assert.deepEqual(
    lines.map(({ msg, attempt, level }) => [msg, attempt, level]),
    [
      ['a migration begins', 1, 30],
      ['a migration is tried again', 1, 40],
      ['a migration begins', 2, 30],
      ['a migration is tried again', 2, 40],
      ['a migration begins', 3, 30],
      ['a repository was migrated', 3, 30],
    ],
  );
  assert.deepEqual(
    lines.filter(({ delayMs }) => delayMs !== undefined).map(({ delayMs }) => delayMs),
    [MIRROR_LIMITS.migrationRetryMs, 3 * MIRROR_LIMITS.migrationRetryMs],
  );
  const { owner, name, refs, objects, ms, account } = lines.at(-1);
  assert.deepEqual(
    [owner, name, refs, objects, typeof ms, typeof account],
    ['ada', 'engine', 1, 3, 'number', 'number'],
  );
});

test('a migration fails at once if another attempt cannot succeed, and for good after several that could', async (t) => {
  const { forge, ada, stepped } = await start(t);
  const send = (fields: object = {}) =>
    hurried(forge, ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine', ...fields }));
  const secured = await startBackend(t, { authorization: 'Basic other' });
  for (const [clone_addr, why] of [
    [secured.url, /denies access/],
    [stepped.source.url.replace('engine', 'missing'), /no repository/],
    ['http://10.0.0.1/engine.git', /does not connect/],
  ] as const) {
    const answer = await send({ clone_addr });
    assert.equal(answer.status, 422, answer.text);
    const failed = await newest(ada);
    assert.deepEqual([failed.status, failed.attempts, failed.repo_id], ['failed', 1, 0]);
    assert.match(failed.last_error, why);
  }
  stepped.steps.push(502, 429, 500, 503);
  const answer = await send();
  assert.deepEqual([answer.status, stepped.steps], [422, []], answer.text);
  const failed = await newest(ada);
  assert.deepEqual([failed.status, failed.attempts], ['failed', MIRROR_LIMITS.migrationAttemptsMax]);
  assert.match(failed.last_error, /status 503/);
  await requireNothingLeft(forge);
  assert.equal((await send()).status, 201);
});

test('canceling a migration leaves nothing of it, and ends the connection to its source', async (t) => {
  retryLate(t);
  const place = await start(t, { logLevel: 'info' });
  const { forge, ada, stepped } = place;
  const log = collectLog(forge.forge.running.app);
  const { made } = await begin(place);
  const { id } = await newest(ada);
  const eve = await forge.account('eve');

  assert.equal((await eve.delete(`${OWN}/${id}`)).status, 404);
  assert.equal((await newest(ada)).status, 'running');
  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 204);
  await requireNothingLeft(forge);
  await until(() => stepped.ended() === 1);
  const answer = await made;
  assert.deepEqual([answer.status, answer.body.message], [422, 'the migration was canceled']);
  assert.equal((await ada.get(`${OWN}/${id}`)).body.status, 'canceled');
  assert.ok(log.some((line) => line.includes('a migration was canceled')));

  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 204, 'now its record is removed');
  assert.equal((await ada.get(`${OWN}/${id}`)).status, 404);
  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 404);

  stepped.steps.push(503);
  const waiting = ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine' });
  const { id: second } = await retrying(ada);
  assert.equal((await ada.delete(`${OWN}/${second}`)).status, 204);
  assert.equal((await waiting).status, 422);
  assert.equal((await newest(ada)).status, 'canceled');
  await requireNothingLeft(forge);
});

test('a client that leaves cancels its migration', async (t) => {
  const place = await start(t);
  const { forge, ada, stepped } = place;
  stepped.steps.push('begin');
  const leaving = new AbortController();
  const left = fetch(`${forge.url}${MIGRATE}`, {
    method: 'POST',
    signal: leaving.signal,
    headers: { authorization: `token ${ada.token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ clone_addr: stepped.source.url, repo_name: 'engine' }),
  });
  await until(() => stepped.begun.length === 1);

  leaving.abort();
  await assert.rejects(left);
  await awaited(ada, ({ status }) => status === 'canceled');
  await until(() => stepped.ended() === 1);
  const { reader } = forge.forge.running.engines.database;
  await until(
    async () => (await reader.selectFrom('repository_intents').select('id').execute()).length === 0,
  );
  await requireNothingLeft(forge);
});

test('migrations are listed for the account that requested them, the newest first, with their total', async (t) => {
  const { forge, ada, stepped } = await start(t);
  const ben = await forge.account('ben');
  for (const name of ['one', 'two', 'three'])
    assert.equal((await ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: name })).status, 201);
  const list = await ada.get(`${OWN}?limit=2&page=1`);
  assert.deepEqual(
    list.body.map((record: Answer['body']) => record.repo_name),
    ['three', 'two'],
  );
  assert.equal(list.headers.get('x-total-count'), '3');
  assert.match(list.headers.get('link') ?? '', /page=2.*rel="next"/);
  const [{ id }] = list.body;
  assert.equal((await ben.get(`${OWN}/${id}`)).status, 404);
  assert.deepEqual((await ben.get(OWN)).body, []);
  assert.equal((await forge.send('GET', OWN)).status, 401);
  const as = async (scopes: readonly string[]) => ({ token: await ada.tokenFor(scopes) });
  const isPublic = await as(['public-only', 'read:user', 'read:repository']);
  assert.deepEqual((await forge.get(OWN, { as: isPublic })).body, []);
  assert.equal((await forge.get(`${OWN}/${id}`, { as: isPublic })).status, 404);
  assert.equal((await forge.get(OWN, { as: await as(['read:user']) })).status, 403);
  const reading = await as(['read:user', 'read:repository']);
  assert.equal((await forge.get(`${OWN}/${id}`, { as: reading })).status, 200);
  assert.equal((await forge.send('DELETE', `${OWN}/${id}`, { as: reading })).status, 403);
  assert.equal((await ada.delete('/api/v1/repos/ada/three')).status, 204);
  assert.equal((await ada.get(`${OWN}/${id}`)).body.status, 'done', 'the record stays without the copy');
});

test('credentials are encrypted while a migration runs, and gone when it has ended', async (t) => {
  const authorization = `Basic ${Buffer.from('reader:hidden-secret').toString('base64')}`;
  const stepped = await startSteppedSource(t, { authorization });
  const forge = await startForge(t, { ...ALLOWED, logLevel: 'trace' });
  const log = collectLog(forge.forge.running.app);
  const ada = await forge.account('ada');
  const { database } = forge.forge.running.engines;
  const everything = async () => {
    const migrations = await database.reader.selectFrom('repository_migrations').selectAll().execute();
    const jobs = await database.reader.selectFrom('jobs').selectAll().execute();
    return JSON.stringify([migrations, jobs, (await ada.get(OWN)).text, log]);
  };
  const fields = { auth_username: 'reader', auth_password: 'hidden-secret' };
  const { made } = await begin({ forge, ada, stepped }, fields);
  const secrets = async () =>
    (await database.reader.selectFrom('repository_migrations').select('secrets').execute()).map(
      (row) => row.secrets,
    );
  assert.match((await secrets())[0] ?? '', /^v1\./);
  const texts = [await everything()];
  stepped.begun[0]?.destroy();
  assert.equal((await made).status, 201);
  stepped.steps.push(503, 503, 503, 503);
  const failed = await hurried(
    forge,
    ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'other', ...fields }),
  );
  assert.equal(failed.status, 422);
  const { made: canceled } = await begin({ forge, ada, stepped }, { ...fields, repo_name: 'third' });
  await ada.delete(`${OWN}/${(await newest(ada)).id}`);
  texts.push(await everything(), (await canceled).text, failed.text);
  assert.deepEqual(await secrets(), [null, null, null]);
  assert.doesNotMatch(texts.join('\n'), /hidden-secret|aGlkZGVuLXNlY3JldA|cmVhZGVyOmhpZGRlb/);
});

test('a requester who loses the right meanwhile gets no copy', async (t) => {
  const place = await start(t);
  const { forge, ada, stepped } = place;
  const { root } = forge;
  const ben = await forge.account('ben');
  await ben.post('/api/v1/orgs', { username: 'guild' });
  const owners = (await ben.get('/api/v1/orgs/guild/teams')).body[0].id;
  assert.equal((await ben.put(`/api/v1/teams/${owners}/members/ada`)).status, 204);

  const inGuild = await begin(place, { repo_owner: 'guild' });
  assert.equal((await ben.delete(`/api/v1/teams/${owners}/members/ada`)).status, 204);
  stepped.begun[0]?.destroy();
  assert.equal((await inGuild.made).status, 403);
  assert.match((await newest(ada)).last_error, /may not/);

  const suspended = await begin(place);
  const locked = { prohibit_login: true, login_name: 'ada', source_id: 0 };
  assert.equal((await root.patch('/api/v1/admin/users/ada', locked)).status, 200);
  stepped.begun[1]?.destroy();
  assert.equal((await suspended.made).status, 403);
  await root.patch('/api/v1/admin/users/ada', { ...locked, prohibit_login: false });
  assert.match((await newest(ada)).last_error, /disabled/);

  const enabled = await begin(place);
  for (const prohibit_login of [true, false])
    await root.patch('/api/v1/admin/users/ada', { ...locked, prohibit_login });
  stepped.begun[2]?.destroy();
  assert.equal((await enabled.made).status, 403);
  assert.match((await newest(ada)).last_error, /the credential that requested this is gone/);

  const account = { name: 'ada', password: ada.password };
  const scopes = ['write:repository', 'write:user'];
  const tokens = '/api/v1/users/ada/tokens';
  const token = await forge.send('POST', tokens, { as: account, json: { name: 'short', scopes } });
  stepped.steps.push('begin');
  const json = { clone_addr: stepped.source.url, repo_name: 'engine' };
  const revoked = forge.send('POST', MIGRATE, { as: { token: token.body.sha1 }, json });
  await until(() => stepped.begun.length === 4);
  assert.equal((await forge.send('DELETE', `${tokens}/short`, { as: account })).status, 204);
  stepped.begun[3]?.destroy();
  assert.equal((await revoked).status, 403);
  assert.match((await newest(ada)).last_error, /the credential that requested this is gone/);

  const deleted = await begin(place);
  assert.equal((await root.delete('/api/v1/admin/users/ada?purge=true')).status, 204);
  stepped.begun[4]?.destroy();
  assert.ok((await deleted.made).status >= 400);
  await until(async () => (await rowsOf(forge)).length === 0);
  await requireNothingLeft(forge);
});

function rowsOf({ forge }: TestForge) {
  const { reader } = forge.running.engines.database;
  return reader.selectFrom('repository_intents').selectAll().execute();
}

test('a copy goes to its owner even if that was renamed meanwhile, and to none if it was deleted', async (t) => {
  const place = await start(t);
  const { ada, stepped } = place;
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const renamed = await begin(place, { repo_owner: 'guild' });
  assert.equal((await ada.post('/api/v1/orgs/guild/rename', { new_name: 'union' })).status, 204);
  stepped.begun[0]?.destroy();
  assert.equal((await renamed.made).body.full_name, 'union/engine');

  await ada.post('/api/v1/orgs', { username: 'lodge' });
  const deleted = await begin(place, { repo_owner: 'lodge' });
  assert.equal((await ada.delete('/api/v1/orgs/lodge')).status, 204);
  stepped.begun[1]?.destroy();
  assert.equal((await deleted.made).status, 422);
  assert.match((await newest(ada)).last_error, /owner does not exist/);
});

test('an account has two migrations at once and a few that wait, and others need not wait for them', async (t) => {
  const place = await start(t);
  const { forge, ada, stepped } = place;
  const ben = await forge.account('ben');
  const count = MIRROR_LIMITS.migrationsPerCallerMax + MIRROR_LIMITS.migrationQueuePerCallerMax;
  stepped.steps.push('begin', 'begin');
  const send = (of: Person, name: string) =>
    of.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: name });
  const names = Array.from({ length: count }, (_, at) => `copy${at}`);
  const answers = names.map((name) => send(ada, name));
  const states = async () =>
    ((await ada.get(`${OWN}?limit=50`)).body as Answer['body'][]).map(({ status }) => status).sort();
  await until(async () => (await states()).length === count && stepped.begun.length === 2);

  const over = await send(ada, 'over');
  assert.deepEqual([over.status, over.headers.has('retry-after')], [503, true]);
  const twice = await send(ada, 'COPY3');
  assert.equal(twice.status, 409);
  assert.match(twice.body.message, /under way/);
  assert.equal((await send(ben, 'copy3')).status, 201);
  assert.deepEqual(await states(), ['running', 'running', ...Array(count - 2).fill('waiting')]);
  for (const response of stepped.begun) response.destroy();
  for (const answer of answers) assert.equal((await answer).status, 201);
});

test('a server that stops answers the client, and the migration goes on when it runs again', async (t) => {
  const { source, steps, begun, ended } = await startSteppedSource(t);
  const server = await startServerProcess(t, { QUIRE_OUTBOUND_ALLOW: '127.0.0.1' });
  const { admin: as, running } = server;
  const body = { clone_addr: source.url, repo_name: 'engine' };
  steps.push('begin');
  const made = request('POST', `${server.url}${MIGRATE}`, { as, json: body });
  await until(() => begun.length === 1);

  running.child.kill('SIGTERM');
  const answer = await made;
  assert.deepEqual([answer.status, answer.headers.has('retry-after')], [503, true]);
  assert.match(answer.body.message, /the migration goes on/);
  assert.deepEqual(await running.ended(), { code: 0, signal: null });
  await until(() => ended() === 1);

  const again = await startForge(t, { ...ALLOWED, ...placeOf(server) });
  const find = async () => (await request('GET', `${again.url}${OWN}`, { as })).body[0];
  await until(async () => (await find()).status === 'done');
  assert.equal((await find()).attempts, 1, 'the attempt that the stop ended does not count');
});

test('an attempt whose job another one has taken cannot end the migration', async (t) => {
  const place = await start(t);
  const { forge, ada, stepped } = place;
  const { engines, services } = forge.forge.running;
  const { made } = await begin(place);
  const read = () =>
    engines.database.reader
      .selectFrom('repository_migrations')
      .select(['run', 'state'])
      .executeTakeFirstOrThrow();
  const { run } = await read();
  let removed = 0;
  // While the successor removes what is left of the attempt, the attempt fails for good.
  forge.stopAfterTest();
  services.repositories.creation.abandoned.subscribe(async () => {
    removed += 1;
    stepped.begun[0]?.end('no pack');
    await until(async () => {
      const now = await read();
      return now.run !== run || now.state !== 'running';
    });
  });
  await engines.database.transaction(async (tx) => {
    await tx.updateTable('jobs').set({ leased_until: 0 }).where('kind', '=', 'mirrors.migrate').execute();
    hintAfterCommit(tx, 'jobs');
  });

  assert.equal((await made).status, 201);
  const { status, attempts } = await newest(ada);
  assert.deepEqual([status, attempts, removed], ['done', 2, 1]);
});

/** Has other services run the jobs of a forge, as another process does that shares its data. */
async function startOtherProcess(t: TestContext, { flags }: TestForge): Promise<void> {
  const [, data = '', , databaseUrl = ''] = flags;
  const config = readConfig({ data, databaseUrl, outboundAllow: '127.0.0.1' });
  const addresses = { baseUrl: 'http://127.0.0.1', apiRoot: 'http://127.0.0.1/api/v1' };
  const engines = await openEngines(config, { ownsFolder: false, addresses });
  const services = createServices(engines, addresses);
  services.jobs.start();
  afterTest(t, async () => {
    await services.jobs.stop();
    await engines.close();
  });
}

test('a client waits for a migration that another process runs, and cancels it there', async (t) => {
  const place = await start(t);
  const { forge, ada, stepped } = place;
  await forge.forge.running.services.jobs.stop();
  await startOtherProcess(t, forge);
  const made = await ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'first' });
  assert.equal(made.status, 201, made.text);

  const second = await begin(place);
  const { id } = await newest(ada);
  assert.equal((await ada.delete(`${OWN}/${id}`)).status, 204);
  assert.equal((await second.made).status, 422);
  await until(() => stepped.ended() === 1);
  assert.deepEqual(await rowsOf(forge), []);
});

test('records of migrations that have ended are kept for a time, and so many of one account', async (t) => {
  const { forge, ada, stepped } = await start(t);
  const ben = await forge.account('ben');
  for (const each of [ada, ben])
    assert.equal(
      (await each.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine' })).status,
      201,
    );
  const { database } = forge.forge.running.engines;
  const [row] = await database.reader.selectFrom('repository_migrations').selectAll().orderBy('id').execute();
  assert.ok(row !== undefined);
  const { id: _, ...copied } = row;
  const total = async (of: Person) => (await of.get(OWN)).headers.get('x-total-count');
  await database.transaction(async (tx) => {
    const rows = Array.from({ length: MIRROR_LIMITS.migrationsKeptPerCallerMax + 3 }, () => copied);
    await tx.insertInto('repository_migrations').values(rows).execute();
    await tx
      .updateTable('repository_migrations')
      .set({ ended_at: Date.now() - MIRROR_LIMITS.migrationKeptMs - 1 })
      .where('requester_id', '!=', row.requester_id)
      .execute();
  });
  assert.deepEqual(
    [await total(ada), await total(ben)],
    [`${MIRROR_LIMITS.migrationsKeptPerCallerMax + 4}`, '1'],
  );
  await database.transaction(async (tx) => {
    await tx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'migrations.sweep').execute();
    hintAfterCommit(tx, 'jobs');
  });
  await until(async () => (await total(ben)) === '0');
  const newest50 = async () => (await ada.get(`${OWN}?limit=50`)).text;
  const before = await newest50();
  assert.equal((await ada.post(MIGRATE, { clone_addr: 'http://10.0.0.1/x', repo_name: 'x' })).status, 422);
  assert.equal(
    await total(ada),
    `${MIRROR_LIMITS.migrationsKeptPerCallerMax + 1}`,
    'the new one, and those that stay',
  );
  assert.equal((await ada.delete(`${OWN}/${(await newest(ada)).id}`)).status, 204);
  assert.equal(await newest50(), before);
});

test('the attempts of a migration have a bounded time together', async (t) => {
  retryLate(t);
  const { forge, ada, stepped } = await start(t);
  const { database } = forge.forge.running.engines;
  stepped.steps.push(503);
  const made = ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine' });
  await retrying(ada);
  await database.transaction((tx) =>
    tx.updateTable('repository_migrations').set({ worked_ms: MIRROR_LIMITS.migrationMs }).execute(),
  );

  const answer = await hurried(forge, made);
  assert.equal(answer.status, 422);
  assert.match(answer.body.message, /the copy takes too long/);
  const failed = await newest(ada);
  assert.deepEqual([failed.status, failed.attempts], ['failed', 2]);
  await requireNothingLeft(forge);
});

test('an administrator who acts as a user migrates for that user', async (t) => {
  const { forge, ada, stepped } = await start(t);
  const json = { clone_addr: stepped.source.url, repo_name: 'engine' };
  // As after the creation by an administrator: the password of the account does not matter here.
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: true });
  const made = await forge.root.send('POST', `${MIGRATE}?sudo=ada`, { json });
  assert.deepEqual([made.status, made.body.full_name], [201, 'ada/engine'], made.text);
  await forge.root.patch('/api/v1/admin/users/ada', { must_change_password: false });
  assert.equal((await newest(ada)).status, 'done');
  assert.deepEqual((await forge.root.get(OWN)).body, []);
});

test('a migration for a user ends when its administrator is none any more', async (t) => {
  const { forge, ada, stepped } = await start(t);
  const ben = await forge.account('ben');
  const admin = (isAdmin: boolean) =>
    forge.root.patch('/api/v1/admin/users/ben', { login_name: 'ben', source_id: 0, admin: isAdmin });
  await admin(true);
  stepped.steps.push('begin');
  const made = ben.post(`${MIGRATE}?sudo=ada`, { clone_addr: stepped.source.url, repo_name: 'engine' });
  await until(() => stepped.begun.length === 1);
  await admin(false);
  stepped.begun[0]?.destroy();
  assert.equal((await made).status, 403);
  assert.match((await newest(ada)).last_error, /only a site administrator may act/);
  await requireNothingLeft(forge);
});

test('a sweep has those migrations run whose jobs are gone', async (t) => {
  retryLate(t);
  const place = await start(t);
  const { forge, ada, stepped } = place;
  stepped.steps.push(503);
  const made = ada.post(MIGRATE, { clone_addr: stepped.source.url, repo_name: 'engine' });
  await retrying(ada);
  const { database } = forge.forge.running.engines;
  await database.transaction(async (tx) => {
    await tx.deleteFrom('jobs').where('kind', '=', 'mirrors.migrate').execute();
    await tx.updateTable('repository_migrations').set({ due_at: 0 }).execute();
    await tx.updateTable('jobs').set({ run_at: 0 }).where('kind', '=', 'migrations.sweep').execute();
    hintAfterCommit(tx, 'jobs');
  });
  assert.equal((await made).status, 201);
});

test('a migration is tried again if the name of its source has no address for a moment', async (t) => {
  const { source } = await startSteppedSource(t);
  const answers = [[], ['127.0.0.1']];
  const forge = await startForge(t, {
    ...ALLOWED,
    resolveHost: async () => answers.shift() ?? ['127.0.0.1'],
  });
  const ada = await forge.account('ada');
  const clone_addr = source.url.replace('127.0.0.1', 'source.test');
  const made = await hurried(forge, ada.post(MIGRATE, { clone_addr, repo_name: 'engine' }));
  assert.equal(made.status, 201, made.text);
  assert.equal((await newest(ada)).attempts, 2);
});
