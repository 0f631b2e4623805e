import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { setRow } from '../../hosting/repositories/rows.ts';
import { type Person, startForge, type TestForge } from '../../support/forge/forge.ts';
import { commitAll, git, workingCopy } from '../../support/git/git.ts';
import { quarantinesOf, untilPushing } from './quarantines.ts';
import { type Command, heldBack, packOf, pktLines, pushBody } from './wire.ts';

// The transaction that moves refs authorizes the pusher again and rechecks every rule that depends on rows.

interface Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  readonly id: number;
  readonly tip: string;
  readonly work: string;
}

/** Starts a forge where ada has a public repository `engine` with one commit. */
async function stage(t: TestContext): Promise<Stage> {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const { id } = await ada.repository('engine');
  const work = await workingCopy(t);
  await writeFile(join(work, 'README.md'), '# Engine\n');
  const tip = await commitAll(work, 'begin');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  return { forge, ada, id, tip, work };
}

/** Pushes a commit, runs `change` before the end of its pack arrives, and returns the report. */
async function pushWhile(
  { forge, work, tip }: Stage,
  push: { pusher: Person; alsoUpdates?: readonly Command[] },
  change: () => Promise<unknown>,
): Promise<string> {
  await writeFile(join(work, 'README.md'), 'more\n');
  const next = await commitAll(work, 'more');
  const body = pushBody({
    commands: [{ old: tip, new: next, ref: 'refs/heads/main' }, ...(push.alsoUpdates ?? [])],
    pack: await packOf(work, [next, `^${tip}`]),
  });
  const held = heldBack(body, 30);
  const answer = fetch(`${forge.url}/ada/engine/git-receive-pack`, {
    method: 'POST',
    body: held.stream,
    duplex: 'half',
    headers: {
      authorization: `token ${push.pusher.token}`,
      'content-type': 'application/x-git-receive-pack-request',
    },
  });
  await untilPushing(forge);
  await change();
  held.release();
  return pktLines(Buffer.from(await (await answer).arrayBuffer())).join('\n');
}

async function assertUnchanged({ forge, ada, tip }: Stage): Promise<void> {
  assert.match(await git('.', ['ls-remote', ada.remote('ada/engine'), 'HEAD']), new RegExp(`^${tip}`));
  assert.deepEqual(await quarantinesOf(forge), []);
}

test('a push to a repository that is archived during the push changes nothing', async (t) => {
  const staged = await stage(t);
  const { forge, ada, id } = staged;

  const report = await pushWhile(staged, { pusher: ada }, () =>
    setRow(forge, id, { archived_at: Date.now() }),
  );

  assert.match(report, /ng refs\/heads\/main .*archived/);
  await assertUnchanged(staged);
});

test('a push to a repository that becomes a mirror during the push changes nothing', async (t) => {
  const staged = await stage(t);
  const { forge, ada, id } = staged;

  const report = await pushWhile(staged, { pusher: ada }, () => setRow(forge, id, { is_mirror: 1 }));

  assert.match(report, /ng refs\/heads\/main .*mirror/);
  await assertUnchanged(staged);
});

test('a push cannot delete a branch that becomes the default during the push', async (t) => {
  const staged = await stage(t);
  const { ada, tip, work } = staged;
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main:other']);
  const alsoUpdates = [{ old: tip, ref: 'refs/heads/other' }];

  const report = await pushWhile(staged, { pusher: ada, alsoUpdates }, () =>
    ada.patch('/api/v1/repos/ada/engine', { default_branch: 'other' }),
  );

  assert.match(report, /ng refs\/heads\/other the default branch cannot be deleted/);
  await assertUnchanged(staged);
});

test('B8: a pusher who loses permission while the pack arrives changes nothing', async (t) => {
  const staged = await stage(t);
  const { forge, ada, id } = staged;
  const ben = await forge.account('ben');
  const collaborator = '/api/v1/repos/ada/engine/collaborators/ben';
  const cases: readonly (readonly [string, () => Promise<unknown>, RegExp])[] = [
    ['may only read', () => ada.put(collaborator, { permission: 'read' }), /not push/],
    ['sees nothing', () => setRow(forge, id, { is_private: 1 }), /ng refs\/heads\/main /],
  ];
  for (const [name, change, reported] of cases) {
    await ada.put(collaborator, { permission: 'write' });

    const report = await pushWhile(staged, { pusher: ben }, async () => {
      await ada.delete(collaborator);
      await change();
    });

    assert.match(report, reported, name);
    assert.match(report, /ng refs\/heads\/main /, name);
  }
  await assertUnchanged(staged);
});
