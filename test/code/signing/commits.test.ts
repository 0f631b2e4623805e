import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { commitAll, git, temporaryFolder } from '../../support/git/git.ts';
import { isInstalled } from '../../support/tools.ts';
import { commitFile, ENGINE, openPull, PULLS } from '../../tracker/pulls/pulls.ts';
import { NEW_PAIR, requireAllSigned, TOOL, verifierWith } from './server-keys.ts';
import { byServer, mirrorOf, publicKey, SIGNER, startSigning, tipOf, verificationOf } from './world.ts';

/** Opens a pull request of one commit, whose base moves on, and merges it. */
async function mergeOne(ada: Person, ben: Person, style: string, number: number): Promise<void> {
  const branch = `topic-${style}`;
  await commitFile(ben, `${style}.txt`, 'x\n', { branch, from: 'main' });
  await commitFile(ada, `${style}-base.txt`, 'x\n');
  await openPull(ben, { head: branch, title: style });
  const merged = await ada.post(`${PULLS}/${number}/merge`, { Do: style, MergeTitleField: `By ${style}` });
  assert.equal(merged.status, 200, merged.text);
}

for (const kind of ['SSH', 'OpenPGP'] as const) {
  for (const format of ['sha1', 'sha256'] as const) {
    test(`git verifies all commits of files that a server with an ${kind} key makes in a ${format} repository`, async (t) => {
      if (!(await isInstalled(TOOL[kind]))) return t.skip(`${TOOL[kind]} is not installed`);
      const pair = await NEW_PAIR[kind](t);
      const record = { object_format_name: format };
      const { forge, ada } = await startSigning(t, pair, { record });
      const verify = await verifierWith(t, await publicKey(forge, kind));
      const content = Buffer.from('one\n').toString('base64');
      const written = await ada.post(`${ENGINE}/contents/a.txt`, { content, message: 'Create' });
      const { sha } = written.body.content;
      const { verified, reason, signer } = written.body.verification;
      assert.deepEqual({ verified, reason, signer }, byServer(pair));
      const two = Buffer.from('two\n').toString('base64');
      const updated = await ada.put(`${ENGINE}/contents/a.txt`, { content: two, sha, message: 'Update' });
      const files = [{ operation: 'create', path: 'b.txt', content }];
      await ada.post(`${ENGINE}/contents`, { files, message: 'Change several' });
      const patch =
        'diff --git a/c.txt b/c.txt\nnew file mode 100644\n--- /dev/null\n+++ b/c.txt\n@@ -0,0 +1 @@\n+c\n';
      assert.equal((await ada.post(`${ENGINE}/diffpatch`, { content: patch, message: 'Patch' })).status, 200);
      const deleted = { sha: updated.body.content.sha, message: 'Delete' };
      assert.equal((await ada.delete(`${ENGINE}/contents/a.txt`, deleted)).status, 200);
      assert.equal((await ada.post(`${ENGINE}/git/notes/main`, { message: 'note' })).status, 200);
      const subjects = ['Initial commit', 'Create', 'Update', 'Change several', 'Patch', 'Delete'];
      const mirror = await mirrorOf(t, ada, 'ada/engine');
      await requireAllSigned(verify, mirror, [...subjects, "Notes added by 'git notes add'"]);
      assert.deepEqual(await verificationOf(ada, await tipOf(ada)), byServer(pair));
      assert.equal(await git(mirror, ['log', '-1', '--format=%cn <%ce>', 'main']), 'ada <ada@example.org>');
    });
  }

  test(`git verifies all commits of merges, updates, reverts and cherry-picks by a server with an ${kind} key`, async (t) => {
    if (!(await isInstalled(TOOL[kind]))) return t.skip(`${TOOL[kind]} is not installed`);
    const pair = await NEW_PAIR[kind](t);
    const { forge, ada, ben } = await startSigning(t, pair);
    const verify = await verifierWith(t, await publicKey(forge, kind));
    for (const [at, style] of ['merge', 'squash', 'rebase', 'rebase-merge'].entries())
      await mergeOne(ada, ben, style, at + 1);
    for (const [style, number] of [
      ['merge', 5],
      ['rebase', 6],
    ] as const) {
      await commitFile(ben, `u-${style}.txt`, 'x\n', { branch: `u-${style}`, from: 'main' });
      await commitFile(ada, `u-${style}-base.txt`, 'x\n');
      await openPull(ben, { head: `u-${style}`, title: style });
      const updated = await ben.post(`${PULLS}/${number}/update?style=${style}`);
      assert.equal(updated.status, 200, updated.text);
    }
    const sha = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
    const picked = await ada.post(`${ENGINE}/commits/${sha}/cherry-pick`, {});
    const reverted = await ada.post(`${ENGINE}/commits/${picked.body.sha}/revert`, {});
    assert.deepEqual([picked.status, reverted.status], [201, 201]);
    assert.deepEqual(await verificationOf(ada, reverted.body.sha), byServer(pair));
    const mirror = await mirrorOf(t, ada, 'ada/engine');
    const all = (await git(mirror, ['log', '--all', '--format=%s'])).split('\n');
    await requireAllSigned(verify, mirror, all);
    for (const subject of [
      'By merge',
      'By squash',
      'Write rebase.txt',
      'By rebase-merge',
      "Merge branch 'main' into u-merge",
      'Write u-rebase.txt',
      'Revert "Write pump.txt"',
    ])
      assert.ok(all.includes(subject), subject);
  });
}

test('git verifies the commits of generated repositories and of notes', async (t) => {
  if (!(await isInstalled('ssh-keygen'))) return t.skip('ssh-keygen is not installed');
  const pair = await NEW_PAIR.SSH(t);
  const { forge, ada, ben } = await startSigning(t, pair, { record: { template: true } });
  const verify = await verifierWith(t, await publicKey(forge, 'SSH'));
  const generated = await ben.post(`${ENGINE}/generate`, { name: 'mine', owner: 'ben', git_content: true });
  assert.equal(generated.status, 201, generated.text);
  await requireAllSigned(verify, await mirrorOf(t, ben, 'ben/mine'), ['Initial commit']);
  const app = new NotesApp(forge, ada);
  const { id, etag } = await app.create({ title: 'Pump', content: 'one\n' });
  await app.update(id, { content: 'two\n' });
  await app.send('PUT', `/${id}`, { json: { content: 'one\nmore\n' }, headers: { 'if-match': `"${etag}"` } });
  const repository = (await ada.get('/api/v1/user/repos')).body.find(
    ({ name }: { name: string }) => name !== 'engine',
  );
  const mirror = await mirrorOf(t, ada, repository.full_name);
  const all = (await git(mirror, ['log', '--all', '--format=%s'])).split('\n');
  assert.ok(all.length >= 2, all.join());
  await requireAllSigned(verify, mirror, all);
});

test('D8: the server does not sign a commit whose committer is not the user who asked for it', async (t) => {
  if (!(await isInstalled('ssh-keygen'))) return t.skip('ssh-keygen is not installed');
  const pair = await NEW_PAIR.SSH(t);
  const { ada, ben } = await startSigning(t, pair);
  await ben.patch('/api/v1/user/settings', { hide_email: true });
  const content = Buffer.from('x\n').toString('base64');
  let count = 0;
  const write = async (people: object) => {
    count += 1;
    const body = { content, message: 'Write', ...people };
    const { body: written } = await ben.post(`${ENGINE}/contents/${count}.txt`, body);
    return (await verificationOf(ada, written.commit.sha)).verified;
  };
  const [adas, bens] = [
    { name: 'Ada', email: 'ada@example.org' },
    { name: 'B', email: 'Ben@example.org' },
  ];
  assert.equal(await write({}), true);
  assert.equal(await write({ committer: bens }), true);
  assert.equal(await write({ author: adas, committer: bens }), true);
  assert.equal(await write({ author: bens }), true);
  assert.equal(await write({ committer: adas }), false);
  assert.equal(await write({ author: adas }), false);
  assert.equal(await write({ author: bens, committer: adas }), false);

  // The caller states the whole commit, and may sign it.
  const { tree } = (await ada.get(`${ENGINE}/git/commits/${await tipOf(ada)}`)).body.commit;
  const made = await ben.post(`${ENGINE}/git/commits`, { message: 'Made', tree: tree.sha, parents: [] });
  assert.equal(made.status, 201, made.text);
  assert.equal((await verificationOf(ada, made.body.sha)).verified, false);
});

test('D8: commits with a changed content, and by another key, are not verified with the key of the server', async (t) => {
  if (!(await isInstalled('ssh-keygen'))) return t.skip('ssh-keygen is not installed');
  const pair = await NEW_PAIR.SSH(t);
  const { forge, ada } = await startSigning(t, pair);
  const tip = await tipOf(ada);
  const clone = await temporaryFolder(t);
  await git(clone, ['clone', '-q', ada.remote('ada/engine'), '.']);
  const text = await git(clone, ['cat-file', 'commit', tip]);
  const tampered = await git(clone, ['hash-object', '-w', '-t', 'commit', '--stdin'], {
    input: `${text.replace('Initial', 'Changed')}\n`,
  });
  await git(clone, ['push', '-q', 'origin', `${tampered}:refs/heads/tampered`]);
  const { verified, reason } = await verificationOf(ada, tampered);
  assert.deepEqual([verified, reason], [false, 'gpg.error.probable_bad_signature']);

  // A user who adds the public key of the server is not taken for its owner.
  const added = await ada.post('/api/v1/user/keys', { key: await publicKey(forge, 'SSH'), title: 'server' });
  assert.equal(added.status, 201, added.text);
  assert.deepEqual(await verificationOf(ada, tip), byServer(pair));
  const other = await NEW_PAIR.SSH(t);
  await writeFile(join(clone, 'x'), 'x');
  await git(clone, ['config', 'gpg.format', 'ssh']);
  await git(clone, ['config', 'user.signingkey', other.file]);
  await git(clone, ['config', 'commit.gpgsign', 'true']);
  const own = await commitAll(clone, 'Own');
  await git(clone, ['push', '-q', 'origin', `${own}:refs/heads/own`]);
  assert.equal((await verificationOf(ada, own)).reason, 'gpg.error.no_gpg_keys_found');
});

for (const kind of ['SSH', 'OpenPGP'] as const) {
  test(`signatures by an ${kind} key stay verified after a restart, and after another key if the settings name it`, async (t) => {
    if (!(await isInstalled(TOOL[kind]))) return t.skip(`${TOOL[kind]} is not installed`);
    const [pair, next] = [await NEW_PAIR[kind](t), await NEW_PAIR.SSH(t)];
    const dataFolder = await temporaryFolder(t);
    const { forge, ada } = await startSigning(t, pair, { options: { dataFolder } });
    const tip = await tipOf(ada);
    assert.deepEqual(await verificationOf(ada, tip), byServer(pair));
    let current: TestForge = forge;
    const restart = async (settings: Record<string, string>) => {
      await current.forge.stop();
      const { databaseUrl } = locationOf(current);
      current = await startForge(t, {
        dataFolder,
        ...(databaseUrl === undefined ? {} : { databaseUrl }),
        settings: { signingEmail: SIGNER.email, ...settings },
      });
      const { body } = await current.send('GET', `${ENGINE}/git/commits/${tip}`, {
        as: { token: ada.token },
      });
      const { verified, reason, signer } = body.commit.verification;
      return { verified, reason, signer };
    };
    assert.deepEqual(await restart({ signingKey: pair.file }), byServer(pair));
    assert.equal((await restart({ signingKey: next.file })).verified, false);
    assert.equal((await restart({})).verified, false);
    const formerSigningKeys = pair.publicFile;
    assert.deepEqual(await restart({ signingKey: next.file, formerSigningKeys }), byServer(pair));
    assert.deepEqual(await restart({ formerSigningKeys }), byServer(pair));
  });
}

function locationOf({ flags }: TestForge): { readonly databaseUrl: string | undefined } {
  const at = flags.indexOf('--database-url');
  return { databaseUrl: at === -1 ? undefined : flags[at + 1] };
}
