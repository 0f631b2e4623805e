import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { packOf, pktLines, pushBody, sendGit, sideBands } from '../../../code/transport/wire.ts';
import { setRow } from '../../../hosting/repositories/rows.ts';
import type { Person } from '../../../support/forge/forge.ts';
import { git, tryGit } from '../../../support/git/git.ts';
import { ENGINE, FORK, openPull, PULLS } from '../pulls.ts';
import { remarksOf, startWork } from './stage.ts';

function visit(url: string): readonly string[] {
  return ['', 'Visit the existing pull request:', `  ${url}`, ''];
}

function create(branch: string, url: string): readonly string[] {
  return ['', `Create a new pull request for '${branch}':`, `  ${url}`, ''];
}

/** Pushes refs to a repository, and returns what the server says. */
async function startPushes(t: TestContext) {
  const started = await startWork(t);
  const { work, forge } = started;
  const pushTo = async (who: Person, path: string, ...refs: readonly string[]) =>
    remarksOf(await tryGit(work, ['push', who.remote(path), ...refs]));
  return { ...started, pushTo, url: `${forge.url}/ada/engine` };
}

test('after a push of a new branch, the server says where to open a pull request', async (t) => {
  const { ada, ben, url, pushTo, commit } = await startPushes(t);
  const engine = 'ada/engine';
  await commit({ name: 'pump.txt' });
  const expected = create('fix/größe', `${url}/compare/main...fix/gr%C3%B6%C3%9Fe`);
  assert.deepEqual(await pushTo(ben, engine, 'HEAD:refs/heads/fix/größe'), expected);
  await commit({ name: 'valve.txt' });
  // Only once, and neither for the default branch, nor for tags and deletions.
  assert.deepEqual(await pushTo(ben, engine, 'HEAD:refs/heads/fix/größe'), []);
  assert.deepEqual(
    await pushTo(ben, engine, 'HEAD:main', 'HEAD:refs/tags/v1', 'HEAD:refs/notes/commits'),
    [],
  );
  assert.deepEqual(await pushTo(ben, engine, ':refs/heads/fix/größe', ':refs/tags/v1'), []);
  await ada.patch(ENGINE, { has_pull_requests: false });
  assert.deepEqual(await pushTo(ben, engine, 'HEAD:refs/heads/pump'), []);
});

test('the server says nothing about branches that make a repository', async (t) => {
  const { ada, pushTo, commit } = await startPushes(t);
  await ada.repository('empty');
  await commit({ name: 'pump.txt' });
  assert.deepEqual(await pushTo(ada, 'ada/empty', 'HEAD:refs/heads/trunk', 'HEAD:refs/heads/pump'), []);
});

test('after a push to a branch with pull requests, the server says where they are', async (t) => {
  const { ben, url, pushTo, commit } = await startPushes(t);
  await commit({ name: 'pump.txt' });
  await pushTo(ben, 'ada/engine', 'HEAD:refs/heads/pump', 'HEAD~1:refs/heads/next');
  await openPull(ben);
  await openPull(ben, { base: 'next' });
  await commit({ name: 'valve.txt' });
  const both = [...visit(`${url}/pulls/1`), ...visit(`${url}/pulls/2`)];
  assert.deepEqual(await pushTo(ben, 'ada/engine', 'HEAD:refs/heads/pump'), both);
  await ben.patch(`${PULLS}/2`, { state: 'closed' });
  await commit({ name: 'gauge.txt' });
  const mixed = [...visit(`${url}/pulls/1`), ...create('gauge', `${url}/compare/main...gauge`)];
  const refs = ['HEAD:refs/heads/pump', 'HEAD:refs/heads/gauge'];
  assert.deepEqual((await pushTo(ben, 'ada/engine', ...refs)).sort(), [...mixed].sort());
});

test('the server says nothing about the default branch, even if it is the head of a pull request', async (t) => {
  const { ben, url, pushTo, commit } = await startPushes(t);
  await pushTo(ben, 'ada/engine', 'HEAD:refs/heads/next');
  await commit({ name: 'pump.txt' });
  await pushTo(ben, 'ada/engine', 'HEAD:main');
  await openPull(ben, { base: 'next', head: 'main' });
  await commit({ name: 'valve.txt' });
  assert.deepEqual(await pushTo(ben, 'ada/engine', 'HEAD:main'), []);
  const both = await pushTo(ben, 'ada/engine', 'HEAD~1:refs/heads/gauge', 'HEAD:refs/heads/next');
  assert.deepEqual(both, create('gauge', `${url}/compare/main...gauge`));
});

test('a branch of a fork leads to the parent, as far as the pusher sees it', async (t) => {
  const { ada, cyd, url, forge, pushTo, commit } = await startPushes(t);
  assert.equal((await cyd.post(`${ENGINE}/forks`, {})).status, 202);
  await commit({ name: 'pump.txt' });
  const push = (...refs: string[]) => pushTo(cyd, 'cyd/engine', ...refs);
  const toParent = create('cyd:pump', `${url}/compare/main...cyd:pump`);
  assert.deepEqual(await push('HEAD:refs/heads/pump'), toParent);
  assert.equal((await openPull(cyd, { head: 'cyd:pump' })).number, 1);
  await commit({ name: 'valve.txt' });
  assert.deepEqual(await push('HEAD:refs/heads/pump'), visit(`${url}/pulls/1`));
  // The default branch of a fork may be a head, too.
  assert.deepEqual(await push('HEAD:main'), []);
  assert.equal((await openPull(cyd, { head: 'cyd:main' })).number, 2);
  await commit({ name: 'dial.txt' });
  assert.deepEqual(await push('HEAD:main'), visit(`${url}/pulls/2`));

  await ada.patch(ENGINE, { private: true });
  await commit({ name: 'gauge.txt' });
  const own = `${forge.url}/cyd/engine/compare/main`;
  assert.deepEqual(
    await push('HEAD:refs/heads/pump', 'HEAD:refs/heads/gauge'),
    create('gauge', `${own}...gauge`),
  );
  await ada.patch(ENGINE, { private: false, has_pull_requests: false });
  assert.deepEqual(await push('HEAD:refs/heads/dial'), create('dial', `${own}...dial`));
  await cyd.patch(FORK, { has_pull_requests: false });
  assert.deepEqual(await push('HEAD:refs/heads/lever'), []);
  await ada.patch(ENGINE, { has_pull_requests: true });
  const { id } = (await ada.get(ENGINE)).body;
  await setRow(forge, id, { archived_at: Date.now() });
  assert.deepEqual(await push('HEAD:refs/heads/crank'), []);
});

test('the answer to one push has a limited number of remarks', async (t) => {
  const { ben, work, url, pushTo, commit } = await startPushes(t);
  await commit({ name: 'pump.txt' });
  const branches = Array.from({ length: 30 }, (_, number) => `b${number}`);
  for (const branch of branches) await git(work, ['branch', branch]);
  const remarks = await pushTo(ben, 'ada/engine', 'refs/heads/b*:refs/heads/b*');
  assert.equal(remarks.length, 40);
  assert.equal(remarks.filter((line) => line.startsWith(`  ${url}/compare/main...b`)).length, 10);
});

test('a client without side bands gets a report only', async (t) => {
  const { forge, ben, work, main, commit } = await startPushes(t);
  const tip = await commit({ name: 'pump.txt' });
  const pack = await packOf(work, [tip, `^${main}`]);
  const send = (ref: string, capabilities: string) => {
    const body = pushBody({ commands: [{ new: tip, ref }], capabilities, pack });
    return sendGit(forge.url, 'ada/engine/git-receive-pack', { as: { token: ben.token }, body });
  };
  const plain = await send('refs/heads/pump', 'report-status');
  assert.deepEqual(pktLines(plain.bytes), ['unpack ok', 'ok refs/heads/pump', '0000']);
  const { 2: said } = sideBands((await send('refs/heads/valve', 'side-band-64k')).bytes);
  assert.match(
    said.toString(),
    /^\nCreate a new pull request for 'valve':\n {2}http\S+\/compare\/main\.\.\.valve\n\n$/,
  );
});

test('a push succeeds even if something fails that is said about it', async (t) => {
  const { forge, ben, url, pushTo, commit } = await startPushes(t);
  forge.stopAfterTest();
  const { transport } = forge.forge.running.services;
  await commit({ name: 'pump.txt' });
  transport.addRemarks(async () => {
    throw new Error('no remarks');
  });
  const said = create('pump', `${url}/compare/main...pump`);
  assert.deepEqual(await pushTo(ben, 'ada/engine', 'HEAD:refs/heads/pump'), said);
  assert.equal((await ben.get(`${ENGINE}/branches/pump`)).status, 200);
});
