import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { startForge } from '../../support/forge/forge.ts';
import { commitAll, git, tryGit, workingCopy } from '../../support/git/git.ts';
import { mirrorOf } from '../../support/git-folder.ts';
import { emptyPack, pushBody, sendGit, ZERO } from './wire.ts';

const OWN = 'refs/quire/keep';

/** Creates a repository with a branch, and a ref of the server itself with a commit that no branch reaches. */
async function stage(t: TestContext) {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const work = await workingCopy(t);
  const remote = ada.remote('ada/engine');
  await writeFile(join(work, 'a'), 'first\n');
  const first = await commitAll(work, 'first');
  await writeFile(join(work, 'a'), 'second\n');
  const second = await commitAll(work, 'second');
  await git(work, ['push', '-q', remote, 'main', `${first}:refs/heads/first`]);
  const storage = forge.forge.running.engines.git;
  await using session = await storage.writes.begin(id);
  const update = { ref: OWN, old: null, new: second };
  await storage.writes.commit(session, [update], { atomic: true, inTransaction: async () => [] });
  await git(work, ['push', '-q', remote, `+${first}:refs/heads/main`]);
  return { forge, ada, id, work, remote, first, second, storage };
}

test('no client sees the refs of the server itself, with any protocol or over the API', async (t) => {
  const { ada, forge, work, remote, storage, id } = await stage(t);
  for (const version of [0, 1, 2]) {
    const listed = await git(work, ['-c', `protocol.version=${version}`, 'ls-remote', remote]);
    assert.match(listed, /refs\/heads\/main/);
    assert.doesNotMatch(listed, /refs\/quire/, `protocol ${version}`);
  }
  const advertised = await forge.send('GET', '/ada/engine.git/info/refs?service=git-receive-pack', {
    as: { token: ada.token },
  });
  assert.match(advertised.text, /refs\/heads\/main/);
  assert.doesNotMatch(advertised.text, /refs\/quire/);
  for (const ref of [OWN, encodeURIComponent(OWN)]) {
    assert.equal((await ada.get(`/api/v1/repos/ada/engine/contents?ref=${ref}`)).status, 404);
  }
  const fork = await ada.post('/api/v1/repos/ada/engine/forks', { name: 'copy' });
  assert.equal(fork.status, 202, fork.text);
  assert.deepEqual([...(await storage.refs.open(fork.body.id)).refs('refs/quire/')], []);
  assert.equal([...(await storage.refs.open(id)).refs('refs/quire/')].length, 1);
});

test('no client creates, moves or deletes a ref of the server itself', async (t) => {
  const { ada, forge, work, remote, first, second, storage, id } = await stage(t);
  for (const refspec of [`${first}:refs/quire/new`, `+${first}:${OWN}`, `:${OWN}`]) {
    const pushed = await tryGit(work, ['push', remote, refspec]);
    assert.notEqual(pushed.exitCode, 0, refspec);
  }
  for (const command of [
    { ref: OWN, old: second, new: first },
    { ref: OWN, old: second, new: ZERO },
  ]) {
    const body = pushBody({ commands: [command], pack: emptyPack() });
    const as = { token: ada.token };
    const answer = await sendGit(forge.url, 'ada/engine/git-receive-pack', { as, body });
    assert.match(answer.text, /ng refs\/quire\/keep refs\/quire\/ is reserved/);
  }
  const { gitDir } = await mirrorOf(storage, await storage.refs.open(id));
  await git(gitDir, ['update-ref', 'refs/quire/by-hand', first]);
  await assert.rejects(storage.upkeep.importRefs(id), /refs\/quire\/ is reserved/);
  const content = Buffer.from('x').toString('base64');
  const written = await ada.post('/api/v1/repos/ada/engine/contents/b', { content, branch: OWN });
  assert.ok(written.status >= 400 && written.status < 500, `${written.status}`);

  assert.deepEqual([...(await storage.refs.open(id)).refs('refs/quire/')], [[OWN, second, null]]);
});
