import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, giteaApi } from 'gitea-js';
import { startForge, type TestForge } from '../support/forge/forge.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

function withToken(forge: TestForge, token: string): Api<unknown> {
  return giteaApi(forge.url, { token });
}

function withPassword(forge: TestForge, name: string, password: string): Api<unknown> {
  const authorization = `Basic ${base64(`${name}:${password}`)}`;
  const baseUrl = `${forge.url}/api/v1`;
  return new Api({ baseUrl, baseApiParams: { headers: { authorization }, format: 'json' } });
}

/** The published client rejects with the response if the status is an error. */
async function refusal(work: Promise<unknown>): Promise<{ status: number; message: unknown }> {
  const thrown = await work.then(
    () => assert.fail('this should be refused'),
    (error: unknown) => error as { status: number; error?: { message?: unknown } },
  );
  return { status: thrown.status, message: thrown.error?.message };
}

test('gitea-js signs in with a password, creates a token and uses it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const byPassword = withPassword(forge, 'ada', ada.password);
  const scopes = ['write:repository', 'write:user'];
  const { data: made } = await byPassword.users.userCreateToken('ada', { name: 'sdk', scopes });
  assert.equal(typeof made.id, 'number');
  assert.match(made.sha1 ?? '', /^quirep_[0-9A-Za-z]{33}$/);
  assert.deepEqual(made.scopes, scopes);

  const api = withToken(forge, made.sha1 ?? '');
  const { data: me } = await api.user.userGetCurrent();
  assert.deepEqual([me.login, typeof me.id, me.is_admin], ['ada', 'number', false]);
  const { data: tokens } = await byPassword.users.userGetTokens('ada');
  assert.ok(tokens.some(({ name, sha1 }) => name === 'sdk' && sha1 === ''));
  await byPassword.users.userDeleteAccessToken('ada', 'sdk');
  assert.equal((await refusal(api.user.userGetCurrent())).status, 401);
});

test('gitea-js creates a repository, finds it and deletes it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const api = withToken(forge, ada.token);
  const { data: made, status } = await api.user.createCurrentUserRepo({
    name: 'engine',
    description: 'Notes on the engine',
    private: true,
    auto_init: true,
    default_branch: 'trunk',
  });
  assert.equal(status, 201);
  assert.deepEqual(
    [made.full_name, made.default_branch, made.private, made.empty, made.owner?.login],
    ['ada/engine', 'trunk', true, false, 'ada'],
  );
  assert.deepEqual(made.permissions, { admin: true, push: true, pull: true });
  for (const address of [made.clone_url, made.html_url, made.url]) assert.ok(URL.canParse(address ?? ''));
  assert.ok(!Number.isNaN(Date.parse(made.created_at ?? '')));

  const { data: found } = await api.repos.repoGet('ada', 'engine');
  assert.deepEqual([found.id, found.full_name], [made.id, made.full_name]);
  const { data: listed } = await api.user.userCurrentListRepos({ page: 1, limit: 10 });
  assert.deepEqual(
    listed.map((repository) => repository.full_name),
    ['ada/engine'],
  );
  assert.deepEqual(await refusal(api.user.createCurrentUserRepo({ name: 'engine' })), {
    status: 409,
    message: 'The repository with the same name already exists.',
  });
  await api.repos.repoDelete('ada', 'engine');
  assert.equal((await refusal(api.repos.repoGet('ada', 'engine'))).status, 404);
});

test('gitea-js creates a file, reads it back, changes and deletes it', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { repos } = withToken(forge, ada.token);
  const path = 'docs/größe & plan.md';
  const encoded = encodeURIComponent(path);
  const { data: created } = await repos.repoCreateFile('ada', 'engine', encoded, {
    content: base64('# Plan\n'),
    message: 'Plan',
    author: { name: 'Charles', email: 'charles@example.org' },
  });
  assert.equal(created.content?.path, path);
  assert.deepEqual([created.commit?.author?.name, created.commit?.message], ['Charles', 'Plan\n']);
  assert.match(created.commit?.sha ?? '', /^[0-9a-f]{40}$/);
  assert.equal(created.verification?.verified, false);

  const { data: read } = await repos.repoGetContents('ada', 'engine', encoded);
  assert.deepEqual(
    [read.type, read.encoding, read.content, read.size],
    ['file', 'base64', base64('# Plan\n'), 7],
  );
  const { data: listed } = await repos.repoGetContentsList('ada', 'engine');
  const entries = [listed].flat().map(({ name, type }) => `${name} ${type}`);
  assert.deepEqual(entries.sort(), ['README.md file', 'docs dir']);

  const { data: updated } = await repos.repoUpdateFile('ada', 'engine', encoded, {
    content: base64('# Plan 2\n'),
    sha: read.sha ?? '',
    branch: 'main',
    new_branch: 'draft',
  });
  const raw = await repos.repoGetRawFile('ada', 'engine', encoded, { ref: 'draft' }, { format: 'text' });
  assert.equal(raw.data, '# Plan 2\n');
  const sha = updated.content?.sha ?? '';
  const stale = repos.repoUpdateFile('ada', 'engine', encoded, { content: 'eA==', sha, branch: 'main' });
  assert.equal((await refusal(stale)).status, 422);

  const { data: deleted } = await repos.repoDeleteFile('ada', 'engine', encoded, { sha, branch: 'draft' });
  assert.equal(deleted.content, null);
  assert.match(deleted.commit?.sha ?? '', /^[0-9a-f]{40}$/);
  const missing = repos.repoGetContents('ada', 'engine', encoded, { ref: 'draft' });
  assert.deepEqual(await refusal(missing), { status: 404, message: "The target couldn't be found." });
});

test('gitea-js creates files without a sha, reads a large one without content, skips a check and lists a day', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const { repos } = withToken(forge, ada.token);
  const bytes = 10 * 1024 * 1024 + 1;

  const content = Buffer.alloc(bytes, 'x').toString('base64');
  const made = await repos.repoUpdateFile('ada', 'engine', 'large', { content, sha: '' });
  const { data: blob } = await repos.getBlob('ada', 'engine', made.data.content?.sha ?? '');
  const again = repos.repoUpdateFile('ada', 'engine', 'large', { content: '', sha: '' });

  assert.deepEqual([made.status, made.data.content?.size], [201, bytes]);
  assert.deepEqual([made.data.content?.content, made.data.content?.encoding], [null, null]);
  assert.deepEqual([blob.size, blob.content, blob.encoding], [bytes, null, null]);
  assert.equal((await refusal(again)).status, 422);
  const head = made.data.commit?.sha ?? '';
  const state = 'skipped' as 'success';
  assert.equal((await repos.repoCreateStatus('ada', 'engine', head, { state })).data.status, 'skipped');
  const { data: combined } = await repos.repoGetCombinedStatusByRef('ada', 'engine', head);
  assert.deepEqual([combined.state, combined.statuses?.[0]?.status], ['success', 'skipped']);
  const listed = async (query: object) =>
    (await repos.repoGetAllCommits('ada', 'engine', query as { sha?: string })).data.length;
  assert.equal(await listed({ since: '2000-01-01T00:00:00+02:00' }), 2);
  assert.equal(await listed({ until: '2000-01-01T00:00:00+02:00' }), 0);
});

test('gitea-js creates an account as administrator and gives it a level on a repository', async (t) => {
  const forge = await startForge(t);
  const root = withToken(forge, forge.root.token);
  const { data: made } = await root.admin.adminCreateUser({
    username: 'grace',
    email: 'grace@example.org',
    password: 'a long password',
    must_change_password: false,
  });
  assert.deepEqual([made.login, made.email, made.active], ['grace', 'grace@example.org', true]);
  await root.user.createCurrentUserRepo({ name: 'shared', private: true });
  await root.repos.repoAddCollaborator('root', 'shared', 'grace', { permission: 'write' });
  const grace = withPassword(forge, 'grace', 'a long password');
  const { data: shared } = await grace.repos.repoGet('root', 'shared');
  assert.deepEqual(shared.permissions, { admin: false, push: true, pull: true });
  const { data: version } = await grace.version.getVersion();
  assert.equal(typeof version.version, 'string');
});
