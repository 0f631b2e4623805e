import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { commitAll, git, temporaryFolder } from '../../support/git/git.ts';
import { endJobs, watchProcesses } from '../../support/git/started-processes.ts';
import { treeBomb } from '../../support/git/tree-bomb.ts';
import type { Answer } from '../../support/http/http.ts';
import { LOOM, type Loom, startLoom, weave } from './history.ts';

const LIST = `${LOOM}/commits`;

function oidsOf(answer: Answer): readonly string[] {
  assert.equal(answer.status, 200, answer.text);
  return answer.body.map(({ sha }: { sha: string }) => sha);
}

async function startWoven(t: Parameters<typeof startLoom>[0]): Promise<Loom> {
  const loom = await startLoom(t);
  await weave(loom);
  await loom.push('main', 'side', 'topic/weave', 'v1');
  return loom;
}

test('the list has the commits of the default branch, newest first, as git lists them', async (t) => {
  const { forge, listed } = await startWoven(t);

  const answer = await forge.get(LIST);

  const all = await listed('main');
  assert.deepEqual(oidsOf(answer), all);
  const [first] = answer.body;
  // A single commit also has its message and its tree where other tools look for them.
  const { message, tree, ...single } = (await forge.get(`${LOOM}/git/commits/${all[0]}`)).body;
  assert.deepEqual(first, single);
  assert.deepEqual({ message, tree }, { message: first.commit.message, tree: first.commit.tree });
});

test('the list starts at a branch, a tag or a full or abbreviated id', async (t) => {
  const { forge, listed, ask } = await startWoven(t);
  const side = await ask('rev-parse', 'side');

  for (const name of ['side', 'refs/heads/side', side, side.slice(0, 8), side.toUpperCase()])
    assert.deepEqual(oidsOf(await forge.get(`${LIST}?sha=${name}`)), await listed('side'), name);
  for (const name of ['v1', await ask('rev-parse', 'v1')])
    assert.deepEqual(oidsOf(await forge.get(`${LIST}?sha=${name}`)), await listed('v1'), name);
  assert.deepEqual(oidsOf(await forge.get(`${LIST}?sha=topic/weave`)), await listed('topic/weave'));
  assert.deepEqual(oidsOf(await forge.get(`${LIST}?sha=`)), await listed('main'));
});

test('the list has the commits of a period, and its headers count those', async (t) => {
  const { forge, listed, ask } = await startWoven(t);
  const all = await listed('main');
  const seconds = async (index: number) => Number(await ask('show', '-s', '--format=%ct', all[index] ?? ''));
  const [late, early] = [await seconds(1), await seconds(3)];
  const at = (second: number) => new Date(second * 1000).toISOString();

  for (const [query, ...args] of [
    [`since=${at(early)}`, `--max-age=${early}`],
    [`until=${at(late)}`, `--min-age=${late}`],
    [`since=${at(early)}&until=${at(late)}`, `--max-age=${early}`, `--min-age=${late}`],
    [`since=${at(early)}&path=docs`, `--max-age=${early}`, '--', 'docs'],
  ] as const) {
    const expected = await listed('main', ...args);
    const answer = await forge.get(`${LIST}?${query}`);
    assert.deepEqual(oidsOf(answer), expected, query);
    const page = await forge.get(`${LIST}?${query}&limit=1`);
    const { headers } = page;
    const counts = ['x-total-count', 'x-total', 'x-pagecount'].map((name) => headers.get(name));
    assert.deepEqual(counts, Array(3).fill(`${expected.length}`), query);
    assert.equal(headers.get('x-hasmore'), String(expected.length > 1), query);
    assert.deepEqual(oidsOf(page), expected.slice(0, 1), query);
  }
  // A plus sign that is not encoded arrives as a space.
  const zone = at(early).replace('Z', '+00:00');
  assert.deepEqual(
    oidsOf(await forge.get(`${LIST}?since=${zone}`)),
    await listed('main', `--max-age=${early}`),
  );
  assert.deepEqual(oidsOf(await forge.get(`${LIST}?since=2100-01-01T00:00:00Z&path=docs`)), []);
  for (const bad of ['since=yesterday', 'until=2026-02-30T00:00:00Z'])
    assert.equal((await forge.get(`${LIST}?${bad}`)).status, 422, bad);
});

test('the list of an indexed history, and of a few commits after it, takes no walk by git', async (t) => {
  const loom = await startWoven(t);
  const { forge, commit, push, listed } = loom;
  const { services } = forge.forge.running;
  const { id } = (await forge.get(LOOM)).body;
  while (await services.lastCommits.index(id, new AbortController().signal));
  await endJobs(forge);
  const started = watchProcesses(t);
  const assertListed = async () => {
    for (const name of ['main', 'side', 'topic/weave'])
      for (const path of ['', 'a.txt', 'docs', 'docs/plan.md', 'b.bin']) {
        const query = `sha=${name}&stat=false&files=false&limit=4&path=${path}`;
        const expected = await listed(name, ...(path === '' ? [] : ['--', path]));
        if (expected.length === 0) continue;
        const answer = await forge.get(`${LIST}?${query}`);
        assert.deepEqual(oidsOf(answer), expected.slice(0, 4), query);
        assert.equal(answer.headers.get('x-total-count'), `${expected.length}`, query);
        assert.deepEqual(oidsOf(await forge.get(`${LIST}?${query}&page=2`)), expected.slice(4, 8));
      }
    const without = await forge.get(`${LIST}?sha=main&not=side`);
    assert.deepEqual(oidsOf(without), await listed('main', '^side'));
  };

  await assertListed();
  await commit('More', { 'docs/more.md': 'more\n' });
  await commit('Delete', { 'docs/plan.md': null });
  await commit('Elsewhere', { 'c.txt': 'c\n' });
  await push('main');
  await assertListed();
  const walks = started().filter((command) => command.includes('--literal-pathspecs'));
  assert.deepEqual(walks, []);
});

test('names that are no branch, tag or commit are missing', async (t) => {
  const { forge, ask } = await startWoven(t);
  const blob = await ask('rev-parse', 'main:docs/plan.md');
  const tree = await ask('rev-parse', 'main^{tree}');
  const names = [
    'nothing',
    blob,
    tree,
    'HEAD~1',
    'main^',
    '@{u}',
    '@',
    '0'.repeat(40),
    '--all',
    'main..side',
    '..',
    'a b',
  ];

  for (const name of names) {
    const encoded = encodeURIComponent(name);
    assert.equal((await forge.get(`${LIST}?sha=${encoded}`)).status, 404, name);
    assert.equal((await forge.get(`${LIST}?not=${encoded}`)).status, 404, `not ${name}`);
    assert.equal((await forge.get(`${LIST}?path=a.txt&sha=${encoded}`)).status, 404, `path ${name}`);
  }
});

test('`not` leaves out what another name reaches', async (t) => {
  const { forge, listed } = await startWoven(t);

  for (const [sha, not] of [
    ['main', 'side'],
    ['side', 'main'],
    ['topic/weave', 'main'],
    ['main', 'topic/weave'],
    ['main', 'main'],
  ]) {
    const expected = await listed(`${sha}`, `^${not}`);
    const answer = await forge.get(`${LIST}?sha=${sha}&not=${not}`);
    assert.deepEqual(oidsOf(answer), expected, `${sha} ^${not}`);
    assert.equal(answer.headers.get('x-total-count'), `${expected.length}`);
  }
});

test('with a path, the list has the commits that changed it, also those that deleted it and merges', async (t) => {
  const { forge, listed } = await startWoven(t);

  for (const path of ['a.txt', 'docs', 'docs/plan.md', 'docs/new name.txt', 'old name.txt', 'b.bin'])
    for (const name of ['main', 'side', 'topic/weave']) {
      const expected = await listed(name, '--', path);
      const answer = await forge.get(`${LIST}?sha=${name}&path=${encodeURIComponent(path)}`);
      if (expected.length === 0) assert.equal(answer.status, 404, `${name}: ${path}`);
      else assert.deepEqual(oidsOf(answer), expected, `${name}: ${path}`);
    }
  const plan = await forge.get(`${LIST}?sha=topic/weave&path=/docs/plan.md/&not=main`);
  assert.deepEqual(oidsOf(plan), await listed('topic/weave', '^main', '--', 'docs/plan.md'));
});

const wireOf = (seconds: number) => new Date(seconds * 1000).toISOString();

/** Ranges of times around a time in seconds, as a query and as options of git. */
function timesAround(seconds: number): readonly (readonly [query: string, options: readonly string[]])[] {
  const since = (at: number) => `--since-as-filter=@${at} +0000`;
  const until = (at: number) => `--min-age=${at}`;
  return [
    [`since=${wireOf(seconds)}`, [since(seconds)]],
    [`since=${wireOf(seconds + 1)}`, [since(seconds + 1)]],
    [`until=${wireOf(seconds)}`, [until(seconds)]],
    [`until=${wireOf(seconds - 1)}`, [until(seconds - 1)]],
    [
      `since=${wireOf(seconds - 120)}&until=${wireOf(seconds + 120)}`,
      [since(seconds - 120), until(seconds + 120)],
    ],
    [`since=${wireOf(seconds)}&until=${wireOf(seconds - 60)}`, [since(seconds), until(seconds - 60)]],
    ['since=2100-01-01T00:00:00Z', [since(4_102_444_800)]],
    ['until=1960-01-01T00:00:00Z', [until(0)]],
    ['since=1960-01-01T00:00:00Z', []],
  ];
}

/** A history in which a commit is older than its parent, and another one much newer than its child. */
async function startSkewed(t: Parameters<typeof startLoom>[0]): Promise<Loom & { readonly middle: number }> {
  const loom = await startLoom(t);
  await weave(loom);
  const { folder, ask, push, commit } = loom;
  await commit('Before the skew', { 'a.txt': 'four\n' });
  const middle = Number(await ask('log', '-1', '--format=%ct', 'main~4'));
  for (const [seconds, text] of [
    [middle - 90, 'five'],
    [middle + 5000, 'six'],
    [middle - 30, 'seven'],
  ] as const) {
    const date = `${seconds} +0000`;
    await writeFile(join(folder, 'a.txt'), text);
    await commitAll(folder, `Skewed ${text}`, {
      environment: { GIT_AUTHOR_DATE: '1000000000 +0000', GIT_COMMITTER_DATE: date },
    });
  }
  await push('main', 'side', 'topic/weave', 'v1');
  return { ...loom, middle };
}

async function assertTimes({ forge, listed, middle }: Loom & { readonly middle: number }): Promise<void> {
  const { oid } = await lastOf(forge);
  for (const [times, options] of timesAround(middle))
    for (const [query, more] of [
      ['', ['main']],
      ['&path=a.txt', ['main', '--', 'a.txt']],
      ['&path=docs&sha=topic/weave', ['topic/weave', '--', 'docs']],
      ['&not=side', ['main', '^side']],
      ['&not=side&path=a.txt', ['main', '^side', '--', 'a.txt']],
      [`&sha=${oid}&stat=false&files=false&verification=false`, [oid]],
    ] as const) {
      const expected = await listed(...options, ...more);
      for (const page of [1, 2, 3]) {
        const answer = await forge.get(`${LIST}?${times}${query}&limit=3&page=${page}`);
        const what = `${times}${query} page ${page}`;
        assert.deepEqual(oidsOf(answer), expected.slice(3 * (page - 1), 3 * page), what);
        const pages = Math.ceil(expected.length / 3);
        assert.deepEqual(
          ['x-total-count', 'x-total', 'x-pagecount', 'x-hasmore'].map((name) => answer.headers.get(name)),
          [`${expected.length}`, `${expected.length}`, `${pages}`, `${page < pages}`],
          what,
        );
        assert.equal(answer.headers.get('link')?.includes('rel="next"') ?? false, page < pages, what);
      }
    }
}

async function lastOf(forge: Loom['forge']): Promise<{ readonly oid: string }> {
  const [last] = (await forge.get(`${LIST}?limit=1&stat=false&files=false`)).body;
  return { oid: last.sha };
}

test('`since` and `until` choose commits by the time of their committer, as a filter of git does', async (t) => {
  await assertTimes(await startSkewed(t));
});

test('`since` and `until` of an indexed history, and of a few commits after it, take no walk by git', async (t) => {
  const loom = await startSkewed(t);
  const { forge, commit, push, middle, listed } = loom;
  const { services } = forge.forge.running;
  const { id } = (await forge.get(LOOM)).body;
  while (await services.lastCommits.index(id, new AbortController().signal));
  await endJobs(forge);
  await assertTimes(loom);
  const started = watchProcesses(t);
  await commit('More', { 'a.txt': 'more\n' });
  await push('main');
  for (const [times, options] of timesAround(middle))
    for (const path of ['', 'a.txt']) {
      const expected = await listed(...options, 'main', ...(path === '' ? [] : ['--', path]));
      const answer = await forge.get(`${LIST}?${times}&path=${path}&stat=false&files=false`);
      assert.deepEqual(oidsOf(answer), expected, `${times} ${path}`);
      assert.equal(answer.headers.get('x-total-count'), `${expected.length}`);
    }
  const walks = started().filter((command) => command.includes('--literal-pathspecs'));
  assert.deepEqual(walks, []);
});

test('a malformed `since` or `until` is rejected, and a `+` that arrives as a space is read', async (t) => {
  const { forge, listed } = await startSkewed(t);

  for (const bad of ['yesterday', '2024-01-01', '2024-02-30T00:00:00Z', '1700000000', '@0', '--all'])
    for (const name of ['since', 'until'])
      assert.equal((await forge.get(`${LIST}?${name}=${bad}`)).status, 422, `${name} ${bad}`);
  for (const fine of [
    'since=',
    'until=',
    'since=2000-01-01T00:00:00+02:00',
    'since=2000-01-01T00:00:00%2B02:00',
  ])
    assert.deepEqual(oidsOf(await forge.get(`${LIST}?${fine}`)), await listed('main'), fine);
  const path = await forge.get(`${LIST}?path=a.txt&since=2100-01-01T00:00:00Z`);
  assert.deepEqual([path.status, path.body, path.headers.get('x-total')], [200, [], '0']);
  assert.equal((await forge.get(`${LIST}?path=nothing&since=2100-01-01T00:00:00Z`)).status, 404);
});

test('a path that no commit changed is missing, and a path is never a pattern', async (t) => {
  const { forge } = await startWoven(t);

  for (const path of [
    'nothing',
    '*',
    'docs/*',
    ':(glob)**',
    ':/',
    '../a.txt',
    'docs//plan.md',
    'a\nb',
    '--all',
    '.git/config',
  ])
    assert.equal((await forge.get(`${LIST}?path=${encodeURIComponent(path)}`)).status, 404, path);
});

test('a page has headers that say where it is', async (t) => {
  const { forge, listed } = await startWoven(t);
  const all = await listed('main');

  const answer = await forge.get(`${LIST}?limit=3&page=2&stat=false`);

  assert.deepEqual(oidsOf(answer), all.slice(3, 6));
  const headers = ['x-total-count', 'x-total', 'x-page', 'x-perpage', 'x-pagecount', 'x-hasmore'];
  assert.deepEqual(
    headers.map((name) => answer.headers.get(name)),
    [`${all.length}`, `${all.length}`, '2', '3', `${Math.ceil(all.length / 3)}`, 'true'],
  );
  assert.match(answer.headers.get('link') ?? '', /page=3[^>]*>; rel="next".*rel="prev"/);
  for (const name of [...headers, 'link'])
    assert.match(answer.headers.get('access-control-expose-headers') ?? '', new RegExp(name, 'i'));
  const last = await forge.get(`${LIST}?limit=${all.length}`);
  assert.equal(last.headers.get('x-hasmore'), 'false');
  const beyond = await forge.get(`${LIST}?page=99`);
  assert.deepEqual([beyond.status, beyond.body, beyond.headers.get('x-hasmore')], [200, [], 'false']);
});

test('changes, numbers of lines and the signature come unless the query leaves them out', async (t) => {
  const { forge, ask } = await startWoven(t);
  const of = async (query: string) =>
    (await forge.get(`${LIST}?${query}`)).body.map((commit: Record<string, unknown>) => commit);
  const merge = await ask('log', '-1', '--merges', '--format=%H', 'main');

  const whole = await of('');
  for (const commit of whole) {
    assert.notEqual(commit.files, null);
    assert.equal(commit.commit.verification.verified, false);
  }
  const merged = whole.find(({ sha }: { sha: string }) => sha === merge);
  const files = await ask('diff', '--name-only', '--no-renames', `${merge}^1`, merge);
  assert.deepEqual(
    merged.files.map(({ filename }: { filename: string }) => filename),
    files.split('\n'),
  );
  const [begin] = whole.slice(-1);
  assert.deepEqual(begin.stats, { total: 6, additions: 6, deletions: 0 });
  const [empty] = whole;
  assert.deepEqual([empty.files, empty.stats], [[], { total: 0, additions: 0, deletions: 0 }]);
  for (const commit of await of('stat=false'))
    assert.deepEqual([commit.stats, Array.isArray(commit.files)], [null, true]);
  for (const commit of await of('files=false&stat=0'))
    assert.deepEqual([commit.stats, commit.files], [null, null]);
  for (const commit of await of('verification=false')) assert.equal(commit.commit.verification, null);
});

test('an empty repository answers with 409, and one with only a tag lists the tag', async (t) => {
  const { forge, commit, push, ask, listed } = await startLoom(t);
  const empty = await forge.get(LIST);
  assert.deepEqual([empty.status, empty.body.message], [409, 'Git Repository is empty.']);
  assert.equal((await forge.get(`${LIST}?sha=main&path=x`)).status, 409);

  await commit('Begin', { 'a.txt': 'one\n' });
  await ask('tag', 'v0');
  await push('v0');

  assert.deepEqual(oidsOf(await forge.get(`${LIST}?sha=v0`)), await listed('v0'));
  assert.equal((await forge.get(LIST)).status, 409);
});

test('a list has an ETag, which changes with the branch and what is shown', async (t) => {
  const { forge, ada, commit, push } = await startWoven(t);
  const ask = (query: string, tag?: string) =>
    forge.get(`${LIST}${query}`, tag === undefined ? {} : { headers: { 'if-none-match': tag } });
  const tag = (await ask('')).headers.get('etag') ?? '';

  assert.match(tag, /^"[0-9a-f]+"$/);
  assert.deepEqual([(await ask('', tag)).status, (await ask('', tag)).text], [304, '']);
  for (const query of ['?limit=2', '?stat=false', '?sha=side', '?path=a.txt'])
    assert.equal((await ask(query, tag)).status, 200, query);
  await commit('One more', { 'c.txt': 'c\n' });
  await push('main');
  assert.equal((await ask('', tag)).status, 200);
  await ada.patch(LOOM, { private: true });
  assert.equal((await ask('', tag)).status, 404);
});

test('a user who renames themself is shown with the new name, also to those who have the old list', async (t) => {
  const { forge, ada } = await startWoven(t);
  const before = await ada.get(LIST);
  assert.equal(before.body[0].author?.login, 'ada');
  await forge.root.post('/api/v1/admin/users/ada/rename', { new_username: 'lovelace' });

  const tag = before.headers.get('etag') ?? '';
  const after = await ada.get('/api/v1/repos/lovelace/loom/commits', { headers: { 'if-none-match': tag } });

  assert.equal(after.status, 200);
  assert.equal(after.body[0].author?.login, 'lovelace');
  assert.equal(
    (await ada.get('/api/v1/repos/lovelace/loom/commits?limit=1')).body[0].html_url.includes('/ada/'),
    false,
  );
});

test('H2: a commit with billions of files is listed without its changes, and with them ends with 422', async (t) => {
  const { forge, commit, push, folder, ask } = await startLoom(t);
  await commit('Begin', { 'a.txt': 'one\n' });
  // With long names, git reaches its limit of memory sooner.
  const tree = await treeBomb(folder, { width: 30, depth: 6, name: 'n'.repeat(200) });
  const bomb = await ask('commit-tree', tree, '-p', 'HEAD', '-m', 'Bomb');
  await push(`${bomb}:refs/heads/main`);

  assert.equal((await forge.get(LIST)).status, 422);
  const plain = await forge.get(`${LIST}?stat=false&files=false`);
  assert.equal(plain.body[0].sha, bomb);
});

test('a push from a shallow clone leaves the list whole', async (t) => {
  const { forge, ada, listed, ask } = await startWoven(t);
  const shallow = await temporaryFolder(t);
  await git(shallow, ['clone', '-q', '--depth', '1', ada.remote('ada/loom'), '.']);
  await git(shallow, ['commit', '-q', '--allow-empty', '-m', 'From a shallow clone']);
  await git(shallow, ['push', '-q', 'origin', 'main']);
  const tip = await git(shallow, ['rev-parse', 'HEAD']);

  assert.deepEqual(oidsOf(await forge.get(LIST)), [tip, ...(await listed('main'))]);
  assert.deepEqual(oidsOf(await forge.get(`${LIST}?path=a.txt`)), await listed('main', '--', 'a.txt'));
  assert.notEqual(await ask('rev-parse', 'main'), tip);
});

test('only those who may read the code see commits', async (t) => {
  const { forge, ada } = await startWoven(t);
  const eve = await forge.account('eve');
  await ada.patch(LOOM, { private: true });

  for (const path of ['commits', 'compare/side...main', 'git/commits/main.diff', 'git/commits/main.patch'])
    for (const who of [forge, eve]) assert.equal((await who.get(`${LOOM}/${path}`)).status, 404, path);
});
