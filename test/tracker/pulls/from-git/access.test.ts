import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { deployKeyViewer } from '../../../../src/api/access/viewer.ts';
import { quarantinesOf, untilPushing } from '../../../code/transport/quarantines.ts';
import { heldBack, pktLines, pushBody, sendGit } from '../../../code/transport/wire.ts';
import { setRow } from '../../../hosting/repositories/rows.ts';
import { git, workingCopy } from '../../../support/git/git.ts';
import type { Credentials } from '../../../support/http/http.ts';
import { newEd25519 } from '../../../support/keys/ssh-keys.ts';
import { until } from '../../../support/until.ts';
import { ENGINE } from '../pulls.ts';
import { PUSH, REF, remarksOf, startProposal } from './stage.ts';

const LISTING = 'ada/engine/info/refs?service=git-receive-pack';

/** Starts as `startProposal` does, with functions that send the commit by hand. */
async function startPush(t: TestContext) {
  const started = await startProposal(t);
  const { forge, tip, pack } = started;
  const body = pushBody({ commands: [{ new: tip, ref: REF }], pack });
  /** Statuses of the list of refs, and of the push. */
  const statuses = async (as?: Credentials) => {
    const who = as === undefined ? {} : { as };
    const listed = await sendGit(forge.url, LISTING, who);
    const pushed = await sendGit(forge.url, PUSH, { ...who, body });
    return [listed.status, pushed.status];
  };
  return { ...started, body, statuses };
}

test('an anonymous caller, and a token without the scope, cannot propose commits', async (t) => {
  const { cyd, statuses, countPulls } = await startPush(t);
  assert.deepEqual(await statuses(), [401, 401]);
  assert.deepEqual(await statuses({ token: await cyd.tokenFor(['read:repository']) }), [403, 403]);
  assert.deepEqual(await statuses({ token: await cyd.tokenFor(['write:issue']) }), [403, 403]);
  assert.equal(await countPulls(), 0);
  assert.deepEqual(await statuses({ token: await cyd.tokenFor(['write:repository']) }), [200, 200]);
  assert.equal(await countPulls(), 1);
});

test('to propose commits to a private repository, a user has to see its code', async (t) => {
  const { ada, cyd, statuses, countPulls } = await startPush(t);
  await ada.patch(ENGINE, { private: true });
  assert.deepEqual(await statuses(), [401, 401]);
  assert.deepEqual(await statuses({ token: cyd.token }), [404, 404]);
  await ada.put(`${ENGINE}/collaborators/cyd`, { permission: 'read' });
  assert.deepEqual(await statuses({ token: cyd.token }), [200, 200]);
  assert.equal(await countPulls(), 1);
});

test('without pull requests, readers push nothing, and writers learn why', async (t) => {
  const { forge, ada, ben, cyd, body, statuses, push } = await startPush(t);
  await ada.patch(ENGINE, { has_pull_requests: false });
  assert.deepEqual(await statuses({ token: cyd.token }), [403, 403]);
  const refused = await sendGit(forge.url, PUSH, { as: { token: ben.token }, body });
  assert.deepEqual(pktLines(refused.bytes).slice(1, -1), [
    `ng ${REF} pull requests are switched off in this repository`,
  ]);
  assert.deepEqual(remarksOf(await push(ben, 'HEAD:refs/heads/pump')), []);
});

test('an archived repository and a mirror take no proposals', async (t) => {
  const { forge, ada, cyd, statuses, countPulls } = await startPush(t);
  const { id } = (await ada.get(ENGINE)).body;
  for (const change of [{ archived_at: Date.now() }, { archived_at: null, is_mirror: 1 }]) {
    await setRow(forge, id, change);
    for (const who of [ada, cyd]) assert.deepEqual(await statuses({ token: who.token }), [403, 403]);
  }
  assert.equal(await countPulls(), 0);
});

test('a deploy key cannot propose commits, and may still push', async (t) => {
  const { forge, ada, tip, pack, countPulls, isStored } = await startPush(t);
  const { transport } = forge.forge.running.services;
  const path = { owner: 'ada', name: 'engine' };
  const keyFor = async (isReadOnly: boolean) => {
    const key = { key: newEd25519().line, title: `${isReadOnly}`, read_only: isReadOnly };
    return deployKeyViewer((await ada.post(`${ENGINE}/keys`, key)).body.id);
  };
  const viewer = await keyFor(false);
  const push = async (refs: readonly string[]) => {
    const target = await transport.openForPush(viewer, path);
    const updates = refs.map((ref) => ({ ref, old: null, new: tip }));
    const request = { updates, shallow: [], options: [], capabilities: new Set<string>() };
    const stream = (async function* () {
      yield pack;
    })();
    return (await transport.push(viewer, target, request, { stream, onProgress: () => {} })).refs;
  };
  const why = 'only a user can open pull requests: a key of a repository cannot';
  assert.deepEqual(await push([REF]), [{ ref: REF, rejected: why }]);
  assert.equal(await isStored(), false);
  assert.deepEqual(await push(['refs/heads/pump', REF]), [
    { ref: 'refs/heads/pump', rejected: null },
    { ref: REF, rejected: why },
  ]);
  assert.equal(await countPulls(), 0);
  await assert.rejects(transport.openForPush(await keyFor(true), path), /not push to it/);
});

test('a push that a reader may not make stores nothing', async (t) => {
  const { forge, cyd, tip, pack, isStored } = await startPush(t);
  const commands = [{ new: tip, ref: 'refs/heads/pump' }];
  const answer = await sendGit(forge.url, PUSH, {
    as: { token: cyd.token },
    body: pushBody({ commands, pack }),
  });
  assert.deepEqual(pktLines(answer.bytes).slice(0, -1), [
    'unpack ok',
    'ng refs/heads/pump you may read this repository, but not push to it',
  ]);
  assert.equal(await isStored(), false);
  await until(async () => (await quarantinesOf(forge)).length === 0);
});

const CHANGES = {
  'an archived repository': { change: { archived_at: 1 }, why: /archived/ },
  'a mirror': { change: { is_mirror: 1 }, why: /mirror/ },
  'a private repository': { change: { is_private: 1 }, why: /not found/ },
  'a repository without pull requests': { change: { has_pulls: 0 }, why: /not found/ },
};

for (const [what, { change, why }] of Object.entries(CHANGES)) {
  test(`a proposal is rejected if the repository becomes ${what} while its pack arrives`, async (t) => {
    const { forge, ada, cyd, body, countPulls } = await startPush(t);
    const { id } = (await ada.get(ENGINE)).body;
    const held = heldBack(body, 30);
    const answer = fetch(`${forge.url}/${PUSH}`, {
      method: 'POST',
      body: held.stream,
      duplex: 'half',
      headers: {
        authorization: `token ${cyd.token}`,
        'content-type': 'application/x-git-receive-pack-request',
      },
    });
    await untilPushing(forge);
    await setRow(forge, id, change);
    held.release();
    const [, report = ''] = pktLines(Buffer.from(await (await answer).arrayBuffer()));
    assert.match(report, new RegExp(`^ng ${REF} .*${why.source}`));
    await setRow(forge, id, { archived_at: null, is_mirror: 0, is_private: 0, has_pulls: 1 });
    assert.equal(await countPulls(), 0);
    await until(async () => (await quarantinesOf(forge)).length === 0);
  });
}

test('of two pushes with one topic at the same time, one opens the pull request', async (t) => {
  const { cyd, countPulls, push } = await startPush(t);
  const pushed = await Promise.all([
    push(cyd, `HEAD:${REF}`),
    push(cyd, `HEAD:${REF}`),
    push(cyd, `HEAD:${REF}`),
  ]);
  assert.deepEqual(pushed.map(({ exitCode }) => exitCode).sort(), [0, 1, 1]);
  for (const { stdout } of pushed)
    assert.match(stdout, /\[new reference\]|has this commit already|has changed meanwhile/);
  assert.equal(await countPulls(), 1);
  const copy = await workingCopy(t);
  await git(copy, ['fetch', '-q', cyd.remote('ada/engine'), 'refs/pull/1/head:pump']);
  await git(copy, ['fsck', '--strict']);
});
