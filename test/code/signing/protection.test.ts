import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Person } from '../../support/forge/forge.ts';
import { isInstalled } from '../../support/tools.ts';
import { commitFile, ENGINE, openPull, PULLS, startEngine } from '../../tracker/pulls/pulls.ts';
import { protect } from '../protection/world.ts';
import { NEW_PAIR, TOOL } from './server-keys.ts';
import { startSigning, tipOf, verificationOf } from './world.ts';

const SIGNED = { enable_push: true, require_signed_commits: true };
const STYLES = ['merge', 'squash', 'rebase', 'rebase-merge'];

/** Opens a pull request, whose base moves on. @returns the head */
async function openDiverged(ada: Person, ben: Person, name: string): Promise<string> {
  const head = await commitFile(ben, `${name}.txt`, 'x\n', { branch: name, from: 'main' });
  await commitFile(ada, `${name}-base.txt`, 'x\n');
  await openPull(ben, { head: name, title: name });
  return head;
}

/** Commits a file with a committer for whom the server does not sign. */
async function commitUnsigned(who: Person, branch: string, path = 'unsigned.txt') {
  const committer = { name: 'Eve', email: 'eve@example.com' };
  const content = Buffer.from('x\n').toString('base64');
  return who.post(`${ENGINE}/contents/${path}`, { content, branch, message: 'Unsigned', committer });
}

for (const kind of ['SSH', 'OpenPGP'] as const) {
  test(`a branch for signed commits takes what a server with an ${kind} key makes of signed commits`, async (t) => {
    if (!(await isInstalled(TOOL[kind]))) return t.skip(`${TOOL[kind]} is not installed`);
    const { ada, ben } = await startSigning(t, await NEW_PAIR[kind](t));
    await protect(ada, 'main', SIGNED);
    for (const [at, Do] of STYLES.entries()) {
      await openDiverged(ada, ben, `by-${Do}`);
      const merged = await ada.post(`${PULLS}/${at + 1}/merge`, { Do });
      assert.equal(merged.status, 200, merged.text);
      assert.equal((await verificationOf(ada, await tipOf(ada))).verified, true);
    }
    const tip = await tipOf(ada);
    const reverted = await ada.post(`${ENGINE}/commits/${await commitFile(ada, 'a', 'a')}/revert`, {});
    assert.equal(reverted.status, 201, reverted.text);
    assert.notEqual(await tipOf(ada), tip);
    const unsigned = await commitUnsigned(ben, 'main');
    assert.equal(unsigned.status, 403, unsigned.text);
    assert.match(unsigned.body.message, /takes only signed commits, and [0-9a-f]{10} is not signed/);
  });
}

async function requireRefused(who: Person, number: number, Do: string): Promise<void> {
  const before = await tipOf(who);
  const refused = await who.post(`${PULLS}/${number}/merge`, { Do });
  assert.equal(refused.status, 405, refused.text);
  assert.match(refused.body.message, /signed commits, and [0-9a-f]{10} is not signed/);
  assert.equal(await tipOf(who), before);
  assert.equal((await who.get(`${PULLS}/${number}`)).body.merged, false);
}

test('a branch for signed commits takes no merge of an unsigned commit, but a squash or a rebase of it', async (t) => {
  if (!(await isInstalled('ssh-keygen'))) return t.skip('ssh-keygen is not installed');
  const { ada, ben } = await startSigning(t, await NEW_PAIR.SSH(t));
  await protect(ada, 'main', SIGNED);
  await openDiverged(ada, ben, 'one');
  assert.equal((await commitUnsigned(ben, 'one', 'one-more.txt')).status, 201);
  await requireRefused(ada, 1, 'merge');
  assert.equal((await ada.post(`${PULLS}/1/merge`, { Do: 'squash' })).status, 200);
  await openDiverged(ada, ben, 'two');
  assert.equal((await commitUnsigned(ben, 'two', 'two-more.txt')).status, 201);
  assert.equal((await ada.post(`${PULLS}/2/merge`, { Do: 'rebase' })).status, 200);
  // A commit that follows the base already stays as it is.
  await commitFile(ben, 'three.txt', 'x\n', { branch: 'three', from: 'main' });
  assert.equal((await commitUnsigned(ben, 'three', 'three-more.txt')).status, 201);
  await openPull(ben, { head: 'three', title: 'three' });
  await requireRefused(ada, 3, 'rebase');
});

test('without a key of the server, a branch for signed commits takes no merge and no file over the API', async (t: TestContext) => {
  const { ada, ben } = await startEngine(t);
  await openDiverged(ada, ben, 'one');
  await protect(ada, 'main', SIGNED);
  for (const Do of STYLES) await requireRefused(ada, 1, Do);
  assert.equal((await commitUnsigned(ben, 'main')).status, 403);
});
