import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { importSite } from '../../../src/admin/import-site.ts';
import type { Clock } from '../../../src/base/core/time/clock.ts';
import { MIRROR_LIMITS } from '../../../src/hosting/mirrors/limits.ts';
import { startSource } from '../../base/outbound/servers.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';
import { run } from '../../support/process.ts';
import { PROGRAM } from '../../support/program.ts';
import { open, type Wire } from '../issues/tracker.ts';
import { commitFile } from '../pulls/pulls.ts';

const ALLOWED = { settings: { outboundAllow: '127.0.0.1' } };

/** Time passes at once while an import waits for its next attempt. */
const IMPATIENT: Clock = { now: () => Date.now(), wait: async () => {} };

/** content of a file that git-lfs has */
const LARGE = 'a large file';

interface Site {
  readonly source: TestForge;
  readonly ada: Person;
}

/** Starts a server with two users, an organization with two teams, and repositories of both. */
async function startSite(t: TestContext): Promise<Site> {
  const source = await startForge(t);
  const [ada, cid] = [await source.account('ada', { full_name: 'Ada L.' }), await source.account('cid')];
  await ada.post('/api/v1/orgs', { username: 'guild', description: 'Weavers', visibility: 'limited' });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'Fixers',
    permission: 'write',
    units: ['repo.issues'],
    units_map: { 'repo.issues': 'write', 'repo.code': 'read' },
  });
  assert.equal(team.status, 201, team.text);
  await ada.put(`/api/v1/teams/${team.body.id}/members/cid`);
  const made = await ada.post('/api/v1/orgs/guild/repos', { name: 'loom', private: true, auto_init: true });
  assert.equal(made.status, 201, made.text);
  await ada.put(`/api/v1/teams/${team.body.id}/repos/guild/loom`);
  for (const [path, content] of [
    ['.gitattributes', '*.bin filter=lfs diff=lfs merge=lfs -text\n'],
    ['large.bin', LARGE],
  ] as const) {
    const sent = { content: Buffer.from(content).toString('base64') };
    const written = await ada.post(`/api/v1/repos/guild/loom/contents/${path}`, sent);
    assert.equal(written.status, 201, written.text);
  }
  await open(cid, 'It squeaks', { assignees: ['cid'] }, '/api/v1/repos/guild/loom/issues');
  await ada.repository('engine', { auto_init: true });
  await ada.patch('/api/v1/repos/ada/engine', { archived: true });
  await cid.repository('parts', { template: true });
  await ada.put('/api/v1/repos/ada/engine/collaborators/cid', { permission: 'write' });
  return { source, ada };
}

/** Starts a server that passes on to another what `answer` does not answer. @returns its address */
async function startInBetween(
  t: TestContext,
  source: TestForge,
  answer: (request: IncomingMessage, response: ServerResponse) => boolean,
): Promise<string> {
  const port = await startSource(t, async (request, response) => {
    if (answer(request, response)) return;
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk as Buffer);
    const sent = Buffer.concat(body);
    const passed = ['authorization', 'git-protocol', 'content-type', 'accept'].flatMap((name) => {
      const value = request.headers[name];
      return typeof value === 'string' ? [[name, value] as const] : [];
    });
    const passedOn = await fetch(`${source.url}${request.url}`, {
      method: request.method ?? 'GET',
      headers: Object.fromEntries(passed),
      ...(sent.length === 0 ? {} : { body: sent }),
    });
    const { 'content-encoding': _, ...headers } = Object.fromEntries(passedOn.headers);
    response.writeHead(passedOn.status, headers).end(Buffer.from(await passedOn.arrayBuffer()));
  });
  return `http://127.0.0.1:${port}`;
}

type Options = Partial<Parameters<typeof importSite>[1]>;

/** Imports into a forge as its administrator. @returns the report */
async function runImport(
  { forge }: TestForge,
  from: string,
  token: string,
  options: Options,
): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const tools = { ...forge.running.services, print, clock: IMPATIENT };
  const isAll = await importSite(tools, { from, as: 'root', token, people: null, ...options });
  return [isAll, ...lines].join('\n');
}

test('an import of a whole server takes users, organizations, teams, repositories and issues, once', async (t) => {
  const { source } = await startSite(t);
  const forge = await startForge(t, ALLOWED);

  const report = await runImport(forge, source.url, source.root.token, { samePeople: true });

  const lines = report.split('\n');
  assert.deepEqual(lines.slice(0, 1), ['true'], report);
  assert.deepEqual(lines.slice(1, -1).toSorted(), [
    'ada/engine: imported',
    'cid/parts: imported',
    'guild/loom: imported',
  ]);
  assert.equal(lines.at(-1), 'imported 3 repositories, 2 users, 1 organization and 1 team');
  const { root } = forge;
  const ada = (await root.get('/api/v1/users/ada')).body;
  assert.deepEqual([ada.full_name, ada.email, ada.is_admin], ['Ada L.', 'ada@example.org', false]);
  const guild = (await root.get('/api/v1/orgs/guild')).body;
  assert.deepEqual([guild.description, guild.visibility], ['Weavers', 'limited']);
  const teams = (await root.get('/api/v1/orgs/guild/teams')).body as Wire[];
  const fixers = teams.find(({ name }) => name === 'Fixers');
  const there = (await source.root.get('/api/v1/orgs/guild/teams')).body as Wire[];
  const { id: _, organization: __, ...same } = there.find(({ name }) => name === 'Fixers');
  const { id: ___, organization: ____, ...fixersHere } = fixers;
  assert.deepEqual(fixersHere, same);
  const names = async (path: string, field: string) =>
    ((await root.get(path)).body as Wire[]).map((each) => each[field]).toSorted();
  assert.deepEqual(await names(`/api/v1/teams/${fixers.id}/members`, 'login'), ['cid']);
  assert.deepEqual(await names(`/api/v1/teams/${fixers.id}/repos`, 'full_name'), ['guild/loom']);
  const owners = teams.find(({ name }) => name === 'Owners');
  assert.deepEqual(await names(`/api/v1/teams/${owners.id}/members`, 'login'), ['ada', 'root']);
  const loom = (await root.get('/api/v1/repos/guild/loom')).body;
  assert.deepEqual([loom.private, loom.open_issues_count, loom.empty], [true, 1, false]);
  const files = '/api/v1/repos/guild/loom';
  assert.match((await root.get(`${files}/raw/large.bin`)).text, /^version https:\/\/git-lfs/);
  assert.equal((await root.get(`${files}/media/large.bin`)).text, LARGE);
  assert.equal((await root.get('/api/v1/repos/ada/engine')).body.archived, true);
  assert.equal((await root.get('/api/v1/repos/cid/parts')).body.template, true);
  const [issue] = (await root.get('/api/v1/repos/guild/loom/issues')).body as Wire[];
  assert.deepEqual(
    [issue.user.login, issue.original_author, issue.assignees.map(({ login }: Wire) => login)],
    ['cid', '', ['cid']],
    'the operator says who is who',
  );

  const again = await runImport(forge, source.url, source.root.token, { samePeople: true });
  assert.match(
    again,
    /^true\n(\S+: there already\n){3}imported 0 repositories, 0 users, 0 organizations and 0 teams\n/,
  );
});

test('an import of one organization takes what the token shows, and maps only people whom the operator names', async (t) => {
  const { source, ada } = await startSite(t);
  const forge = await startForge(t, ALLOWED);
  const [carol, sameName] = [await forge.account('carol'), await forge.account('ada')];

  const report = await runImport(forge, source.url, ada.token, {
    owner: ['guild'],
    people: '# names\nCid carol\n',
  });

  assert.match(
    report,
    /^false\nguild\/loom: imported\nimported 1 repository, 0 users, 1 organization and 1 team\n/,
  );
  assert.match(report, /team guild\/Owners: members who are no users here: 1/);
  const [issue] = (await carol.get('/api/v1/repos/guild/loom/issues')).body as Wire[];
  assert.deepEqual([issue.user.login, issue.assignee.login], ['carol', 'carol']);
  assert.equal((await sameName.get('/api/v1/repos/guild/loom')).status, 404, 'the same name gives nothing');
  await assert.rejects(
    runImport(forge, source.url, ada.token, { owner: ['guild'], people: 'cid missing' }),
    /missing, which is not a user/,
  );
  await assert.rejects(runImport(forge, source.url, ada.token, { as: 'carol' }), /not a site administrator/);

  const moved = await runImport(forge, source.url, ada.token, { owner: ['ada'], to: 'carol' });
  assert.match(moved, /carol\/engine: imported/);
  const absent = await runImport(forge, source.url, ada.token, { owner: ['cid', '../x', '..'] });
  assert.match(absent, /repositories of cid: there is no account cid here/);
  assert.match(absent, /(an owner whose name no address can have: \S+\s*){2}/);
  await sameName.repository('engine');
  const taken = await runImport(forge, source.url, ada.token, { owner: ['ada'] });
  assert.match(taken, /repository ada\/engine: another repository has this name here, which stays/);
});

test('an import of a whole server gives nothing to accounts that only have the same names', async (t) => {
  const { source } = await startSite(t);
  const forge = await startForge(t, ALLOWED);
  const [ada, dora] = [await forge.account('ada'), await forge.account('dora')];
  await dora.post('/api/v1/orgs', { username: 'guild' });

  const report = await runImport(forge, source.url, source.root.token, { people: 'ada dora\n' });

  assert.match(report, /^false\n/);
  assert.match(
    report,
    /\n {2}guild: this name is taken here: if it is the same account, add it with --owner$/,
  );
  assert.deepEqual(
    (await forge.root.get('/api/v1/repos/search?q=')).body.data
      .map(({ full_name }: Wire) => full_name)
      .sort(),
    ['cid/parts', 'dora/engine'],
  );
  assert.deepEqual((await forge.root.get('/api/v1/orgs/guild/teams')).body.length, 1);
  assert.equal((await forge.root.get('/api/v1/orgs/guild/members/ada')).status, 404);
  const named = await runImport(forge, source.url, source.root.token, { owner: ['ada', 'guild'] });
  assert.match(named, /ada\/engine: imported\nguild\/loom: imported\n/, 'the operator names them');
  assert.equal((await ada.get('/api/v1/repos/ada/engine')).status, 200);
});

test('an import whose server fails in the middle reports it, and goes on the next time', async (t) => {
  const { source, ada } = await startSite(t);
  await ada.repository('second', { auto_init: true });
  await open(ada, 'One', {}, '/api/v1/repos/ada/second/issues');
  const forge = await startForge(t, ALLOWED);
  await forge.account('ada');
  let broken = '/api/v1/repos/ada/second/issues';
  let brokenAnswers = Number.POSITIVE_INFINITY;
  let isAway = false;
  const url = await startInBetween(t, source, (request, response) => {
    if (isAway) request.socket.destroy();
    if (isAway) return true;
    if (broken === '' || request.url?.startsWith(broken) !== true || brokenAnswers === 0) return false;
    brokenAnswers -= 1;
    response.writeHead(502).end();
    return true;
  });

  const failed = await runImport(forge, url, ada.token, { owner: ['ada'] });
  assert.match(
    failed,
    /repository ada\/second: the source cannot be copied: the source answers with status 502/,
  );
  assert.equal((await forge.root.get('/api/v1/repos/ada/second')).status, 404, 'nothing half made');
  isAway = true;
  const away = await runImport(forge, url, ada.token, { owner: ['ada', 'guild'] });
  assert.match(away, /the rest of ada: the server ended the connection$/, 'the report comes in any case');
  isAway = false;
  broken = '/api/v1/orgs/guild/teams';
  const teamless = await runImport(forge, url, ada.token, { owner: ['guild', 'cid'] });
  assert.match(
    teamless,
    /guild\/loom: imported[\s\S]*the rest of guild: .* status 502 for teams\n.*no account cid here/,
  );
  broken = '';
  const whole = await runImport(forge, url, ada.token, { owner: ['ada'] });
  assert.match(whole, /^true\n/);
  assert.match(whole, /imported 1 repository, .*\nthere already: 1 repository$/);
  const second = '/api/v1/repos/ada/second';
  assert.equal((await forge.root.get(second)).body.open_issues_count, 1);

  assert.equal((await forge.root.delete(second)).status, 204);
  broken = '/api/v1/repos/ada/second/issues';
  brokenAnswers = MIRROR_LIMITS.migrationAttemptsMax - 1;
  const patient = await runImport(forge, url, ada.token, { owner: ['ada'] });
  assert.match(patient, /^true\n[\s\S]*ada\/second: imported\n/, 'it tries a repository again');
  assert.equal(brokenAnswers, 0);
});

test('the command imports beside a running server with a token from a file, and shows it nowhere', async (t) => {
  const { source, ada } = await startSite(t);
  const forge = await startForge(t, ALLOWED);
  await forge.account('ada');
  const folder = await temporaryFolder(t);
  const file = join(folder, 'token.txt');
  await writeFile(file, `${ada.token}\n`);
  const quire = async (words: readonly string[], environment: Record<string, string> = {}) => {
    const all = [PROGRAM, 'import', ...words, ...forge.flags, '--outbound-allow', '127.0.0.1'];
    const command = run(t, process.execPath, all, { environment });
    const { code } = await command.ended();
    assert.ok(!command.output().includes(ada.token));
    return { code, output: command.output() };
  };
  const from = ['--from', source.url, '--as', 'root', '--token-file', file];

  const killed = await quire([...from, '--owner', 'ada'], { QUIRE_FAULT: 'before-commit' });
  assert.equal(killed.code, null, killed.output);
  const done = await quire([...from, '--owner', 'ada']);
  assert.equal(done.code, 0, done.output);
  assert.match(done.output, /ada\/engine: imported\nimported 1 repository/);
  const clone = await temporaryFolder(t);
  await git(clone, ['clone', '-q', forge.root.remote('ada/engine'), '.']);
  const silent = await quire(['--from', source.url, '--as', 'root', '--all']);
  assert.match(silent.output, /give the token with --token-file, in QUIRE_IMPORT_TOKEN or on standard input/);
  const unclear = await quire([...from, '--owner', 'ada', '--all']);
  assert.match(unclear.output, /either --owner with names, or --all/);
  const wrong = await quire(['--from', source.url, '--as', 'root', '--all'], { QUIRE_IMPORT_TOKEN: 'wrong' });
  assert.deepEqual(
    [wrong.code, /give credentials that may read its/.test(wrong.output)],
    [1, true],
    wrong.output,
  );
});

test('the command waits for a source that is busy, and then goes on', async (t) => {
  const { source, ada } = await startSite(t);
  const forge = await startForge(t, ALLOWED);
  await forge.account('ada');
  let isBusy = true;
  const url = await startInBetween(t, source, (request, response) => {
    if (!isBusy || request.url?.startsWith('/ada/engine.git/') !== true) return false;
    isBusy = false;
    response.writeHead(503).end();
    return true;
  });
  const words = ['--from', url, '--as', 'root', '--owner', 'ada', '--outbound-allow', '127.0.0.1'];
  const environment = { QUIRE_IMPORT_TOKEN: ada.token };

  const command = run(t, process.execPath, [PROGRAM, 'import', ...words, ...forge.flags], { environment });

  assert.equal((await command.ended()).code, 0, command.output());
  assert.match(command.output(), /ada\/engine: imported\nimported 1 repository/);
});

test('an import takes pull requests, whose people the operator names, and counts the open ones that it leaves', async (t) => {
  const { source, ada } = await startSite(t);
  const loom = '/api/v1/repos/guild/loom';
  for (const branch of ['warp', 'weft', 'comb']) {
    await commitFile(ada, `${branch}.txt`, 'thread\n', { repository: loom, branch, from: 'main' });
    const opened = await ada.post(`${loom}/pulls`, { title: branch, base: 'main', head: branch });
    assert.equal(opened.status, 201, opened.text);
  }
  assert.equal((await ada.post(`${loom}/pulls/2/merge`, { Do: 'merge' })).status, 200);
  const review = { official: true, comments_count: 0, submitted_at: '2024-01-02T03:04:05Z' };
  const reviews = [
    { ...review, id: 1, user: { id: 1, login: 'Cid' }, state: 'APPROVED', body: 'Fine' },
    { ...review, id: 2, user: { id: 2, login: 'ada' }, state: 'REQUEST_REVIEW' },
    { ...review, id: 3, user: { id: 3, login: 'eve' }, state: 'REQUEST_REVIEW' },
  ];
  let hidesPull = false;
  const url = await startInBetween(t, source, (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '', source.url);
    if (pathname.endsWith('/loom/pulls') && hidesPull) {
      response.writeHead(200, { 'x-total-count': '0' }).end('[]');
      return true;
    }
    const [, number] = /\/loom\/pulls\/(\d+)\/reviews$/.exec(pathname) ?? [];
    if (number === undefined) return false;
    response.end(JSON.stringify(number === '3' && searchParams.get('page') === '1' ? reviews : []));
    return true;
  });
  const forge = await startForge(t, ALLOWED);
  const [here, carol] = [await forge.account('ada'), await forge.account('carol')];

  const taking = () => runImport(forge, url, ada.token, { owner: ['guild'], people: 'cid carol\nada ada\n' });
  const report = await taking();

  assert.match(
    report,
    /^false\nguild\/loom: imported\n.*\nnot taken:\n {2}[^\n]*: requests for reviews by users without an account here: 1$/,
  );
  const pulls = (await here.get(`${loom}/pulls?state=all`)).body as Wire[];
  assert.deepEqual(
    pulls.map(({ number, user, merged_by }) => [number, user.login, merged_by?.login ?? null]),
    [
      [4, 'ada', null],
      [3, 'ada', null],
      [2, 'ada', 'ada'],
    ],
  );
  const rows = await forge.forge.running.engines.database.reader
    .selectFrom('pull_reviews')
    .innerJoin('accounts', 'accounts.id', 'account_id')
    .select(['accounts.name', 'state', 'is_official'])
    .orderBy('state')
    .execute();
  assert.deepEqual(
    rows.map(({ name, state, is_official }) => [name, state, is_official]),
    [
      [carol.name, 'approved', 1],
      ['ada', 'requested', 1],
    ],
  );

  assert.equal((await forge.root.delete(loom)).status, 204);
  hidesPull = true;
  assert.match(await taking(), /\n {2}repository guild\/loom: open pull requests: 2$/);
});

test('an import takes forks and repositories with an external tracker with their pull requests', async (t) => {
  const { source, ada } = await startSite(t);
  const loom = '/api/v1/repos/guild/loom';
  assert.equal((await ada.post(`${loom}/forks`, { name: 'spare' })).status, 202);
  const repositories = ['spare', 'elsewhere', 'bare'];
  await ada.repository('elsewhere', { auto_init: true });
  await ada.repository('bare', { auto_init: true });
  for (const name of repositories) {
    const at = `/api/v1/repos/ada/${name}`;
    await commitFile(ada, 'comb.txt', 'thread\n', { repository: at, branch: 'comb', from: 'main' });
    const opened = await ada.post(`${at}/pulls`, { title: 'comb', base: 'main', head: 'comb' });
    assert.equal(opened.status, 201, opened.text);
  }
  const external = {
    external_tracker_url: 'https://tracker.example.org',
    external_tracker_format: 'https://tracker.example.org/{index}',
    external_tracker_style: 'numeric',
  };
  for (const [name, change] of [
    ['elsewhere', { has_issues: true, external_tracker: external }],
    ['bare', { has_issues: true, external_tracker: external, has_pull_requests: false }],
  ] as const) {
    const changed = await ada.patch(`/api/v1/repos/ada/${name}`, change);
    assert.equal(changed.status, 200, changed.text);
  }
  assert.equal((await ada.get('/api/v1/repos/ada/spare')).body.has_issues, false);
  const forge = await startForge(t, ALLOWED);
  const here = await forge.account('ada');

  const report = await runImport(forge, source.url, ada.token, { owner: ['ada'], people: 'ada ada\n' });

  assert.match(report, /^true\n(ada\/\S+: imported\n){4}imported 4 repositories, [^\n]*$/);
  for (const [name, count] of [
    ['spare', 1],
    ['elsewhere', 1],
    ['bare', 0],
  ] as const) {
    const pulls = (await here.get(`/api/v1/repos/ada/${name}/pulls`)).body as Wire[];
    assert.equal(pulls.length, count, name);
  }
});
