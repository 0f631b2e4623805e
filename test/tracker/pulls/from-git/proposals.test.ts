import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { PULL_LIMITS } from '../../../../src/tracker/pulls/limits.ts';
import { eventsOf } from '../../../support/forge/events.ts';
import type { TestForge } from '../../../support/forge/forge.ts';
import { commitAll, git, refsOf, tryGit, workingCopy } from '../../../support/git/git.ts';
import { ENGINE, entriesOf, PULLS, settle } from '../pulls.ts';
import { remarksOf, startWork } from './stage.ts';

/** Runs `work` before the next transaction that moves refs of pull requests. */
function beforeNextMove({ forge }: TestForge, work: () => Promise<unknown>): void {
  const { pushes } = forge.running.services;
  const { moveOwnRefs } = pushes;
  pushes.moveOwnRefs = async (...parameters) => {
    pushes.moveOwnRefs = moveOwnRefs;
    await work();
    return moveOwnRefs.apply(pushes, parameters);
  };
}

test('a reader opens a pull request by a push to refs/for/BRANCH/TOPIC', async (t) => {
  const { forge, ada, cyd, work, main, commit, push } = await startWork(t);
  const tip = await commit({ name: 'pump.txt', message: 'Add a pump\n\nIt pumps.\n\nAnd more.' });

  const pushed = await push(cyd, 'HEAD:refs/for/main/pump');

  assert.match(pushed.stdout, /^\*\tHEAD:refs\/pull\/1\/head\t\[new reference\]$/m);
  assert.deepEqual(remarksOf(pushed), [
    '',
    'Visit the existing pull request:',
    `  ${forge.url}/ada/engine/pulls/1`,
    '',
  ]);
  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual(
    [read.title, read.body, read.user.login, read.flow],
    ['Add a pump', 'It pumps.\n\nAnd more.', 'cyd', 1],
  );
  assert.deepEqual([read.head.label, read.head.ref, read.head.sha], ['cyd/pump', 'refs/pull/1/head', tip]);
  assert.deepEqual([read.head.repo.full_name, read.base.ref], ['ada/engine', 'main']);
  assert.deepEqual([read.mergeable, read.merge_base, read.changed_files], [true, main, 1]);
  const refs = [`refs/heads/main ${main}`, `refs/pull/1/head ${tip}`];
  assert.deepEqual(await refsOf(work, ada.remote('ada/engine')), refs);
  const opened = await eventsOf(forge.forge.running.engines.database, 'pull.opened');
  assert.deepEqual(
    opened.map(({ actor, ...event }) => [actor, 'head' in event && event.head]),
    [['cyd', 'cyd/pump']],
  );
  assert.equal((await ada.get(`${PULLS}/main/cyd%2Fpump`)).body.number, 1);
});

test('the options of a push name the topic, the title and the description', async (t) => {
  const { ada, cyd, commit, push } = await startWork(t);
  await commit({ name: 'pump.txt', message: 'Add a pump\n\nIt pumps.' });
  const text = Buffer.from('First line.\n\nSecond: größer.').toString('base64');
  const options = ['topic=A pump', 'title=WIP: Pump', `description={base64}${text}`, 'other=x', 'alone'];
  remarksOf(await push(cyd, ...options.flatMap((option) => ['-o', option]), 'HEAD:refs/for/main'));
  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual(
    [read.title, read.body, read.head.label, read.draft],
    ['WIP: Pump', 'First line.\n\nSecond: größer.', 'cyd/A pump', true],
  );
  // A malformed value is the text itself.
  const literal = ['topic=cyd/two', 'title={base64}?', 'description={base64}/w=='];
  remarksOf(await push(cyd, ...literal.flatMap((option) => ['-o', option]), 'HEAD:refs/for/main'));
  const second = (await ada.get(`${PULLS}/2`)).body;
  assert.deepEqual([second.title, second.body, second.head.label], ['{base64}?', '{base64}/w==', 'cyd/two']);
});

test('the title of a long or empty message is short or the topic', async (t) => {
  const { ada, cyd, work, commit, push } = await startWork(t);
  await commit({ name: 'pump.txt', message: 'x'.repeat(300) });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/long'));
  await git(work, ['commit', '-q', '--allow-empty', '--allow-empty-message', '-m', '']);
  remarksOf(await push(cyd, 'HEAD:refs/for/main/empty'));
  assert.equal((await ada.get(`${PULLS}/1`)).body.title, `${'x'.repeat(254)}…`);
  assert.deepEqual((await ada.get(`${PULLS}/2`)).body.title, 'empty');
});

test('branches and topics may have slashes', async (t) => {
  const { ada, ben, cyd, main, commit, push } = await startWork(t);
  remarksOf(await push(ben, 'HEAD:refs/heads/release/1.0'));
  await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/release/1.0/fix/pump'));
  remarksOf(await push(cyd, '-o', 'topic=fix/pump', 'HEAD:refs/for/main'));
  // The topic in the name counts.
  remarksOf(await push(cyd, '-o', 'topic=other', 'HEAD:refs/for/main/valve'));
  const ends = (await ada.get(`${PULLS}?sort=oldest`)).body.map(
    (pull: { base: { ref: string; sha: string }; head: { label: string } }) => [
      pull.base.ref,
      pull.base.sha,
      pull.head.label,
    ],
  );
  assert.deepEqual(ends, [
    ['release/1.0', main, 'cyd/fix/pump'],
    ['main', main, 'cyd/fix/pump'],
    ['main', main, 'cyd/valve'],
  ]);
});

test('another push with the same topic moves the head of the open pull request', async (t) => {
  const { forge, ada, cyd, commit, push, countPulls } = await startWork(t);
  const first = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  const second = await commit({ name: 'valve.txt' });

  const pushed = await push(cyd, '-o', 'title=ignored', 'HEAD:refs/for/main/pump');

  assert.match(
    pushed.stdout,
    new RegExp(`^ \\tHEAD:refs/pull/1/head\\t${first.slice(0, 7)}\\w*\\.\\.${second.slice(0, 7)}\\w*$`, 'm'),
  );
  assert.deepEqual(remarksOf(pushed)[1], 'Visit the existing pull request:');
  await settle(forge);
  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual(
    [read.title, read.head.sha, read.head.ref, read.changed_files],
    ['pump.txt', second, 'refs/pull/1/head', 2],
  );
  assert.equal((await entriesOf(ada, 1, 'pull_push')).length, 1);
  const moved = await eventsOf(forge.forge.running.engines.database, 'pull.synchronized');
  assert.deepEqual(
    moved.map(({ actor, ...event }) => [
      actor,
      'before' in event && event.before,
      'after' in event && event.after,
    ]),
    [['cyd', first, second]],
  );
  assert.equal(await countPulls(), 1);
});

test('a head moves only forward unless the push says force-push', async (t) => {
  const { ada, cyd, work, commit, push } = await startWork(t);
  const first = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  await git(work, ['commit', '-q', '--amend', '-m', 'Better']);
  for (const options of [[], ['-o', 'force-push=false'], ['--force']]) {
    const refused = await push(cyd, ...options, 'HEAD:refs/for/main/pump');
    assert.equal(refused.exitCode, 1);
    assert.match(
      refused.stdout,
      /^!\tHEAD:refs\/for\/main\/pump\t\[remote rejected\] \(not a fast-forward .*force-push/m,
    );
  }
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, first);
  const tip = await git(work, ['rev-parse', 'HEAD']);
  const forced = await push(cyd, '-o', 'force-push', 'HEAD:refs/for/main/pump');
  assert.match(forced.stdout, /^\+\tHEAD:refs\/pull\/1\/head\t\w+\.\.\.\w+ \(forced update\)$/m);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, tip);
  await git(work, ['commit', '-q', '--amend', '-m', 'Best']);
  const again = await push(cyd, '-o', 'force-push=true', 'HEAD:refs/for/main/pump');
  assert.match(again.stdout, /forced update/);
});

test('pushes to refs/for/ that lead to no pull request', async (t) => {
  const { ben, cyd, work, commit, push, countPulls } = await startWork(t);
  const refused = async (refspec: string, ...options: string[]) => {
    const pushed = await push(cyd, ...options.flatMap((option) => ['-o', option]), refspec);
    assert.equal(pushed.exitCode, 1, pushed.stdout);
    return /\[remote rejected\] \((.*)\)$/m.exec(pushed.stdout)?.[1];
  };
  assert.equal(await refused('HEAD:refs/for/main/pump'), 'the branch main has this commit already');
  await commit({ name: 'pump.txt' });
  assert.match((await refused('HEAD:refs/for/main')) ?? '', /^the topic is missing: /);
  assert.match((await refused('HEAD:refs/for/main', 'topic= ')) ?? '', /^the topic is missing: /);
  assert.equal(
    await refused('HEAD:refs/for/other/pump'),
    'no branch has the name other/pump, or its beginning',
  );
  assert.match(
    (await refused(`HEAD:refs/for/main/${'x'.repeat(240)}/${'x'.repeat(40)}`)) ?? '',
    /^a topic has at most/,
  );
  assert.match((await refused('HEAD:refs/for/main', 'topic=a\u202eb')) ?? '', /no invisible characters$/);
  assert.match(
    (await refused('HEAD:refs/for/main/a', `title=${'x'.repeat(256)}`)) ?? '',
    /^the title of an issue/,
  );
  assert.equal(await refused('HEAD:refs/heads/pump'), 'you may read this repository, but not push to it');
  assert.equal(
    await refused('HEAD:refs/draft/main/pump'),
    'you may read this repository, but not push to it',
  );
  await git(work, ['tag', '-a', '-m', 'tag', 'v1']);
  assert.equal(await refused('v1:refs/for/main/pump'), 'only a commit can be proposed');
  assert.equal(await countPulls(), 0);
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  assert.equal(await refused('HEAD:refs/for/main/pump'), 'the pull request #1 has this commit already');
  // For people who may write, refs/draft/ is a folder of refs like any other.
  remarksOf(await push(ben, 'HEAD:refs/draft/main/pump'));
  assert.equal(await countPulls(), 1);
});

test('a topic has a limited number of bytes', async (t) => {
  const { ada, cyd, commit, push } = await startWork(t);
  await commit({ name: 'pump.txt' });
  const topic = `${'ö'.repeat((PULL_LIMITS.topicBytesMax - 1) / 2)}x`;
  assert.equal(Buffer.byteLength(topic), PULL_LIMITS.topicBytesMax);
  const refused = await push(cyd, '-o', `topic=${topic}y`, 'HEAD:refs/for/main');
  assert.match(refused.stdout, /\[remote rejected\] \(a topic has at most 255 bytes/);
  remarksOf(await push(cyd, '-o', `topic=${topic}`, 'HEAD:refs/for/main'));
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.label, `cyd/${topic}`);
});

/** What happens between the check of a second proposal and its transaction. */
const RACES: Readonly<
  Record<
    string,
    {
      readonly change: (stage: Awaited<ReturnType<typeof startWork>>, other: string) => Promise<unknown>;
      readonly why: string;
      readonly isMoved: boolean;
    }
  >
> = {
  'another push moves its head': {
    change: ({ cyd, push }, other) => push(cyd, `${other}:refs/for/main/pump`),
    why: 'the ref has changed meanwhile',
    isMoved: true,
  },
  'its pull request is closed': {
    change: ({ ada }) => ada.patch(`${PULLS}/1`, { state: 'closed' }),
    why: 'the ref has changed meanwhile',
    isMoved: false,
  },
  'the pusher loses access': {
    change: ({ ada }) => ada.patch(ENGINE, { private: true }),
    why: 'repository not found',
    isMoved: false,
  },
};

for (const [what, { change, why, isMoved }] of Object.entries(RACES)) {
  test(`a proposal is rejected, and has no effect, if ${what} meanwhile`, async (t) => {
    const stage = await startWork(t);
    const { forge, ada, cyd, work, commit, push, countPulls } = stage;
    const first = await commit({ name: 'pump.txt' });
    remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
    const other = await commit({ name: 'valve.txt' });
    await commit({ name: 'gauge.txt' });
    beforeNextMove(forge, () => change(stage, other));
    const pushed = await push(cyd, 'HEAD:refs/for/main/pump');
    assert.match(pushed.stdout, new RegExp(`\\[remote rejected\\] \\(${why}`));
    const { sha } = (await ada.get(`${PULLS}/1`)).body.head;
    assert.equal(sha, isMoved ? other : first);
    assert.deepEqual((await refsOf(work, ada.remote('ada/engine'))).at(-1), `refs/pull/1/head ${sha}`);
    assert.equal(await countPulls(), 1);
  });
}

test('a proposal is rejected if another push opens a pull request with its topic meanwhile', async (t) => {
  const { forge, ada, cyd, commit, push, countPulls } = await startWork(t);
  const first = await commit({ name: 'pump.txt' });
  await commit({ name: 'valve.txt' });
  beforeNextMove(forge, () => push(cyd, `${first}:refs/for/main/pump`));
  const pushed = await push(cyd, 'HEAD:refs/for/main/pump');
  assert.match(pushed.stdout, /\[remote rejected\] \(the ref has changed meanwhile/);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, first);
  assert.equal(await countPulls(), 1);
});

test('no user moves the pull request of a deleted user with the same name', async (t) => {
  const { forge, ada, cyd, commit, push } = await startWork(t);
  const first = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  assert.equal((await forge.root.delete('/api/v1/admin/users/cyd')).status, 204);
  const other = await forge.account('cyd', { email: 'other@example.org' });
  await commit({ name: 'valve.txt' });
  const pushed = await push(other, 'HEAD:refs/for/main/pump');
  assert.match(pushed.stdout, /\(a pull request of another user has this topic/);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, first);
});

test('users do not share topics, and a closed pull request does not move', async (t) => {
  const { ada, ben, cyd, commit, push } = await startWork(t);
  const first = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  remarksOf(await push(ben, 'HEAD:refs/for/main/pump'));
  remarksOf(await push(ben, 'HEAD:refs/for/main/cyd/pump'));
  await cyd.patch(`${PULLS}/1`, { state: 'closed' });
  const second = await commit({ name: 'valve.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  const heads = (await ada.get(`${PULLS}?state=all&sort=oldest`)).body.map(
    (pull: { head: { label: string; sha: string } }) => [pull.head.label, pull.head.sha],
  );
  assert.deepEqual(heads, [
    ['cyd/pump', first],
    ['ben/pump', first],
    ['ben/cyd/pump', first],
    ['cyd/pump', second],
  ]);
  assert.equal((await cyd.patch(`${PULLS}/1`, { state: 'open' })).status, 409);
  await cyd.patch(`${PULLS}/4`, { state: 'closed' });
  assert.equal((await cyd.patch(`${PULLS}/1`, { state: 'open' })).status, 201);
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, second);
});

test('the pull requests of a renamed user get the new name, and no other user moves them', async (t) => {
  const { forge, ada, cyd, commit, push } = await startWork(t);
  await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  const rename = (from: string, to: string) =>
    forge.root.post(`/api/v1/admin/users/${from}/rename`, { new_username: to });
  assert.equal((await rename('cyd', 'Cydney')).status, 204);
  const other = await forge.account('cyd', { email: 'other@example.org' });
  const tip = await commit({ name: 'valve.txt' });
  remarksOf(await push(other, 'HEAD:refs/for/main/pump'));
  remarksOf(await push(cyd, '-o', 'topic=cydney/pump', 'HEAD:refs/for/main'));
  const heads = (await ada.get(`${PULLS}?sort=oldest`)).body.map(
    (pull: { user: { login: string }; head: { label: string; sha: string } }) => [
      pull.user.login,
      pull.head.label,
      pull.head.sha,
    ],
  );
  assert.deepEqual(heads, [
    ['Cydney', 'cydney/pump', tip],
    ['cyd', 'cyd/pump', tip],
  ]);
});

test('a merged proposal leaves no branch, and none with its name is deleted', async (t) => {
  const { forge, ada, ben, cyd, main, commit, push } = await startWork(t);
  const tip = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  await push(ben, `${main}:refs/heads/cyd/pump`);
  const wish = { Do: 'merge', delete_branch_after_merge: true };
  assert.equal((await ada.post(`${PULLS}/1/merge`, wish)).status, 200);
  await settle(forge);
  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.merged, read.state, read.head.ref], [true, 'closed', 'refs/pull/1/head']);
  const merge = (await ada.get(`${ENGINE}/git/commits/${read.merge_commit_sha}`)).body;
  assert.match(merge.commit.message, /^Merge pull request 'pump.txt' \(#1\) from cyd\/pump into main\n/);
  assert.equal((await ada.get(`${ENGINE}/branches/cyd%2Fpump`)).body.commit.id, main);
  // The next push with this topic opens another pull request.
  const next = await commit({ name: 'valve.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, tip);
  assert.equal((await ada.get(`${PULLS}/2`)).body.head.sha, next);
});

test('a proposal keeps its name when a branch with this name gets another one', async (t) => {
  const { forge, ada, ben, cyd, main, commit, push } = await startWork(t);
  const tip = await commit({ name: 'pump.txt' });
  remarksOf(await push(cyd, 'HEAD:refs/for/main/pump'));
  remarksOf(await push(ben, `${main}:refs/heads/cyd/pump`));
  assert.equal((await ada.patch(`${ENGINE}/branches/cyd%2Fpump`, { name: 'tap' })).status, 204);
  await settle(forge);
  const { state, head } = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([state, head.label, head.sha], ['open', 'cyd/pump', tip]);
  assert.equal((await ada.delete(`${ENGINE}/branches/tap`)).status, 204);
  remarksOf(await push(ben, `${main}:refs/heads/cyd/pump`));
  assert.equal((await ada.delete(`${ENGINE}/branches/cyd%2Fpump`)).status, 204);
  await settle(forge);
  assert.equal((await ada.get(`${PULLS}/1`)).body.state, 'open');
});

for (const size of ['small', 'large']) {
  test(`a ${size} push moves branches and proposes commits, each by itself`, async (t) => {
    const { ada, ben, work, main, push } = await startWork(t);
    if (size === 'large')
      for (let file = 0; file < 300; file += 1) await writeFile(join(work, `${file}`), randomBytes(4_000));
    await writeFile(join(work, 'pump.txt'), 'pump\n');
    const tip = await commitAll(work, 'Add a pump');
    const remote = ada.remote('ada/engine');
    // The name of the first branch is in the way of the second one, so no branch moves.
    const refs = ['HEAD:refs/heads/main/pump', 'HEAD:refs/for/main/one', 'HEAD:refs/for/none/x'];
    const some = await tryGit(work, ['push', '--porcelain', ben.remote('ada/engine'), ...refs]);
    assert.match(some.stdout, /^!\tHEAD:refs\/heads\/main\/pump\t/m);
    assert.match(some.stdout, /^\*\tHEAD:refs\/pull\/1\/head\t/m);
    assert.match(some.stdout, /^!\tHEAD:refs\/for\/none\/x\t/m);
    assert.deepEqual(await refsOf(work, remote), [`refs/heads/main ${main}`, `refs/pull/1/head ${tip}`]);

    await git(work, ['commit', '-q', '--amend', '-m', 'Again']);
    const next = await git(work, ['rev-parse', 'HEAD']);
    const both = ['HEAD:refs/heads/next', 'HEAD:refs/for/main/two'];
    remarksOf(await tryGit(work, ['push', '--porcelain', ben.remote('ada/engine'), ...both]));
    assert.deepEqual(await refsOf(work, remote), [
      `refs/heads/main ${main}`,
      `refs/heads/next ${next}`,
      `refs/pull/1/head ${tip}`,
      `refs/pull/2/head ${next}`,
    ]);
    assert.equal(await push(ada, ':refs/heads/next').then(({ exitCode }) => exitCode), 0);
    const copy = await workingCopy(t);
    await git(copy, ['fetch', '-q', remote, 'refs/*:refs/copied/*']);
    await git(copy, ['fsck', '--strict']);
  });
}

test('a new branch takes a proposal of the same push', async (t) => {
  const { ada, ben, work, commit, main } = await startWork(t);
  await commit({ name: 'pump.txt' });
  const refs = ['HEAD~1:refs/heads/next', 'HEAD:refs/for/next/pump'];
  remarksOf(await tryGit(work, ['push', ben.remote('ada/engine'), ...refs]));
  const read = (await ada.get(`${PULLS}/1`)).body;
  assert.deepEqual([read.base.ref, read.base.sha, read.merge_base], ['next', main, main]);
});

test("of a reader's push, only the proposals count; an atomic push has one alone", async (t) => {
  const { ada, ben, cyd, work, commit } = await startWork(t);
  await commit({ name: 'pump.txt' });
  await git(work, ['tag', '-a', '-m', 'tag', 'v1']);
  const pushAll = (who: typeof cyd, ...args: string[]) =>
    tryGit(work, ['push', '--porcelain', ...args.slice(0, 1), who.remote('ada/engine'), ...args.slice(1)]);
  const mixed = await pushAll(cyd, '--follow-tags', 'HEAD:refs/for/main/pump', 'HEAD:refs/heads/pump');
  assert.equal(mixed.exitCode, 1);
  assert.match(mixed.stdout, /^\*\tHEAD:refs\/pull\/1\/head\t/m);
  assert.equal(mixed.stdout.match(/you may read this repository, but not push to it/g)?.length, 2);
  for (const who of [ben, cyd]) {
    const atomic = await pushAll(who, '--atomic', 'HEAD:refs/for/main/two', 'HEAD:refs/heads/pump');
    assert.equal(atomic.stdout.match(/\[remote rejected\]/g)?.length, 2, atomic.stdout);
  }
  const alone = await pushAll(cyd, '--atomic', 'HEAD:refs/for/main/two');
  assert.match(alone.stdout, /^\*\tHEAD:refs\/pull\/2\/head\t/m);
  const refs = (await refsOf(work, ada.remote('ada/engine'))).map((line) => line.split(' ')[0]);
  assert.deepEqual(refs, ['refs/heads/main', 'refs/pull/1/head', 'refs/pull/2/head']);
});

for (const version of [0, 1, 2]) {
  test(`a client that prefers protocol ${version} can propose commits`, async (t) => {
    const { ada, cyd, work, commit } = await startWork(t);
    const tip = await commit({ name: 'pump.txt' });
    const args = ['-c', `protocol.version=${version}`, 'push', '-q', '-o', 'topic=pump'];
    await git(work, [...args, cyd.remote('ada/engine'), 'HEAD:refs/for/main']);
    assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, tip);
  });
}
