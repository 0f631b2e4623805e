import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Person, startForge } from '../../support/forge/forge.ts';
import { startGuild } from '../../support/forge/organizations.ts';
import { setRow } from './rows.ts';

// Documented facts about repositories that no other test covers, one test for each.

const REPO = '/api/v1/repos/ada/engine';

// biome-ignore lint/suspicious/noExplicitAny: records of the wire are looked into by name
type Wire = any;

test('endpoints: success responses', async (t) => {
  const { forge, ada } = await startGuild(t);
  const created = await ada.post('/api/v1/user/repos', { name: 'engine' });
  const { id } = created.body;

  await t.test('POST /user/repos: 201 repository', () => {
    assert.deepEqual([created.status, created.body.full_name], [201, 'ada/engine']);
  });
  await t.test('POST /orgs/{org}/repos: 201 repository', async () => {
    const { status, body } = await ada.post('/api/v1/orgs/guild/repos', { name: 'one' });
    assert.deepEqual([status, body.full_name], [201, 'guild/one']);
  });
  await t.test('POST /org/{org}/repos: same as above', async () => {
    const { status, body } = await ada.post('/api/v1/org/guild/repos', { name: 'two' });
    assert.deepEqual([status, body.full_name], [201, 'guild/two']);
  });
  await t.test('GET /repos/{owner}/{repo}: 200 repository', async () => {
    const { status, body } = await ada.get(REPO);
    assert.deepEqual([status, body], [200, created.body]);
  });
  await t.test('GET /repositories/{id}: {id} integer int64, 200 repository', async () => {
    const { status, body } = await ada.get(`/api/v1/repositories/${id}`);
    assert.deepEqual([status, body], [200, created.body]);
    assert.equal((await ada.get('/api/v1/repositories/9223372036854775807')).status, 404);
  });
  await t.test('GET /repos/search: 200 search results', async () => {
    const { status, body } = await ada.get('/api/v1/repos/search?q=engine');
    assert.deepEqual([status, body], [200, { ok: true, data: [created.body] }]);
  });
  await t.test('PATCH /repos/{owner}/{repo}: 200 repository', async () => {
    const { status, body } = await ada.patch(REPO, { description: 'new' });
    assert.deepEqual([status, body], [200, (await ada.get(REPO)).body]);
    assert.equal(body.description, 'new');
  });
  await t.test('DELETE /repos/{owner}/{repo}: 204 empty', async () => {
    const { status, text } = await ada.delete(REPO);
    assert.deepEqual([status, text], [204, '']);
    assert.equal((await forge.root.get(REPO)).status, 404);
  });
});

test('the permissions in a record are those of the caller', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const levels = [
    ['read', { admin: false, push: false, pull: true }],
    ['write', { admin: false, push: true, pull: true }],
    ['admin', { admin: true, push: true, pull: true }],
  ] as const;
  for (const [permission, permissions] of levels) {
    const ben = await forge.account(`ben-${permission}`);
    await ada.put(`${REPO}/collaborators/${ben.name}`, { permission });
    for (const path of [REPO, `/api/v1/repositories/${id}`])
      assert.deepEqual((await ben.get(path)).body.permissions, permissions, `${permission}: ${path}`);
    const { data } = (await ben.get('/api/v1/repos/search')).body;
    assert.deepEqual(data[0].permissions, permissions, `${permission}, found`);
  }
});

/** The name of an option, a request body that sets it, and the fields of the record that it changes. */
type Option = readonly [field: string, sent: Record<string, unknown>, changed: Record<string, unknown>];

const CREATE_OPTIONS: readonly Option[] = [
  ['Name', { name: 'motor' }, { name: 'motor', full_name: 'ada/motor' }],
  ['Description', { description: 'What it does' }, { description: 'What it does' }],
  ['Private', { private: true }, { private: true }],
  ['AutoInit', { auto_init: true }, { empty: false }],
  ['DefaultBranch', { default_branch: 'trunk' }, { default_branch: 'trunk' }],
];

/** Returns a record without the fields that differ between any two repositories. */
function shared(record: Wire): Wire {
  const { id: _, name, full_name: __, created_at: ___, updated_at: ____, ...rest } = record;
  return JSON.parse(JSON.stringify(rest).replaceAll(`ada/${name}`, 'ada/engine'));
}

test('create options: each option has its documented effect and no other', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const plain = await ada.repository('engine');
  for (const [field, sent, changed] of CREATE_OPTIONS) {
    await t.test(`create option ${field}`, async () => {
      const created = await ada.repository(`with-${field}`, sent);
      for (const [key, value] of Object.entries(changed)) assert.deepEqual(created[key], value, key);
      const { name: _, full_name: __, ...others } = changed as Wire;
      assert.deepEqual({ ...shared(created), size: 0 }, { ...shared(plain), ...others });
    });
  }
  await t.test('create option TrustModel', async () => {
    const { reader } = forge.forge.running.engines.database;
    for (const [sent, kept] of [
      ['committer', 'committer'],
      ['CollaboratorCommitter', 'collaboratorcommitter'],
      ['collaborator', 'collaborator'],
      ['default', 'default'],
      ['unheard of', 'default'],
    ] as const) {
      const { id } = await ada.repository(`trusts-${sent.replace(' ', '-')}`, { trust_model: sent });
      const row = await reader
        .selectFrom('repositories')
        .select('trust_model')
        .where('id', '=', id)
        .executeTakeFirst();
      assert.equal(row?.trust_model, kept, sent);
    }
  });
});

const TRACKER = {
  enable_time_tracker: true,
  allow_only_contributors_to_track_time: true,
  enable_issue_dependencies: true,
};
const EXTERNAL = {
  external_tracker_url: 'https://tracker.example',
  external_tracker_format: 'https://tracker.example/{user}/{repo}/{index}',
  external_tracker_style: 'alphanumeric',
};
const WITHOUT_PULLS = {
  has_pull_requests: false,
  allow_merge_commits: false,
  allow_rebase: false,
  allow_rebase_explicit: false,
  allow_squash_merge: false,
  allow_fast_forward_only_merge: false,
  allow_rebase_update: false,
};

const EDIT_OPTIONS: readonly Option[] = [
  ['Description', { description: 'x' }, { description: 'x' }],
  ['Website', { website: 'https://x.example' }, { website: 'https://x.example' }],
  ['Private', { private: true }, { private: true }],
  ['Template', { template: true }, { template: true }],
  ['DefaultBranch', { default_branch: 'other' }, { default_branch: 'other' }],
  ['HasIssues', { has_issues: false }, { has_issues: false, internal_tracker: undefined }],
  [
    'ExternalTracker: ExternalTrackerURL, ExternalTrackerFormat, ExternalTrackerStyle',
    { has_issues: true, external_tracker: EXTERNAL },
    { external_tracker: { ...EXTERNAL, external_tracker_regexp_pattern: '' }, internal_tracker: undefined },
  ],
  ...Object.keys(TRACKER).map(
    (key): Option => [
      `InternalTracker: ${key}`,
      { has_issues: true, internal_tracker: { [key]: false } },
      { internal_tracker: { ...TRACKER, [key]: false } },
    ],
  ),
  ['HasWiki', { has_wiki: false }, { has_wiki: false, wiki_branch: '' }],
  [
    'ExternalWiki: ExternalWikiURL',
    { has_wiki: true, external_wiki: { external_wiki_url: 'https://wiki.example' } },
    { external_wiki: { external_wiki_url: 'https://wiki.example' }, wiki_branch: '' },
  ],
  ['HasPullRequests', { has_pull_requests: false }, WITHOUT_PULLS],
  [
    'IgnoreWhitespaceConflicts',
    { has_pull_requests: true, ignore_whitespace_conflicts: true },
    { ignore_whitespace_conflicts: true },
  ],
  ['AllowMerge', { has_pull_requests: true, allow_merge_commits: false }, { allow_merge_commits: false }],
  ['AllowRebase', { has_pull_requests: true, allow_rebase: false }, { allow_rebase: false }],
  [
    'AllowRebaseMerge',
    { has_pull_requests: true, allow_rebase_explicit: false },
    { allow_rebase_explicit: false },
  ],
  ['AllowSquash', { has_pull_requests: true, allow_squash_merge: false }, { allow_squash_merge: false }],
  ['HasProjects', { has_projects: false }, { has_projects: false }],
  ['Archived', { archived: true }, { archived: true }],
];

/** Record of a repository with the branch `other`. */
async function withOtherBranch(ada: Person, name: string): Promise<Wire> {
  await ada.repository(name, { auto_init: true });
  await ada.post(`/api/v1/repos/ada/${name}/contents/file`, { content: '', new_branch: 'other' });
  return (await ada.get(`/api/v1/repos/ada/${name}`)).body;
}

test('edit options: every field is optional, and only fields that are sent change', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  for (const [index, [field, sent, changed]] of EDIT_OPTIONS.entries()) {
    await t.test(`edit option ${field}`, async () => {
      const before = await withOtherBranch(ada, `r${index}`);
      const { status, body } = await ada.patch(`/api/v1/repos/ada/r${index}`, sent);
      assert.equal(status, 200);
      // Other tests cover the times of changes and archiving, and the size.
      const ignored = { updated_at: '', archived_at: '', size: 0 };
      const expected = JSON.parse(JSON.stringify({ ...before, ...changed, ...ignored }));
      assert.deepEqual({ ...body, ...ignored }, expected);
    });
  }
  await t.test('edit option Name', async () => {
    await ada.repository('old');
    const { body } = await ada.patch('/api/v1/repos/ada/old', { name: 'new' });
    assert.deepEqual([body.name, body.full_name], ['new', 'ada/new']);
  });
});

test('edit option Website: any single line that no browser would execute', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  await ada.repository('engine');
  for (const website of ['engine.example', 'www.engine.example/a b', 'HTTP://engine.example', 'éngine', '']) {
    const { status, body } = await ada.patch(REPO, { website });
    assert.deepEqual([status, body.website], [200, website]);
  }
  for (const website of [
    'javascript:alert(1)',
    ' JavaScript:alert(1)',
    'java\tscript:alert(1)',
    'data:text/html,x',
    'vbscript:x',
    'file:///etc/passwd',
    'a\nb',
  ])
    assert.equal((await ada.patch(REPO, { website })).status, 422, JSON.stringify(website));
});

test('invalid basic properties are reported before units, and units before the archive state', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  await ada.repository('taken');
  await setRow(forge, id, { is_mirror: 1 });
  const all = {
    name: 'taken',
    has_issues: true,
    external_tracker: { external_tracker_url: 'nowhere' },
    archived: true,
  };
  const refusal = async (edit: object) => {
    const { status, body } = await ada.patch(REPO, edit);
    assert.equal(status, 422);
    return body.message;
  };
  const { name: _, ...unitsAndArchive } = all;

  assert.match(await refusal(all), /already taken/);
  assert.match(await refusal(unitsAndArchive), /ExternalTrackerURL/);
  assert.match(await refusal({ archived: true }), /Archived/);
});
