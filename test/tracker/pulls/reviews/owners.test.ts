import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startGuild } from '../../../support/forge/organizations.ts';
import { commitFile, ENGINE, FORK, forkEngine, openPull, PULLS, settle, startEngine } from '../pulls.ts';
import { entries, requested } from './reviewing.ts';

test('owners of changed files are asked when a pull request opens', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await forge.account('dora');
  await commitFile(ada, 'CODEOWNERS', '.*\\\\.txt @cyd @missing @ben\nREADME.* @dora\n!pump.* @ada\n');
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await settle(forge);
  assert.deepEqual(await requested(ada), ['cyd'], 'neither the author nor owners of other files');
  const [entry] = await entries(ada, 'review_request');
  assert.deepEqual([entry.user.login, entry.assignee.login], ['ben', 'cyd']);
});

test('owners of a draft are asked when it becomes ready, and only then', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ada, 'CODEOWNERS', '.* @cyd\n');
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben, { title: 'WIP: Add a pump' });
  await settle(forge);
  assert.deepEqual(await requested(ada), []);
  await ben.patch(`${ENGINE}/issues/1`, { title: 'Add a pump' });
  await settle(forge);
  assert.deepEqual(await requested(ada), ['cyd']);
  await ben.delete(`${PULLS}/1/requested_reviewers`, { reviewers: ['cyd'] });
  await ben.patch(`${PULLS}/1`, { title: 'Add two pumps' });
  await settle(forge);
  assert.deepEqual(await requested(ada), [], 'another title asks no one again');
});

test('the base branch names the owners, in the first file that it has', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await forge.account('dora');
  await commitFile(ada, '.forgejo/CODEOWNERS', '.* @dora\n', { branch: 'release', from: 'main' });
  await commitFile(ada, 'docs/CODEOWNERS', '.* @cyd\n', { branch: 'release' });
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'release' });
  await openPull(ben, { base: 'release' });
  await commitFile(ben, 'CODEOWNERS', '.* @dora\n', { branch: 'own', from: 'main' });
  await openPull(ben, { head: 'own', title: 'Own' });
  await settle(forge);
  assert.deepEqual(await requested(ada), ['cyd']);
  assert.deepEqual(await requested(ada, `${PULLS}/2`), [], 'the head names no owners');
});

test('teams of the organization own files, teams of others and users without access do not', async (t) => {
  const guild = await startGuild(t);
  const { forge, ada } = guild;
  const ben = await forge.account('ben');
  await forge.account('dora');
  await guild.repository('engine', { auto_init: true, private: true });
  const units = ['repo.code', 'repo.pulls'];
  await guild.team('smiths', { members: [ben], repositories: ['engine'], permission: 'write', units });
  await guild.team('others', { units, permission: 'write' });
  const repository = '/api/v1/repos/guild/engine';
  const owners = '.* @guild/Smiths @guild/others @other/smiths @dora\n';
  await commitFile(ada, '.gitea/CODEOWNERS', owners, { repository });
  await commitFile(ben, 'pump.txt', 'pump\n', { repository, branch: 'pump', from: 'main' });
  const opened = await ben.post(`${repository}/pulls`, { title: 'Pump', base: 'main', head: 'pump' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);
  assert.deepEqual(await requested(ada, `${repository}/pulls/1`), ['team smiths']);
});

test('a pull request in a fork asks no owners', async (t) => {
  const { forge, ada, cyd } = await startEngine(t);
  await commitFile(ada, 'CODEOWNERS', '.* @ben\n');
  await forkEngine(cyd);
  const opened = await cyd.post(`${FORK}/pulls`, { title: 'Pump', base: 'main', head: 'pump' });
  assert.equal(opened.status, 201, opened.text);
  await settle(forge);
  assert.deepEqual(await requested(cyd, `${FORK}/pulls/1`), []);
});

test('a file of owners that is too large, hostile or a link is ignored', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const hostile = Array.from({ length: 4_000 }, (_, index) => `(.*a){30}b(x|y|.{0,500})${index} @cyd\n`);
  await commitFile(ada, 'CODEOWNERS', `${hostile.join('')}.* @cyd\n`);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await commitFile(ada, 'CODEOWNERS', `.* @cyd\n${'#'.repeat(300_000)}`);
  await commitFile(ben, 'valve.txt', 'valve\n', { branch: 'valve', from: 'main' });
  await openPull(ben, { head: 'valve', title: 'Valve' });
  await settle(forge);
  for (const number of [1, 2]) assert.deepEqual(await requested(ada, `${PULLS}/${number}`), []);
  const failed = await forge.forge.running.services.jobs.count();
  assert.equal(failed.failed, 0);
});

test('more owners than one pull request asks', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const names = Array.from({ length: 60 }, (_, index) => `owner${index}`);
  for (const name of names.slice(0, 3)) await forge.account(name);
  await commitFile(ada, 'CODEOWNERS', names.map((name) => `.* @${name}\n`).join(''));
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await settle(forge);
  assert.deepEqual((await requested(ada)).toSorted(), ['owner0', 'owner1', 'owner2']);
});
