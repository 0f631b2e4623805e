import assert from 'node:assert/strict';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { CODE_OWNER_LIMITS } from '../../../../../src/tracker/pulls/reviews/owners/limits.ts';
import type { TestForge } from '../../../../support/forge/forge.ts';
import { startGuild } from '../../../../support/forge/organizations.ts';
import { commitAll, git } from '../../../../support/git/git.ts';
import { startWork } from '../../from-git/stage.ts';
import {
  commitFile,
  delayJobs,
  ENGINE,
  FORK,
  forkEngine,
  openPull,
  PULLS,
  settle,
  startEngine,
} from '../../pulls.ts';
import { entries, requested } from '../reviewing.ts';

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

/** Requires that no job that asks owners has failed, and waits to be tried again. */
async function requireNoneLeft({ forge }: TestForge): Promise<void> {
  const { reader } = forge.running.engines.database;
  const jobs = reader.selectFrom('jobs').select('id').where('kind', '=', 'pulls.request-owners');
  assert.deepEqual(await jobs.execute(), []);
}

test('a file of owners counts up to a limit of its size', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const rule = '.* @cyd\n';
  const sizes = [CODE_OWNER_LIMITS.codeOwnersBytesMax, CODE_OWNER_LIMITS.codeOwnersBytesMax + 1];
  const asked: (readonly string[])[] = [];
  for (const [index, size] of sizes.entries()) {
    await commitFile(ada, 'CODEOWNERS', rule + '#'.repeat(size - rule.length));
    await commitFile(ben, `${index}.txt`, 'pump\n', { branch: `b${index}`, from: 'main' });
    await openPull(ben, { head: `b${index}` });
    await settle(forge);
    asked.push(await requested(ada, `${PULLS}/${index + 1}`));
  }
  assert.deepEqual(asked, [['cyd'], []]);
  await requireNoneLeft(forge);
});

test('malformed and hostile patterns own no files, and rules around them count', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await forge.account('dora');
  const hostile = Array.from({ length: 1_000 }, (_, index) => `(.*a){30}b(x|y|.{0,500})${index} @ben\n`);
  await commitFile(ada, 'CODEOWNERS', `.* @cyd\n( @ben\n(.{1000}){3} @ben\n${hostile.join('')}.* @dora\n`);
  await commitFile(ada, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ada);
  await settle(forge);
  assert.deepEqual((await requested(ben)).toSorted(), ['cyd', 'dora']);
  await requireNoneLeft(forge);
});

test('a link is no file of owners', async (t) => {
  const { forge, ada, ben, work } = await startWork(t);
  await writeFile(join(work, 'owners.txt'), '.* @ada\n');
  await symlink('owners.txt', join(work, 'CODEOWNERS'));
  await mkdir(join(work, 'docs'));
  await writeFile(join(work, 'docs', 'CODEOWNERS'), '.* @cyd\n');
  await commitAll(work, 'Add owners');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'HEAD:main']);
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await settle(forge);
  assert.deepEqual(await requested(ada), ['cyd']);
});

test('of more owners than one pull request asks, the first ones are asked', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const names = Array.from({ length: 60 }, (_, index) => `owner${index}`);
  const last = CODE_OWNER_LIMITS.codeOwnersRequestedMax - 1;
  for (const index of [0, last, last + 1]) await forge.account(`owner${index}`);
  await commitFile(ada, 'CODEOWNERS', names.map((name) => `.* @${name}\n`).join(''));
  await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await settle(forge);
  assert.deepEqual((await requested(ada)).toSorted(), ['owner0', `owner${last}`]);
});

test('the file in the root counts before the one in docs/', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  await commitFile(ada, 'docs/CODEOWNERS', '.* @cyd\n');
  for (const [index, text] of ['.* @ada\n', '# no one\n'].entries()) {
    await commitFile(ada, 'CODEOWNERS', text);
    await commitFile(ben, `${index}.txt`, 'pump\n', { branch: `b${index}`, from: 'main' });
    await openPull(ben, { head: `b${index}` });
    await settle(forge);
  }
  assert.deepEqual(await requested(ada), ['ada']);
  assert.deepEqual(await requested(ada, `${PULLS}/2`), [], 'a file without owners counts, too');
});

test('the owner of a file is asked that gets another name', async (t) => {
  const { forge, ada, ben } = await startEngine(t);
  const text = 'pump\n'.repeat(20);
  await commitFile(ada, 'old/pump.txt', text);
  await commitFile(ada, 'CODEOWNERS', 'old/.* @cyd\nnew/.* @ada\n');
  const { sha } = (await ada.get(`${ENGINE}/contents/old/pump.txt`)).body;
  const content = Buffer.from(text).toString('base64');
  const renaming = { content, sha, from_path: 'old/pump.txt', branch: 'main', new_branch: 'pump' };
  const renamed = await ben.put(`${ENGINE}/contents/new/pump.txt`, renaming);
  assert.equal(renamed.status, 200, renamed.text);
  await openPull(ben);
  const [{ status, previous_filename: before }] = (await ada.get(`${PULLS}/1/files`)).body;
  assert.deepEqual([status, before], ['renamed', 'old/pump.txt']);
  await settle(forge);
  assert.deepEqual((await requested(ada)).toSorted(), ['ada', 'cyd']);
});

interface Stage extends Awaited<ReturnType<typeof startEngine>> {}

/** What happens after a pull request opens and before its owners are asked, and who is asked then. */
const CHANGES: Readonly<Record<string, readonly [(stage: Stage) => Promise<unknown>, readonly string[]]>> = {
  'nothing happens': [async () => {}, ['ada', 'cyd']],
  'it is closed': [({ ben }) => ben.patch(`${PULLS}/1`, { state: 'closed' }), []],
  'it becomes a draft': [({ ben }) => ben.patch(`${PULLS}/1`, { title: 'WIP: pump' }), []],
  'its repository is archived': [({ ada }) => ada.patch(ENGINE, { archived: true }), []],
  'one owner is asked already': [
    ({ ben }) => ben.post(`${PULLS}/1/requested_reviewers`, { reviewers: ['cyd'] }),
    ['cyd', 'ada'],
  ],
  'one owner has commented in a review': [
    ({ cyd }) => cyd.post(`${PULLS}/1/reviews`, { event: 'COMMENT', body: 'Hm.' }),
    ['ada'],
  ],
  'one owner has begun a review': [
    ({ cyd }) => cyd.post(`${PULLS}/1/reviews`, { body: 'A draft.' }),
    ['ada', 'cyd'],
  ],
};

for (const [what, [change, expected]] of Object.entries(CHANGES)) {
  test(`owners are asked later, and meanwhile ${what}`, async (t) => {
    const stage = await startEngine(t);
    const { forge, ada, ben } = stage;
    await commitFile(ada, 'CODEOWNERS', '.* @ada @cyd\n');
    await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
    await settle(forge);
    const runJobs = delayJobs(t, forge);
    await openPull(ben);
    await change(stage);
    await runJobs();
    assert.deepEqual(await requested(ada), expected);
    const asked = (await entries(ada, 'review_request')).map(({ assignee }) => assignee.login);
    assert.deepEqual(asked, expected);
  });
}
