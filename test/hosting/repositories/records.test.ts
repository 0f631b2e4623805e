import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { git, temporaryFolder } from '../../support/git/git.ts';

const NEVER_FILLED = '0001-01-01T00:00:00Z';
const UNSET = '1970-01-01T00:00:00Z';

/** Fields that every new repository of Ada has. */
const NEW_RECORD = {
  name: 'Engine',
  full_name: 'Ada/Engine',
  description: 'Notes on the engine',
  empty: true,
  private: false,
  fork: false,
  template: false,
  parent: null,
  mirror: false,
  size: 0,
  language: '',
  link: '',
  ssh_url: '',
  original_url: '',
  website: '',
  stars_count: 0,
  forks_count: 0,
  watchers_count: 1,
  open_issues_count: 0,
  open_pr_counter: 0,
  release_counter: 0,
  default_branch: 'main',
  archived: false,
  archived_at: UNSET,
  permissions: { admin: true, push: true, pull: true },
  has_issues: true,
  internal_tracker: {
    enable_time_tracker: true,
    allow_only_contributors_to_track_time: true,
    enable_issue_dependencies: true,
  },
  has_wiki: true,
  has_wiki_contents: false,
  wiki_branch: 'main',
  wiki_ssh_url: '',
  globally_editable_wiki: false,
  has_pull_requests: true,
  has_projects: true,
  has_releases: true,
  has_packages: false,
  has_actions: false,
  ignore_whitespace_conflicts: false,
  allow_merge_commits: true,
  allow_rebase: true,
  allow_rebase_explicit: true,
  allow_squash_merge: true,
  allow_fast_forward_only_merge: true,
  allow_rebase_update: true,
  default_delete_branch_after_merge: false,
  default_merge_style: 'merge',
  default_update_style: 'merge',
  default_allow_maintainer_edit: false,
  avatar_url: '',
  internal: false,
  mirror_interval: '',
  mirror_updated: NEVER_FILLED,
  object_format_name: 'sha1',
  repo_transfer: null,
  topics: [],
};

/** Record of a new repository `Ada/Engine` for its owner, without the id, the times and the owner. */
function newRecord(forgeUrl: string): object {
  const url = `${forgeUrl}/api/v1/repos/Ada/Engine`;
  return {
    ...NEW_RECORD,
    languages_url: `${url}/languages`,
    html_url: `${forgeUrl}/Ada/Engine`,
    url,
    clone_url: `${forgeUrl}/Ada/Engine.git`,
    wiki_clone_url: `${forgeUrl}/Ada/Engine.wiki.git`,
  };
}

const ENGINE = { name: 'Engine', description: 'Notes on the engine' };

test('creating a repository returns its whole record', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('Ada');
  const before = Math.floor(Date.now() / 1000) * 1000;

  const created = await ada.post('/api/v1/user/repos', ENGINE);

  assert.equal(created.status, 201);
  assert.equal(created.headers.get('content-type'), 'application/json;charset=utf-8');
  const { id, created_at: createdAt, updated_at: updatedAt, owner, ...rest } = created.body;
  assert.ok(Number.isSafeInteger(id) && id > 0);
  for (const time of [createdAt, updatedAt]) {
    assert.match(time, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now());
  }
  const seenByOthers = (await forge.get('/api/v1/users/ada')).body;
  assert.deepEqual(owner, { ...seenByOthers, email: 'ada@example.org' });
  assert.deepEqual(rest, newRecord(forge.url));
});

test('reading a repository returns the same record, with the permissions of the caller', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('Ada');
  const created = (await ada.post('/api/v1/user/repos', ENGINE)).body;

  const read = await ada.get('/api/v1/repos/Ada/Engine');
  const byAnyone = await forge.get('/api/v1/repos/Ada/Engine');

  assert.deepEqual([read.status, read.body], [200, created]);
  assert.deepEqual(byAnyone.body, {
    ...created,
    owner: (await forge.get('/api/v1/users/ada')).body,
    permissions: { admin: false, push: false, pull: true },
  });
});

test('a new repository keeps its options', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  const created = await ada.repository('engine', {
    description: 'é <b>&</b>',
    private: true,
    template: true,
    auto_init: true,
    readme: 'Default',
    gitignores: '',
    license: '',
    issue_labels: '',
    default_branch: 'trunk/next',
    trust_model: 'Committer',
    object_format_name: 'sha256',
  });

  const { description, private: isPrivate, template, empty, default_branch, object_format_name } = created;
  assert.deepEqual(
    { description, isPrivate, template, empty, default_branch, object_format_name },
    {
      description: 'é <b>&</b>',
      isPrivate: true,
      template: true,
      empty: false,
      default_branch: 'trunk/next',
      object_format_name: 'sha256',
    },
  );
});

test('empty and null options count as absent', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');

  const created = await ada.repository('engine', {
    description: null,
    private: null,
    default_branch: '',
    object_format_name: '',
    trust_model: 'an unknown model',
    gitignores: 'Go',
    license: 'MIT',
    readme: 'Elaborate',
    unknown_option: { of: ['any', 'kind'] },
  });

  assert.deepEqual(
    [created.description, created.private, created.default_branch, created.object_format_name, created.empty],
    ['', false, 'main', 'sha1', true],
  );
});

for (const format of ['sha1', 'sha256'] as const) {
  test(`a ${format} repository that starts with a README can be cloned`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada', { full_name: 'Ada Lovelace' });
    await ada.repository('engine', {
      auto_init: true,
      description: 'What it does',
      object_format_name: format,
      default_branch: 'trunk',
    });
    const folder = await temporaryFolder(t);

    await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);

    assert.equal(await git(folder, ['rev-parse', '--abbrev-ref', 'HEAD']), 'trunk');
    assert.equal(await git(folder, ['rev-parse', '--show-object-format']), format);
    assert.equal(await git(folder, ['show', 'HEAD:README.md']), '# engine\n\nWhat it does');
    const person = 'Ada Lovelace <ada@example.org>';
    assert.equal(
      await git(folder, ['log', '--format=%an <%ae>|%cn <%ce>|%P|%B']),
      `${person}|${person}||Initial commit\n`,
    );
    assert.equal(await git(folder, ['fsck', '--strict']), '');
  });
}

test('an invalid creation is rejected and creates nothing', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const long = (length: number) => 'x'.repeat(length);
  const refusals: [body: unknown, status: number, message: string | RegExp][] = [
    [{}, 422, '[Name]: Required'],
    [{ name: null }, 422, '[Name]: Required'],
    [{ name: '' }, 422, '[Name]: Required'],
    [{ name: long(101) }, 422, '[Name]: MaxSize(100)'],
    [{ name: 'ok', description: long(2049) }, 422, /^\[Description\]: /],
    [{ name: 'ok', description: 'a\0b' }, 422, /^\[Description\]: /],
    [{ name: 'ok', description: 'a\ud800b' }, 422, /^\[Description\]: /],
    [{ name: 'ok', default_branch: long(101) }, 422, '[DefaultBranch]: MaxSize(100)'],
    [{ name: 'ok', default_branch: 'a..b' }, 422, /^\[DefaultBranch\]: /],
    [{ name: 'ok', default_branch: '-x' }, 422, /^\[DefaultBranch\]: /],
    [{ name: 'ok', default_branch: 'HEAD' }, 422, /^\[DefaultBranch\]: /],
    [{ name: 'ok', object_format_name: 'md5' }, 422, '[ObjectFormatName]: In(sha1,sha256)'],
    [{ name: 'ok', issue_labels: 'Nice' }, 422, 'unknown label set: Nice'],
    [{ name: 'ok', auto_init: true, gitignores: 'Fortran4' }, 422, 'unknown gitignore template: Fortran4'],
    [{ name: 'ok', auto_init: true, license: 'Mine' }, 422, 'unknown license: Mine'],
    [{ name: 'ok', auto_init: true, readme: 'Elaborate' }, 400, /^unknown readme: Elaborate/],
  ];
  for (const [body, status, message] of refusals) {
    const answer = await ada.post('/api/v1/user/repos', body);

    const about = JSON.stringify(body).slice(0, 80);
    assert.equal(answer.status, status, about);
    if (typeof message === 'string') assert.equal(answer.body.message, message, about);
    else assert.match(answer.body.message, message, about);
    assert.equal(answer.body.url, `${forge.url}/api/swagger`);
  }
  assert.equal((await ada.get('/api/v1/user/repos')).headers.get('x-total-count'), '0');
});

test('an anonymous caller creates no repository', async (t) => {
  const forge = await startForge(t);

  const answer = await forge.send('POST', '/api/v1/user/repos', { json: { name: 'engine' } });

  assert.equal(answer.status, 401);
  assert.deepEqual(answer.body, { message: 'token is required', url: `${forge.url}/api/swagger` });
});

test('a repository name consists of letters, digits, dots, dashes and underscores, and is not reserved', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const good = ['a', '0', 'A.b-c_d', '_', '...', '-x', '.config', 'x'.repeat(100), 'git', 'wiki.git.x'];
  const bad: [name: string, message: string][] = [
    ['.', 'name is reserved [name: .]'],
    ['..', 'name is reserved [name: ..]'],
    ['-', 'name is reserved [name: -]'],
    ['x.git', 'name pattern is not allowed [pattern: *.git]'],
    ['x.GIT', 'name pattern is not allowed [pattern: *.git]'],
    ['.git', 'name pattern is not allowed [pattern: *.git]'],
    ['x.wiki', 'name pattern is not allowed [pattern: *.wiki]'],
    ['x.RSS', 'name pattern is not allowed [pattern: *.rss]'],
    ['x.atom', 'name pattern is not allowed [pattern: *.atom]'],
    ...['a b', 'a/b', 'a\\b', 'é', 'ａ', 'a\n', '\0', 'a%2fb', 'a:b', '<b>', 'a\u200d'].map(
      (name): [string, string] => [name, '[Name]: AlphaDashDot'],
    ),
  ];
  for (const name of good) {
    assert.equal((await ada.post('/api/v1/user/repos', { name })).status, 201, name);
    assert.equal((await ada.get(`/api/v1/repos/ada/${encodeURIComponent(name)}`)).status, 200, name);
  }
  for (const [name, message] of bad) {
    const answer = await ada.post('/api/v1/user/repos', { name });
    assert.deepEqual([answer.status, answer.body.message], [422, message], JSON.stringify(name));
  }
});

test('names match in any case, and responses show the original spelling', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('AdA');
  await ada.repository('EnGine');

  const read = await forge.get('/api/v1/repos/aDa/eNGINE');
  const again = await ada.post('/api/v1/user/repos', { name: 'engine' });

  assert.equal(read.status, 200);
  assert.equal(read.body.full_name, 'AdA/EnGine');
  assert.equal(read.body.url, `${forge.url}/api/v1/repos/AdA/EnGine`);
  assert.equal(again.status, 409);
  assert.deepEqual(again.body, {
    message: 'The repository with the same name already exists.',
    url: `${forge.url}/api/swagger`,
  });
});

test('two owners can use the same repository name', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];

  const first = await ada.repository('engine');
  const second = await ben.repository('engine');

  assert.notEqual(first.id, second.id);
  assert.equal(second.full_name, 'ben/engine');
});

test('errors, 404: a missing and a hidden repository return the same response', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  await ada.repository('secret', { private: true });

  const missing = await ben.get('/api/v1/repos/ada/missing');
  const hidden = await ben.get('/api/v1/repos/ada/secret');
  const hiddenFromAll = await forge.get('/api/v1/repos/ada/secret');

  assert.equal(missing.status, 404);
  assert.deepEqual(missing.body, {
    errors: [],
    message: "The target couldn't be found.",
    url: `${forge.url}/api/swagger`,
  });
  for (const answer of [hidden, hiddenFromAll]) {
    assert.equal(answer.status, 404);
    assert.equal(answer.text, missing.text);
  }
});

test('a deletion removes the repository and frees its name at once', async (t) => {
  const forge = await startForge(t);
  const [ada, ben] = [await forge.account('ada'), await forge.account('ben')];
  const first = await ada.repository('engine', { auto_init: true });
  await ada.put('/api/v1/repos/ada/engine/collaborators/ben', { permission: 'admin' });

  const deleted = await ada.delete('/api/v1/repos/ada/engine');
  const answer = await ada.get('/api/v1/repos/ada/engine');
  const file = await ada.get('/api/v1/repos/ada/engine/raw/README.md');
  const again = await ada.delete('/api/v1/repos/ada/engine');
  const second = await ada.repository('engine', { private: true });

  assert.equal(deleted.status, 204);
  assert.equal(deleted.text, '');
  assert.deepEqual([answer.status, file.status, again.status], [404, 404, 404]);
  assert.notEqual(second.id, first.id);
  assert.equal(second.empty, true);
  assert.deepEqual((await ada.get('/api/v1/repos/ada/engine/contents')).body, []);
  assert.equal(
    (await ben.get('/api/v1/repos/ada/engine')).status,
    404,
    'its collaborators are deleted with it',
  );
});

for (const autoInit of [false, true]) {
  const how = autoInit ? 'with a first commit' : 'empty';
  test(`of two concurrent creations of a repository ${how}, one succeeds and the other leaves no trace`, async (t) => {
    const forge = await startForge(t);
    const ada = await forge.account('ada');
    const make = () => ada.post('/api/v1/user/repos', { name: 'engine', auto_init: autoInit });

    const answers = await Promise.all([make(), make(), make(), make()]);

    assert.deepEqual(answers.map((answer) => answer.status).sort(), [201, 409, 409, 409]);
    const { engines } = forge.forge.running;
    const created = answers.find((answer) => answer.status === 201);
    assert.deepEqual(await engines.git.refs.list(), [created?.body.id]);
    const intents = await engines.database.reader.selectFrom('repository_intents').selectAll().execute();
    assert.deepEqual(intents, []);
    assert.equal((await ada.get('/api/v1/user/repos')).body.length, 1);
  });
}
