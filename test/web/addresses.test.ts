import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { GIF } from '../people/avatars/pictures.ts';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import type { Answer } from '../support/http/http.ts';
import { newOpenPgpPair } from '../support/keys/openpgp.ts';
import { newEd25519 } from '../support/keys/ssh-keys.ts';
import { severalAtOnce } from '../support/several-at-once.ts';
import { until } from '../support/until.ts';
import { attach } from '../tracker/issues/attachments/attachment-files.ts';

interface World {
  readonly forge: TestForge;
  readonly ada: Person;
  /** values of parameters, with the alternatives that a parameter has */
  readonly values: Readonly<Record<string, readonly string[]>>;
}

/** A forge with something of every kind: all kinds of entries, refs, owners, visibilities and relations. */
async function startWorld(t: TestContext): Promise<World> {
  const signingKey = join(await temporaryFolder(t), 'key.pem');
  const { privateKey } = newEd25519();
  await writeFile(signingKey, privateKey.export({ type: 'pkcs8', format: 'pem' }), { mode: 0o600 });
  const forge = await startForge(t, { settings: { repositoryFlags: 'true', signingKey } });
  const ada = await forge.account('ada');
  await forge.account('ben');
  await ada.post('/api/v1/orgs', { username: 'guild' });
  const team = await ada.post('/api/v1/orgs/guild/teams', {
    name: 'readers',
    includes_all_repositories: true,
  });
  await ada.put(`/api/v1/teams/${team.body.id}/members/ben`);
  await ada.put('/api/v1/orgs/guild/public_members/ada');
  const engine = await ada.post('/api/v1/orgs/guild/repos', { name: 'engine', private: true });
  const repository = '/api/v1/repos/guild/engine';
  const shas = await pushFiles(t, ada);
  await ada.put(`${repository}/topics`, { topics: ['weaving'] });
  await forge.root.put(`${repository}/flags/x`);
  await ada.put(`${repository}/collaborators/ben`, { permission: 'read' });
  for (const person of [ada, forge.root]) {
    await person.put('/api/v1/user/starred/guild/engine');
    await person.put(`${repository}/subscription`);
  }
  await forge.root.put('/api/v1/user/following/ada');
  await ada.put('/api/v1/user/following/ben');
  for (const path of ['user', 'orgs/guild', 'repos/guild/engine'])
    await ada.post(`/api/v1/${path}/avatar`, { image: GIF });
  await ada.post(`${repository}/forks`, {});
  await ada.repository('given', { auto_init: true });
  await ada.post('/api/v1/repos/ada/given/transfer', { new_owner: 'ben' });
  await ada.post(`${repository}/statuses/main`, { state: 'success' });
  await ada.post(`${repository}/branch_protections`, { rule_name: 'release/*' });
  const tags = { name_pattern: 'v*', whitelist_usernames: ['ada'] };
  const protection = await ada.post(`${repository}/tag_protections`, tags);
  await ada.post(`${repository}/milestones`, { title: 'Soon' });
  const red = { name: 'red', color: 'f00' };
  const label = await ada.post(`${repository}/labels`, red);
  const shared = await ada.post('/api/v1/orgs/guild/labels', red);
  await ada.post(`${repository}/issues`, { title: 'It rattles', labels: [label.body.id] });
  await ada.put(`${repository}/issues/1/subscriptions/ada`);
  await forge.root.post(`${repository}/issues`, { title: 'It hums' });
  const notified = async () => {
    const { body } = await ada.get('/api/v1/notifications');
    return body.find(({ subject }: { subject: { title: string } }) => subject.title === 'It hums');
  };
  await until(async () => (await notified()) !== undefined);
  const notification = await notified();
  const comment = await ada.post(`${repository}/issues/1/comments`, { body: 'Loudly.' });
  const attachment = await attach(ada, `${repository}/issues/1/assets`);
  await attach(ada, `${repository}/issues/comments/${comment.body.id}/assets`);
  const release = await ada.post(`${repository}/releases`, { tag_name: 'v1' });
  const asset = await ada.send('POST', `${repository}/releases/${release.body.id}/assets?name=a.txt`, {
    body: 'Text',
    headers: { 'content-type': 'text/plain' },
  });
  for (const title of ['It hums', 'It stops']) await ada.post(`${repository}/issues`, { title });
  await ada.post(`${repository}/issues/1/dependencies`, { index: 2 });
  await ada.post(`${repository}/issues/1/blocks`, { index: 3 });
  const merged = await mergePull(ada, repository);
  await forge.root.post(`${repository}/issues/${merged.number}/pin`);
  await ada.post(`${repository}/issues/1/times`, { time: 60 });
  await ada.post(`${repository}/issues/1/stopwatch/start`);
  await ada.post(`${repository}/git/notes/${shas[2]}`, { message: 'Read again' });
  const page = { title: '2-3 threads', content_base64: '' };
  await ada.post(`${repository}/wiki/new`, page);
  // Nothing is sent there.
  const target = { remote_address: 'https://93.184.216.34/loom.git', interval: '0', sync_on_commit: false };
  const pushMirror = await forge.root.post(`${repository}/push_mirrors`, target);
  // The server denies this address.
  await forge.root.post('/api/v1/repos/migrate', { clone_addr: 'http://127.0.0.1/loom', repo_name: 'copy' });
  const [migration] = (await forge.root.get('/api/v1/user/migrations')).body;
  const rules = [{ name: 'git', limit: -1, subjects: ['size:repos:all'] }];
  await forge.root.post('/api/v1/admin/quota/groups', { name: 'small', rules });
  await forge.root.put('/api/v1/admin/quota/groups/small/users/ada');
  const key = await ada.post('/api/v1/user/keys', { key: newEd25519().line, title: 'loom' });
  const deployKey = await ada.post(`${repository}/keys`, { key: newEd25519().line, title: 'build' });
  const [{ email = '' } = {}] = (await forge.root.get('/api/v1/user/emails')).body;
  const { armored } = await newOpenPgpPair({ emails: [email, 'ada@example.org'] });
  const openPgpKey = await forge.root.post('/api/v1/user/gpg_keys', { armored_public_key: armored });
  const hooks = await addHooks(forge, [`${repository}/hooks`, '/api/v1/orgs/guild/hooks']);
  const applications = await addApplications(forge, ['user', 'orgs/guild', 'admin']);
  // Things of different kinds have the same id.
  const ids = [engine, team, protection, key, deployKey, openPgpKey, label, shared, comment].map(({ body }) =>
    String(body.id),
  );
  const values = {
    owner: ['guild', 'ada'],
    repo: ['engine', 'given'],
    org: ['guild'],
    username: ['ada'],
    target: ['ben'],
    collaborator: ['ben'],
    team: ['readers'],
    topic: ['weaving'],
    milestone: ['Soon'],
    quotagroup: ['small'],
    quotarule: ['git'],
    number: ['1', String(merged.number)],
    base: ['main'],
    head: ['topic'],
    attachment_id: [String(attachment.id), String(attachment.id + 1), String(asset.body.id)],
    branch: ['main', 'feature/plan'],
    name: ['Go', 'MIT', 'Default', 'release/*', pushMirror.body.remote_name],
    id: [
      ...new Set([
        ...ids,
        String(notification.id),
        String(migration.id),
        String(release.body.id),
        merged.review,
        ...hooks.ids,
        ...applications,
      ]),
    ],
    delivery: hooks.deliveries,
    comment: [merged.comment],
    filepath: ['docs', 'docs/a plan?.md', 'link', 'library'],
    archive: ['main.zip', 'feature/plan.tar.gz', 'v1.bundle'],
    sha: [...shas, merged.sha],
    pageName: ['2-3 threads.-'],
    diffType: ['diff', 'patch'],
    basehead: ['main...feature/plan', 'v1'],
    tag: ['v1', 'annotated/v2'],
    ref: ['main', 'feature/plan', 'v1', 'heads/main'],
  };
  return { forge, ada, values };
}

/** Adds OAuth2 applications, and returns their ids. */
async function addApplications({ root }: TestForge, owners: readonly string[]): Promise<readonly string[]> {
  const application = { name: 'Builder', redirect_uris: ['https://93.184.216.34/callback'] };
  const ids: string[] = [];
  for (const owner of owners)
    ids.push(String((await root.post(`/api/v1/${owner}/applications/oauth2`, application)).body.id));
  return ids;
}

/** Adds inactive webhooks, and a delivery of each that was never sent. */
async function addHooks({ forge, root }: TestForge, urls: readonly string[]) {
  const config = { url: 'https://93.184.216.34/hook', content_type: 'json' };
  const ids: string[] = [];
  for (const url of [...urls, '/api/v1/user/hooks', '/api/v1/admin/hooks'])
    ids.push(String((await root.post(url, { type: 'gitea', config })).body.id));
  const rows = ids.map((id) => ({
    hook_id: Number(id),
    uuid: id,
    part: 0,
    event: 'push',
    state: 'failed' as const,
    attempts: 0,
    created_at: 0,
    error: '',
  }));
  const inserted = await forge.running.engines.database.transaction((tx) =>
    tx.insertInto('webhook_deliveries').values(rows).returning('id').execute(),
  );
  return { ids, deliveries: inserted.map(({ id }) => String(id)) };
}

/** Pushes all kinds of entries on two branches, and a tag. Returns ids of a blob, a tree and a commit. */
async function pushFiles(t: TestContext, ada: Person): Promise<readonly string[]> {
  const folder = await temporaryFolder(t);
  await git(folder, ['init', '-q', '-b', 'main']);
  await mkdir(join(folder, 'docs'));
  await writeFile(join(folder, 'docs/a plan?.md'), '# Plan\n');
  await symlink('docs', join(folder, 'link'));
  await writeFile(join(folder, '.editorconfig'), '[*]\nindent_size = 2\n');
  await writeFile(
    join(folder, '.gitmodules'),
    '[submodule "library"]\n\tpath = library\n\turl = https://example.org/l\n',
  );
  await git(folder, ['add', '.']);
  await git(folder, ['commit', '-qm', 'Begin']);
  await git(folder, ['update-index', '--add', '--cacheinfo', `160000,${'1'.repeat(40)},library`]);
  await git(folder, ['commit', '-qm', 'Use a library']);
  await git(folder, ['tag', 'v1']);
  await git(folder, ['tag', '-am', 'Two', 'annotated/v2']);
  await git(folder, ['push', '-q', ada.remote('guild/engine'), 'main', 'main:feature/plan', '--tags']);
  return Promise.all(
    ['HEAD:docs/a plan?.md', 'HEAD:docs', 'HEAD', 'annotated/v2'].map((name) =>
      git(folder, ['rev-parse', name]),
    ),
  );
}

/** Merges a pull request that adds one file and deletes another, with a review. */
async function mergePull(ada: Person, repository: string) {
  const content = Buffer.from('valve\n').toString('base64');
  const changes = [
    { operation: 'create', path: 'docs/a valve#.md', content },
    {
      operation: 'delete',
      path: '.editorconfig',
      sha: await shaOf(ada, `${repository}/contents/.editorconfig`),
    },
  ];
  await ada.post(`${repository}/contents`, { files: changes, new_branch: 'topic', message: 'Change files' });
  const opened = await ada.post(`${repository}/pulls`, { title: 'Valves', base: 'main', head: 'topic' });
  const { number } = opened.body;
  const path = `${repository}/pulls/${number}`;
  const comments = [{ path: 'docs/a valve#.md', new_position: 1, body: 'Which one?' }];
  const review = await ada.post(`${path}/reviews`, { event: 'COMMENT', comments });
  const [comment] = (await ada.get(`${path}/reviews/${review.body.id}/comments`)).body;
  await ada.post(`${path}/requested_reviewers`, { reviewers: ['ben'], team_reviewers: ['readers'] });
  const { status, text } = await ada.post(`${path}/merge`, { Do: 'merge' });
  assert.equal(status, 200, text);
  const { merge_commit_sha: sha } = (await ada.get(path)).body;
  return { number, sha, review: String(review.body.id), comment: String(comment.id) };
}

async function shaOf(ada: Person, url: string): Promise<string> {
  return (await ada.get(url)).body.sha;
}

/** Returns every combination of the values of the parameters in `path`. */
function filledPaths(path: string, values: World['values']): string[] {
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (name === undefined) return [path];
  const encode = (value: string) =>
    name === 'filepath' || name === 'archive'
      ? value.split('/').map(encodeURIComponent).join('/')
      : encodeURIComponent(value);
  return (values[name] ?? ['x']).flatMap((value) =>
    filledPaths(path.replace(`{${name}}`, encode(value)), values),
  );
}

/** Queries that change what an operation returns, each for the operations that have its last parameter. */
const QUERIES = ['?limit=1', '?limit=1&page=2', '?ref=v1', '?ref=feature%2Fplan', '?recursive=true'];
/** Parameters without which an operation reads nothing. */
const REQUIRED = new Map([
  [
    '/api/v1/repos/{owner}/{repo}/file-contents',
    `?body=${encodeURIComponent(JSON.stringify({ files: ['docs/a plan?.md'] }))}`,
  ],
  ['/api/v1/user/quota/check', '?subject=size:all'],
  ['/api/v1/orgs/{org}/quota/check', '?subject=size:all'],
  // The id of `# Plan` with a line end.
  ['/api/v1/repos/{owner}/{repo}/git/blobs', '?shas=14fba09b2e543cace2d9b291ea4e9e8a648725fe'],
]);
/** There are none, so these operations return only errors. */
const GIT_HOOKS = '/hooks/git';
/** A user writes these. */
const WRITTEN_BY_USERS = new Set(['website', 'submodule_git_url']);

function* addressesIn(value: unknown, base: string): Generator<string> {
  if (typeof value === 'string' && value.startsWith(base)) yield value;
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value))
    if (!WRITTEN_BY_USERS.has(key)) yield* addressesIn(member, base);
}

function addressesOf(answer: Answer, base: string): string[] {
  const links = (answer.headers.get('link') ?? '').matchAll(/<([^>]+)>/g);
  const location = answer.headers.get('location') ?? '';
  return [
    ...addressesIn(answer.body, base),
    ...[...links].map(([, address = '']) => address),
    ...(location === '' ? [] : [new URL(location, base).href]),
  ];
}

interface Operation {
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
  readonly responses: object;
}

function queriesOf(path: string, { parameters = [] }: Operation): readonly string[] {
  const names = new Set(parameters.filter((each) => each.in === 'query').map(({ name }) => name));
  const required = REQUIRED.get(path);
  return [
    '',
    ...QUERIES.filter((query) => names.has(/(\w+)=[^=]*$/.exec(query)?.[1] ?? '')),
    ...(required === undefined ? [] : [required]),
  ];
}

/** Sends every GET of the description, and returns the addresses in the responses, each with the path of one of them. */
async function walk(person: Person, { forge, values }: World) {
  const { body: document } = await forge.get('/api/v1/openapi.json');
  const addresses = new Map<string, string>();
  const unread: string[] = [];
  const undescribed = new Set<string>();
  for (const [path, { get }] of Object.entries<{ get?: Operation }>(document.paths)) {
    if (get === undefined) continue;
    const statuses = new Set<number>();
    const queries = queriesOf(path, get);
    const requests = filledPaths(path, values).flatMap((filled) =>
      queries.map((query) => ({ filled, query })),
    );
    await severalAtOnce(requests, async ({ filled, query }) => {
      const answer = await person.get(`${filled}${query}`);
      statuses.add(answer.status);
      if (!(`${answer.status}` in get.responses)) undescribed.add(`${path}: ${answer.status}`);
      for (const address of addressesOf(answer, forge.url)) addresses.set(address, filled);
    });
    if (![...statuses].some((status) => status < 300) && !path.includes(GIT_HOOKS)) unread.push(path);
  }
  assert.deepEqual([...undescribed], [], 'statuses that the description lacks');
  return { addresses, unread };
}

test('no response contains an address that is missing for its caller', async (t) => {
  const world = await startWorld(t);
  const { forge, ada } = world;
  const content = Buffer.from('# Notes\n').toString('base64');
  const written = await ada.post('/api/v1/repos/guild/engine/contents/notes.md', { content });
  assert.equal(written.status, 201);

  for (const person of [forge.root, ada]) {
    const { addresses, unread } = await walk(person, world);
    assert.ok(addresses.size > 100, `${addresses.size} addresses`);
    if (person === forge.root) assert.deepEqual(unread, [], 'operations that have returned only errors');
    for (const address of addressesOf(written, forge.url)) addresses.set(address, 'a file that was written');
    const missing: string[] = [];
    await severalAtOnce([...addresses], async ([address, from]) => {
      const { status } = await person.get(address.slice(forge.url.length));
      if (status === 404 || status >= 500) missing.push(`${status} ${address} (${from})`);
    });
    assert.deepEqual(missing, [], person.name);
  }
});
