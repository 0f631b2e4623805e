import assert from 'node:assert/strict';
import { test } from 'node:test';
import { raw } from '../../../../src/base/database/fragment.ts';
import { query } from '../../../../src/base/database/query.ts';
import { INDEXING_JOB } from '../../../../src/tracker/issues/search/store/words.ts';
import type { Person, TestForge } from '../../../support/forge/forge.ts';
import { startGuild } from '../../../support/forge/organizations.ts';
import { numbersAt, type Wire } from '../../issues/tracker.ts';
import { commitFile, ENGINE, settle } from '../pulls.ts';
import { AT_VALVE, PULL, REVIEWS, review, startPull } from './reviewing.ts';

const SEARCH = '/api/v1/repos/issues/search';
const HIDDEN = '/api/v1/repos/guild/engine';

/** The searches that find a pull request by a word: in its repository, of its owner, and of everything. */
function searchesOf(word: string, repository = ENGINE): readonly string[] {
  const owner = repository.split('/').at(-2);
  return [
    `${repository}/issues?q=${word}`,
    `${repository}/issues?q=${word}&type=pulls&created_by=ben`,
    `${SEARCH}?q=${word}`,
    `${SEARCH}?q=${word}&state=open&type=pulls`,
    `${SEARCH}?q=${word}&owner=${owner}`,
  ];
}

async function assertFound(who: Person | TestForge, word: string, isFound: boolean, repository = ENGINE) {
  for (const url of searchesOf(word, repository)) {
    assert.deepEqual(await numbersAt(who, url), isFound ? [1] : [], `${word}: ${url}`);
    assert.equal((await who.get(url)).headers.get('x-search-incomplete'), null, url);
  }
}

test('the text of a submitted review finds its pull request, and so does a comment on a line', async (t) => {
  const { forge, ada } = await startPull(t);
  await review(ada, {
    event: 'COMMENT',
    body: 'The gasket leaks',
    comments: [
      { ...AT_VALVE, body: 'Grease it' },
      { ...AT_VALVE, body: 'Solder this' },
    ],
  });
  for (const word of ['gasket', 'gask', 'grease', 'solder', 'leaks+gasket', '%22gasket+leaks%22'])
    for (const who of [forge, ada]) await assertFound(who, word, true);
  for (const word of ['ske', 'gasket+grease', 'grease+solder', '%22leaks+gasket%22'])
    await assertFound(ada, word, false);
  assert.deepEqual(await numbersAt(ada, `${ENGINE}/issues?q=gasket&type=issues`), []);
  assert.deepEqual(await numbersAt(ada, `${SEARCH}?q=grease&type=issues`), []);
  assert.deepEqual(await numbersAt(ada, `${ENGINE}/issues?q=grease&state=closed`), []);
});

test('a pull request comes after those with the words in a title, a text and a comment', async (t) => {
  const { ada } = await startPull(t);
  await review(ada, { event: 'COMMENT', body: 'See below', comments: [{ ...AT_VALVE, body: 'A gasket' }] });
  for (const fields of [{ title: 'A' }, { title: 'B', body: 'gasket' }, { title: 'Gasket' }])
    assert.equal((await ada.post(`${ENGINE}/issues`, fields)).status, 201);
  await ada.post(`${ENGINE}/issues/2/comments`, { body: 'gasket' });
  for (const url of [`${ENGINE}/issues?q=gasket`, `${SEARCH}?q=gasket`])
    assert.deepEqual(await numbersAt(ada, url), [4, 3, 2, 1]);
});

test('texts of a pending review find nothing, also for its author, until it is submitted', async (t) => {
  const { ada, ben, cyd, forge } = await startPull(t);
  const pending = await review(cyd, { body: 'gasket', comments: [{ ...AT_VALVE, body: 'grease' }] });
  const line = await cyd.post(`${REVIEWS}/${pending.id}/comments`, { ...AT_VALVE, body: 'solder' });
  assert.equal(line.status, 200, line.text);
  for (const word of ['gasket', 'grease', 'solder'])
    for (const who of [ada, ben, cyd, forge.root]) await assertFound(who, word, false);

  const submitted = await cyd.post(`${REVIEWS}/${pending.id}`, { event: 'COMMENT' });
  assert.equal(submitted.status, 200, submitted.text);
  for (const word of ['gasket', 'grease', 'solder']) await assertFound(ada, word, true);
});

test('a review that is submitted with another text is found by that one', async (t) => {
  const { ada, cyd } = await startPull(t);
  const pending = await review(cyd, { body: 'gasket' });
  await cyd.post(`${REVIEWS}/${pending.id}`, { event: 'COMMENT', body: 'washer' });
  await assertFound(ada, 'gasket', false);
  await assertFound(ada, 'washer', true);
});

test('a deleted pending review finds nothing', async (t) => {
  const { ada, cyd } = await startPull(t);
  const pending = await review(cyd, { body: 'gasket', comments: [{ ...AT_VALVE, body: 'grease' }] });
  assert.equal((await cyd.delete(`${REVIEWS}/${pending.id}`)).status, 204);
  for (const word of ['gasket', 'grease']) await assertFound(ada, word, false);
});

test('comments that are added to a submitted review, and replies, find its pull request until they are deleted', async (t) => {
  const { ada, cyd } = await startPull(t);
  const { id } = await review(ada, { event: 'COMMENT', body: 'gasket' });
  const added = await cyd.post(`${REVIEWS}/${id}/comments`, { ...AT_VALVE, body: 'grease' });
  assert.equal(added.status, 200, added.text);
  const reply = await ada.post(`${PULL}/comments/${added.body.id}/replies`, { body: 'solder' });
  assert.equal(reply.status, 201, reply.text);
  for (const word of ['gasket', 'grease', 'solder']) await assertFound(ada, word, true);

  assert.equal((await ada.delete(`${REVIEWS}/${id}/comments/${added.body.id}`)).status, 204);
  await assertFound(ada, 'grease', false);
  for (const word of ['gasket', 'solder']) await assertFound(ada, word, true);
});

test('a dismissed review is still found, and a deleted one is not, nor are its comments', async (t) => {
  const { ada } = await startPull(t);
  const comments = [{ ...AT_VALVE, body: 'grease' }];
  const { id } = await review(ada, { event: 'APPROVED', body: 'gasket', comments });
  const dismissed = await ada.post(`${REVIEWS}/${id}/dismissals`, { message: 'Too early' });
  assert.equal(dismissed.status, 200, dismissed.text);
  for (const word of ['gasket', 'grease']) await assertFound(ada, word, true);

  assert.equal((await ada.delete(`${REVIEWS}/${id}`)).status, 204);
  for (const word of ['gasket', 'grease']) await assertFound(ada, word, false);
});

test('the words of reviews are deleted with their pull request and with their repository', async (t) => {
  const { ada, forge } = await startPull(t);
  const fields = { event: 'COMMENT', body: 'gasket', comments: [{ ...AT_VALVE, body: 'grease' }] };
  await review(ada, fields);
  assert.deepEqual(await indexed(forge), ['comment', 'line']);
  assert.equal((await ada.delete(`${ENGINE}/issues/1`)).status, 204);
  assert.deepEqual(await indexed(forge), []);

  const opened = await ada.post(`${ENGINE}/pulls`, { title: 'Again', base: 'main', head: 'pump' });
  assert.equal(opened.status, 201, opened.text);
  const again = await ada.post(`${ENGINE}/pulls/2/reviews`, fields);
  assert.equal(again.status, 200, again.text);
  assert.deepEqual(await indexed(forge), ['comment', 'line']);
  assert.equal((await ada.delete(ENGINE)).status, 204);
  await settle(forge);
  assert.deepEqual(await indexed(forge), []);
});

test('comments on lines are found only by viewers who may read the code', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const [ben, cyd, dora] = [
    await forge.account('ben'),
    await forge.account('cyd'),
    await forge.account('dora'),
  ];
  await guild.repository('engine', { auto_init: true, private: true });
  const repositories = ['engine'];
  await guild.team('smiths', {
    members: [ben],
    repositories,
    permission: 'write',
    units: ['repo.code', 'repo.pulls'],
  });
  await guild.team('clerks', { members: [cyd], repositories, permission: 'read', units: ['repo.pulls'] });
  await guild.team('scribes', { members: [dora], repositories, permission: 'read', units: ['repo.issues'] });
  await commitFile(ben, 'valve.txt', 'one\ntwo\nthree\n', {
    repository: HIDDEN,
    branch: 'pump',
    from: 'main',
  });
  const opened = await ben.post(`${HIDDEN}/pulls`, { title: 'Pump', base: 'main', head: 'pump' });
  assert.equal(opened.status, 201, opened.text);
  const fields = { event: 'COMMENT', body: 'gasket', comments: [{ ...AT_VALVE, body: 'grease' }] };
  assert.equal((await ben.post(`${HIDDEN}/pulls/1/reviews`, fields)).status, 200);

  for (const who of [ada, ben]) {
    await assertFound(who, 'gasket', true, HIDDEN);
    await assertFound(who, 'grease', true, HIDDEN);
  }
  await assertFound(cyd, 'gasket', true, HIDDEN);
  await assertFound(cyd, 'grease', false, HIDDEN);
  for (const word of ['gasket', 'grease']) {
    for (const url of searchesOf(word, HIDDEN).filter(
      (each) => !each.includes('type=pulls') && each.startsWith(SEARCH),
    ))
      assert.deepEqual(await numbersAt(dora, url), [], url);
    assert.deepEqual(await numbersAt(dora, `${HIDDEN}/issues?q=${word}`), []);
  }
});

test('comments on lines are found only with a token that may read code', async (t) => {
  const { ada } = await startPull(t);
  await review(ada, { event: 'COMMENT', body: 'gasket', comments: [{ ...AT_VALVE, body: 'grease' }] });
  const cases = { 'read:issue': false, 'read:repository': true };
  for (const [scope, isFound] of Object.entries(cases)) {
    const scopes = isFound ? ['read:issue', scope] : [scope];
    const token = await ada.tokenFor(scopes);
    for (const [word, isExpected] of [
      ['gasket', true],
      ['grease', isFound],
    ] as const)
      for (const path of searchesOf(word)) {
        const { status, text, body } = await ada.get(path, { as: { token } });
        assert.equal(status, 200, text);
        const found = body.map(({ number }: Wire) => number);
        assert.deepEqual(found, isExpected ? [1] : [], `${scope}: ${path}`);
      }
  }
});

test('the job of a migration indexes reviews and their comments, but no pending ones', async (t) => {
  const { forge, ada, cyd } = await startPull(t);
  const comments = Array.from({ length: 60 }, (_, at) => ({ ...AT_VALVE, body: `grease ${at}x` }));
  const empty = { event: 'COMMENT', body: '', comments };
  await review(ada, { event: 'COMMENT', body: 'gasket' });
  for (const fields of [empty, empty, { event: 'APPROVED', body: 'washer' }]) await review(ada, fields);
  await review(cyd, { body: 'bracket', comments: [{ ...AT_VALVE, body: 'solder' }] });
  const { database } = forge.forge.running.engines;
  const repositoryId: number = (await ada.get(ENGINE)).body.id;
  await database.transaction(async (tx) => {
    for (const table of ['comment_texts', 'line_texts']) await query(tx, raw(`delete from ${table}`));
    await query(
      tx,
      raw(`insert into jobs (kind, key, payload, run_at, created_at)
        values ('${INDEXING_JOB}', '${repositoryId}', '{"repositoryId":${repositoryId}}', 0, 0)`),
    );
  });
  assert.equal((await ada.get(`${ENGINE}/issues?q=gasket`)).headers.get('x-search-incomplete'), 'true');
  await settle(forge);
  for (const word of ['gasket', 'washer', 'grease', '0x', '59x']) await assertFound(ada, word, true);
  for (const word of ['bracket', 'solder']) await assertFound(ada, word, false);
});

/** Returns the kinds of texts of which some are indexed. */
async function indexed({ forge }: TestForge): Promise<readonly string[]> {
  const { database } = forge.running.engines;
  const rows = await query<{ kind: string }>(
    database.reader,
    raw(`select 'comment' as kind from comment_texts union select 'line' from line_texts order by 1`),
  );
  return rows.map(({ kind }) => kind);
}
