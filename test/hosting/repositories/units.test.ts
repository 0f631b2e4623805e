import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { type TestContext, test } from 'node:test';
import type { ForgeOptions } from '../../../testing/index.ts';
import { afterTest } from '../../support/after-test.ts';
import { startForge } from '../../support/forge/forge.ts';
import { setRow } from './rows.ts';

const REPO = '/api/v1/repos/ada/engine';
const TRACKER = {
  external_tracker_url: 'https://issues.example/engine',
  external_tracker_format: 'https://issues.example/{user}/{repo}/{index}',
  external_tracker_style: 'alphanumeric',
  external_tracker_regexp_pattern: '',
};
const WIKI = { external_wiki_url: 'https://wiki.example/engine' };
const DEFAULT_TRACKER = {
  enable_time_tracker: true,
  allow_only_contributors_to_track_time: true,
  enable_issue_dependencies: true,
};

// biome-ignore lint/suspicious/noExplicitAny: records of the wire are looked into by name
type Edit = (body: object) => Promise<any>;

async function startWithEngine(t: TestContext, options: ForgeOptions = {}) {
  const forge = await startForge(t, options);
  const ada = await forge.account('ada');
  const made = await ada.repository('engine');
  const refuse = async (body: object) => {
    const before = (await ada.get(REPO)).body;
    assert.equal((await ada.patch(REPO, body)).status, 422, JSON.stringify(body));
    assert.deepEqual((await ada.get(REPO)).body, before);
  };
  const edit: Edit = async (body) => {
    const { status, body: record, text } = await ada.patch(REPO, body);
    assert.equal(status, 200, text);
    assert.deepEqual((await ada.get(REPO)).body, record);
    return record;
  };
  return { forge, ada, made, edit, refuse };
}

test('HasIssues with ExternalTracker enables that tracker and removes the built-in one', async (t) => {
  const { edit } = await startWithEngine(t);
  const record = await edit({ has_issues: true, external_tracker: TRACKER });
  assert.equal(record.has_issues, true);
  assert.deepEqual(record.external_tracker, TRACKER);
  assert.equal('internal_tracker' in record, false);
});

test('an external tracker is numeric and has no format by default', async (t) => {
  const { edit } = await startWithEngine(t);
  const url = { external_tracker_url: 'http://192.0.2.7:8080' };
  const record = await edit({ has_issues: true, external_tracker: { ...url, external_tracker_style: '' } });
  assert.deepEqual(record.external_tracker, {
    ...url,
    external_tracker_format: '',
    external_tracker_style: 'numeric',
    external_tracker_regexp_pattern: '',
  });
});

test('422: an external tracker needs a valid URL and format and a known style', async (t) => {
  const { refuse } = await startWithEngine(t);
  for (const wrong of [
    { external_tracker_url: 'nowhere' },
    { external_tracker_url: '' },
    { external_tracker_url: undefined },
    { external_tracker_format: 'nowhere/{index}' },
    { external_tracker_format: 'https://issues.example/{index' },
    { external_tracker_format: 'https://issues.example/index}' },
    { external_tracker_format: 'https://issues.example/{user}/[repo}/{index}' },
    { external_tracker_style: 'roman' },
    { external_tracker_regexp_pattern: 'a\nb' },
    { external_tracker_regexp_pattern: 'x'.repeat(1025) },
  ]) {
    await refuse({ has_issues: true, external_tracker: { ...TRACKER, ...wrong }, description: 'x' });
  }
});

test('the pattern of a tracker is stored unchanged and never run', async (t) => {
  const { edit } = await startWithEngine(t);
  for (const pattern of ['(a+)+$', '([', 'ENG-(?<index>\\d+)']) {
    const tracker = {
      ...TRACKER,
      external_tracker_style: 'regexp',
      external_tracker_regexp_pattern: pattern,
    };
    assert.deepEqual((await edit({ has_issues: true, external_tracker: tracker })).external_tracker, tracker);
  }
});

test('HasIssues without ExternalTracker enables the built-in tracker and removes the external one', async (t) => {
  const { edit } = await startWithEngine(t);
  await edit({ has_issues: true, external_tracker: TRACKER });
  const record = await edit({ has_issues: true });
  assert.deepEqual(record.internal_tracker, DEFAULT_TRACKER);
  assert.equal('external_tracker' in record, false);
});

test('settings of the built-in tracker come from InternalTracker, or stay the same, or are all true by default', async (t) => {
  const { edit } = await startWithEngine(t);
  const chosen = {
    enable_time_tracker: false,
    allow_only_contributors_to_track_time: false,
    enable_issue_dependencies: true,
  };
  const tracker = async (body: object) => (await edit(body)).internal_tracker;
  assert.deepEqual(await tracker({ has_issues: true, internal_tracker: chosen }), chosen);
  assert.deepEqual(await tracker({ has_issues: true }), chosen, 'settings stay the same');
  assert.deepEqual(await tracker({ description: 'x' }), chosen);
  await edit({ has_issues: false });
  assert.deepEqual(
    await tracker({ has_issues: true }),
    DEFAULT_TRACKER,
    'removing the tracker removed its settings',
  );
});

test('settings of an enabled tracker change without HasIssues, one by one', async (t) => {
  const { edit } = await startWithEngine(t);
  const { internal_tracker: tracker } = await edit({ internal_tracker: { enable_time_tracker: false } });
  assert.deepEqual(tracker, { ...DEFAULT_TRACKER, enable_time_tracker: false });
  await edit({ has_issues: true, external_tracker: TRACKER });
  const format = 'https://issues.example/{index}';
  const { external_tracker: external } = await edit({
    external_tracker: { external_tracker_format: format },
  });
  assert.deepEqual(external, { ...TRACKER, external_tracker_format: format });
  assert.deepEqual(
    (await edit({ internal_tracker: { enable_time_tracker: true } })).external_tracker,
    external,
    'settings do not replace the external tracker',
  );
  await edit({ has_issues: false });
  assert.equal((await edit({ external_tracker: TRACKER, internal_tracker: {} })).has_issues, false);
});

test('HasIssues false removes both trackers', async (t) => {
  const { edit } = await startWithEngine(t);
  for (const before of [{ has_issues: true }, { has_issues: true, external_tracker: TRACKER }]) {
    await edit(before);
    const record = await edit({ has_issues: false, external_tracker: { external_tracker_url: 'nowhere' } });
    assert.equal(record.has_issues, false);
    assert.deepEqual(['internal_tracker' in record, 'external_tracker' in record], [false, false]);
  }
});

test('HasWiki with ExternalWiki enables that wiki and removes the built-in one', async (t) => {
  const { edit, refuse } = await startWithEngine(t);
  const record = await edit({ has_wiki: true, external_wiki: WIKI });
  assert.deepEqual([record.has_wiki, record.external_wiki, record.wiki_branch], [true, WIKI, '']);
  const other = { external_wiki_url: 'https://other.example' };
  assert.deepEqual((await edit({ external_wiki: other })).external_wiki, other);
  for (const external_wiki_url of ['nowhere', '', 'ftp://wiki.example', undefined])
    await refuse({ has_wiki: true, external_wiki: { external_wiki_url } });
});

test('HasWiki without ExternalWiki enables the built-in wiki and removes the external one', async (t) => {
  const { edit } = await startWithEngine(t);
  await edit({ has_wiki: true, external_wiki: WIKI });
  const record = await edit({ has_wiki: true });
  assert.equal(record.has_wiki, true);
  assert.equal('external_wiki' in record, false);
  const chosen = await edit({ wiki_branch: 'pages', globally_editable_wiki: true });
  assert.deepEqual([chosen.wiki_branch, chosen.globally_editable_wiki], ['pages', true]);
  const after = await edit({ has_wiki: true });
  assert.deepEqual([after.wiki_branch, after.globally_editable_wiki], ['pages', true]);
});

test('HasWiki false removes both wikis', async (t) => {
  const { edit } = await startWithEngine(t);
  for (const before of [{ has_wiki: true }, { has_wiki: true, external_wiki: WIKI }]) {
    await edit(before);
    const record = await edit({ has_wiki: false, wiki_branch: 'pages' });
    assert.deepEqual([record.has_wiki, 'external_wiki' in record, record.wiki_branch], [false, false, '']);
  }
});

const PULLS = {
  ignore_whitespace_conflicts: true,
  allow_merge_commits: false,
  allow_rebase: false,
  allow_rebase_explicit: false,
  allow_squash_merge: false,
  allow_fast_forward_only_merge: false,
  allow_rebase_update: false,
  default_delete_branch_after_merge: true,
  default_merge_style: 'squash',
  default_update_style: 'rebase',
  default_allow_maintainer_edit: true,
};

test('HasPullRequests true keeps the settings and changes each one that is sent', async (t) => {
  const { edit, made } = await startWithEngine(t);
  let expected = { ...made };
  for (const [name, value] of Object.entries(PULLS)) {
    expected = { ...expected, [name]: value };
    const { updated_at: _, ...record } = await edit({ has_pull_requests: true, [name]: value });
    const { updated_at: __, ...expectedRecord } = expected;
    assert.deepEqual(record, expectedRecord, name);
  }
  const { updated_at: _, ...after } = await edit({ has_pull_requests: true });
  const { updated_at: __, ...expectedRecord } = expected;
  assert.deepEqual(after, expectedRecord);
  assert.equal((await edit({ allow_squash_merge: true })).allow_squash_merge, true, 'the unit is enabled');
});

test('HasPullRequests false removes the unit with its settings', async (t) => {
  const { edit } = await startWithEngine(t);
  await edit({ has_pull_requests: true, ...PULLS });
  const off = await edit({ has_pull_requests: false, allow_rebase: true });
  assert.equal(off.has_pull_requests, false);
  assert.deepEqual([off.allow_rebase, off.default_merge_style], [false, 'merge']);
  assert.equal(
    (await edit({ allow_rebase: true })).has_pull_requests,
    false,
    'a setting does not enable the unit',
  );
  const on = await edit({ has_pull_requests: true });
  assert.deepEqual(
    [
      on.ignore_whitespace_conflicts,
      on.allow_merge_commits,
      on.allow_rebase,
      on.allow_rebase_explicit,
      on.allow_squash_merge,
    ],
    [false, true, true, true, true],
  );
});

test('settings that the record does not show are stored too', async (t) => {
  const { forge, made, edit } = await startWithEngine(t);
  await edit({ allow_manual_merge: true, autodetect_manual_merge: true });
  const row = await forge.forge.running.engines.database.reader
    .selectFrom('repositories')
    .select('unit_settings')
    .where('id', '=', made.id)
    .executeTakeFirstOrThrow();
  assert.deepEqual(JSON.parse(row.unit_settings), {
    pulls: { allowsManualMerge: true, detectsManualMerge: true },
  });
});

test('projects and releases are added and removed independently', async (t) => {
  const { edit } = await startWithEngine(t);
  const units = ['has_projects', 'has_releases'];
  for (const unit of units) {
    const off = await edit({ [unit]: false });
    assert.deepEqual(
      units.filter((each) => !off[each]),
      [unit],
    );
    assert.equal((await edit({ [unit]: true }))[unit], true);
  }
});

test('no repository has packages or actions, even if an edit asks for them', async (t) => {
  const { edit } = await startWithEngine(t);
  const { has_packages, has_actions, description } = await edit({
    has_packages: true,
    has_actions: true,
    description: 'Weaves',
  });
  assert.deepEqual([has_packages, has_actions, description], [false, false, 'Weaves']);
});

test('units disabled for the site are skipped silently', async (t) => {
  const disabledUnits = [
    'repo.issues',
    'repo.ext_issues',
    'repo.wiki',
    'repo.ext_wiki',
    'repo.pulls',
    'repo.projects',
    'repo.releases',
    'repo.packages',
    'repo.actions',
  ].join();
  const { edit } = await startWithEngine(t, { settings: { disabledUnits } });
  const on = {
    has_issues: true,
    has_wiki: true,
    has_pull_requests: true,
    has_projects: true,
    has_releases: true,
    has_packages: true,
    has_actions: true,
  };
  const nowhere = {
    external_tracker: { external_tracker_url: 'nowhere' },
    external_wiki: { external_wiki_url: 'nowhere' },
  };
  for (const body of [on, { ...on, ...nowhere }]) {
    const record = await edit({ ...body, description: JSON.stringify(body).slice(0, 40) });
    for (const unit of Object.keys(on)) assert.equal(record[unit], false, unit);
    assert.notEqual(record.description, '', 'other fields change');
  }
});

test('HasIssues and HasWiki do not change trackers and wikis that are disabled for the site', async (t) => {
  const { forge, made, edit } = await startWithEngine(t, {
    settings: { disabledUnits: 'repo.ext_issues,repo.ext_wiki' },
  });
  const settings = {
    externalTracker: { url: 'https://a.example', format: '', style: 'numeric', pattern: '' },
    externalWiki: { url: 'https://b.example' },
  };
  await setRow(forge, made.id, {
    issues: 'external',
    wiki: 'external',
    unit_settings: JSON.stringify(settings),
  });
  const record = await edit({ has_issues: false, has_wiki: false });
  assert.deepEqual([record.has_issues, record.has_wiki], [true, true]);
  const skipped = await edit({
    has_issues: true,
    external_tracker: TRACKER,
    has_wiki: true,
    external_wiki: WIKI,
  });
  assert.equal(skipped.external_tracker.external_tracker_url, 'https://a.example');
  assert.deepEqual(skipped.external_wiki, { external_wiki_url: 'https://b.example' });
  const builtIn = await edit({ has_issues: true, has_wiki: true });
  assert.deepEqual(['internal_tracker' in builtIn, 'external_wiki' in builtIn], [true, false]);
  assert.equal((await edit({ has_issues: false, has_wiki: false })).has_issues, false);
});

const OWN = { baseUrl: 'https://forge.example/code' };

test("E1: a tracker or wiki URL cannot be this machine or this server's API, in any spelling", async (t) => {
  const { refuse, edit } = await startWithEngine(t, OWN);
  for (const url of [
    'http://localhost/x',
    'http://LOCALHOST:3000',
    'http://localhost./x',
    'http://a.localhost/x',
    'http://127.0.0.1/x',
    'http://127.9.9.9',
    'http://127.0.0.1./',
    'http://127.1',
    'http://0177.0.0.1',
    'http://0x7f000001',
    'http://2130706433',
    'http://0.0.0.0',
    'http://[::1]/x',
    'http://[::]/x',
    'http://[::ffff:127.0.0.1]/x',
    'http://[::ffff:7f00:1]/x',
    'http://①②⑦.0.0.1/',
    'https://forge.example/code/api',
    'https://forge.example/code/api/v1/repos',
    'HTTPS://FORGE.example:443/code/API/v1',
    'https://forge.example/code//api/v1',
    'https://forge.example/x/../code/%61pi/v1',
  ]) {
    await refuse({ has_wiki: true, external_wiki: { external_wiki_url: url } });
    await refuse({ has_issues: true, external_tracker: { ...TRACKER, external_tracker_url: url } });
    await refuse({ has_issues: true, external_tracker: { ...TRACKER, external_tracker_format: url } });
  }
  for (const url of [
    'https://forge.example/code/ada/engine/wiki',
    'https://forge.example/code/apiary',
    'http://[2001:db8::7]:8080/x',
    'http://192.0.2.1/x#y?z',
    'https://xn--bcher-kva.example',
    'https://bücher.example/ä',
    'HTTP://127.example/x',
  ]) {
    const record = await edit({ has_wiki: true, external_wiki: { external_wiki_url: url } });
    assert.equal(record.external_wiki.external_wiki_url, url, 'stored as sent');
  }
});

test('E2: a tracker or wiki URL is an http or https URL without a password', async (t) => {
  const { refuse } = await startWithEngine(t);
  for (const url of [
    'file:///etc/passwd',
    'ext::sh -c id',
    'javascript:alert(1)',
    'data:text/html,x',
    'ftp://wiki.example',
    'ssh://git@wiki.example',
    '//wiki.example',
    '/wiki',
    'wiki.example',
    'http:wiki.example',
    'http:/wiki.example',
    'http:///wiki.example',
    'http:\\\\wiki.example',
    'http://',
    'http://?x',
    'http://wiki.example:port',
    'http://wiki.example:65536',
    'http://wiki.example:-1',
    'http://wiki .example',
    'http://wiki.example/a b',
    ' http://wiki.example',
    'http://wiki.example\n',
    'http://wiki.example/a\r\nb',
    'http://wiki.example/\0',
    'ht\ntp://wiki.example',
    'http://ada:secret@wiki.example',
    'http://ada@wiki.example',
    'http://wiki.example\\@other.example',
    'http://[::1',
    'http://{index}.example/x',
    `http://wiki.example/${'x'.repeat(2048)}`,
    '\ud800',
  ]) {
    await refuse({ has_wiki: true, external_wiki: { external_wiki_url: url } });
    await refuse({ has_issues: true, external_tracker: { ...TRACKER, external_tracker_url: url } });
    await refuse({ has_issues: true, external_tracker: { ...TRACKER, external_tracker_format: url } });
  }
});

test('E1: the server never requests a tracker or wiki URL', async (t) => {
  let requests = 0;
  const elsewhere = createServer((_, reply) => {
    requests += 1;
    reply.end();
  });
  elsewhere.listen(0, '127.0.0.1');
  await once(elsewhere, 'listening');
  afterTest(t, () => elsewhere.close());
  const address = elsewhere.address();
  assert.ok(address !== null && typeof address === 'object');
  const { forge, made, ada, edit } = await startWithEngine(t);
  // The API rejects this numeric address. The row simulates a host name that resolves to it.
  const url = `http://127.0.0.1:${address.port}`;
  const settings = {
    externalTracker: { url, format: `${url}/{index}`, style: 'numeric', pattern: '' },
    externalWiki: { url },
  };
  await setRow(forge, made.id, {
    issues: 'external',
    wiki: 'external',
    unit_settings: JSON.stringify(settings),
  });
  await edit({ description: 'x', has_projects: false });
  const { body } = await ada.get(REPO);
  assert.deepEqual(body.external_wiki, { external_wiki_url: url });
  assert.equal(requests, 0);
});
