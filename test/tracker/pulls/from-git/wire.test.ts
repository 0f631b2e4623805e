import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { quarantinesOf } from '../../../code/transport/quarantines.ts';
import {
  type Command,
  type HandmadePush,
  packOf,
  pktLines,
  pushBody,
  sendGit,
  sideBands,
} from '../../../code/transport/wire.ts';
import { objectOf, pointerTo } from '../../../hosting/lfs/objects.ts';
import { startForge } from '../../../support/forge/forge.ts';
import { commitAll, git, temporaryFolder, tryGit, workingCopy } from '../../../support/git/git.ts';
import { ENGINE, PULLS } from '../pulls.ts';
import { PUSH, REF, remarksOf, startProposal } from './stage.ts';

/** Starts as `startProposal` does, with functions that send pushes of cyd, who may only read. */
async function startPush(t: TestContext) {
  const started = await startProposal(t);
  const { forge, cyd, pack } = started;
  const send = async (push: HandmadePush) => {
    const answer = await sendGit(forge.url, PUSH, { as: { token: cyd.token }, body: pushBody(push) });
    assert.equal(answer.status, 200, answer.text);
    return answer;
  };
  /** Sends commands, and returns the lines about refs. */
  const report = async (commands: readonly Command[], more: Partial<HandmadePush> = {}) =>
    pktLines((await send({ commands, pack, ...more })).bytes).slice(1, -1);
  return { ...started, send, report };
}

test('clients with report-status-v2 get the name of the ref that has moved', async (t) => {
  const { work, main, tip, report } = await startPush(t);
  const capabilities = 'report-status-v2 push-options';
  assert.deepEqual(await report([{ new: tip, ref: REF }], { capabilities, options: [] }), [
    `ok ${REF}`,
    'option refname refs/pull/1/head',
    `option new-oid ${tip}`,
  ]);
  await git(work, ['commit', '-q', '--amend', '-m', 'Again']);
  const next = await git(work, ['rev-parse', 'HEAD']);
  const again = { pack: await packOf(work, [next, `^${main}`]), options: ['force-push'], capabilities };
  assert.deepEqual(await report([{ new: next, ref: REF }], again), [
    `ok ${REF}`,
    'option refname refs/pull/1/head',
    `option old-oid ${tip}`,
    `option new-oid ${next}`,
    'option forced-update',
  ]);
});

test('other clients get the name that they sent, and no remark', async (t) => {
  const { send, tip, pack } = await startPush(t);
  const commands = [{ new: tip, ref: REF }];
  const answer = await send({ commands, pack, capabilities: 'report-status object-format=sha1' });
  assert.deepEqual(pktLines(answer.bytes), ['unpack ok', `ok ${REF}`, '0000']);
  const silent = await send({
    commands: [{ new: tip, ref: 'refs/for/main/two' }],
    pack,
    capabilities: 'atomic',
  });
  assert.equal(silent.text, '');
});

test('with side bands, a remark follows the report', async (t) => {
  const { forge, send, tip, pack } = await startPush(t);
  const capabilities = 'report-status-v2 side-band-64k';
  const bands = sideBands((await send({ commands: [{ new: tip, ref: REF }], pack, capabilities })).bytes);
  assert.equal(bands[1].toString().includes('option refname refs/pull/1/head'), true);
  const url = `${forge.url}/ada/engine/pulls/1`;
  assert.equal(bands[2].toString(), `\nVisit the existing pull request:\n  ${url}\n\n`);
});

const MALFORMED = [
  'refs/for/',
  'refs/for/main/',
  'refs/for//main/x',
  'refs/for/main//x',
  'refs/for/../main/x',
  'refs/for/main/a b',
  'refs/for/main/a\tb',
  'refs/for/main/.x',
  'refs/for/main/x.lock',
  'refs/for/main/x~1',
  'refs/for/main/@{x',
  'refs/for/main/x.',
  'refs/for/main/a\u202eb',
  `refs/for/main/${'x'.repeat(5_000)}`,
  `refs/for/${'x/'.repeat(1_000)}x`,
];

test('malformed names below refs/for/ lead to no pull request', async (t) => {
  const { tip, report, countPulls } = await startPush(t);
  for (const ref of MALFORMED) {
    const [line = '', ...more] = await report([{ new: tip, ref }]);
    assert.ok(line.startsWith(`ng ${ref} `), line.slice(0, 200));
    assert.deepEqual(more, []);
  }
  // It is no name below refs/for/, so readers may not move it.
  assert.deepEqual(await report([{ new: tip, ref: 'refs/for' }]), [
    'ng refs/for you may read this repository, but not push to it',
  ]);
  assert.equal(await countPulls(), 0);
});

test('commands for refs/for/ that are no proposals', async (t) => {
  const { main, tip, report, countPulls } = await startPush(t);
  const why = async (...commands: Command[]) =>
    (await report(commands)).map((line) => line.split(' ').slice(2).join(' '));
  assert.deepEqual(await why({ ref: REF }), ['there is no such ref: close the pull request instead']);
  assert.deepEqual(await why({ old: main, ref: REF }), [
    'there is no such ref: close the pull request instead',
  ]);
  assert.deepEqual(await why({ old: main, new: tip, ref: REF }), [
    'the ref has changed meanwhile: fetch first',
  ]);
  const twice = 'a push may move a ref only once';
  assert.deepEqual(await why({ new: tip, ref: REF }, { new: tip, ref: REF }), [twice, twice]);
  assert.deepEqual(await why({ new: 'ab'.repeat(20), ref: REF }), ['missing necessary objects']);
  const many = Array.from({ length: 12 }, (_, number) => ({ new: tip, ref: `refs/for/main/${number}` }));
  const lines = await report(many);
  assert.equal(lines.filter((line) => line.startsWith('ok ')).length, 10);
  assert.deepEqual(lines.slice(10), [
    'ng refs/for/main/10 one push proposes at most 10 commits',
    'ng refs/for/main/11 one push proposes at most 10 commits',
  ]);
  assert.equal(await countPulls(), 10);
});

test('a proposal to an empty repository, and one that would create a repository', async (t) => {
  const { forge, ada, cyd, work, tip, pack } = await startPush(t);
  await ada.repository('empty');
  const commands = [{ new: tip, ref: REF }];
  const body = pushBody({ commands, pack: await packOf(work, [tip]) });
  const refused = await sendGit(forge.url, 'ada/empty/git-receive-pack', { as: { token: cyd.token }, body });
  assert.match(refused.text, /ng refs\/for\/main\/pump no branch has the name main\/pump, or its beginning/);
  const missing = await sendGit(forge.url, 'cyd/new/git-receive-pack', {
    as: { token: cyd.token },
    body: pushBody({ commands, pack }),
  });
  assert.equal(missing.status, 404);
});

test('a shallow clone can propose commits', async (t) => {
  const { ada, cyd } = await startPush(t);
  const shallow = join(await temporaryFolder(t), 'shallow');
  await git('.', ['clone', '-q', '--depth', '1', cyd.remote('ada/engine'), shallow]);
  await writeFile(join(shallow, 'valve.txt'), 'valve\n');
  const tip = await commitAll(shallow, 'Add a valve');
  remarksOf(await tryGit(shallow, ['push', 'origin', 'HEAD:refs/for/main/valve']));
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, tip);
});

test('a proposal to a repository with SHA-256 objects', async (t) => {
  const forge = await startForge(t);
  const ada = await forge.account('ada');
  const cyd = await forge.account('cyd');
  await ada.repository('engine', { object_format_name: 'sha256' });
  const work = await workingCopy(t, { objectFormat: 'sha256' });
  await commitAll(work, 'Begin');
  await git(work, ['push', '-q', ada.remote('ada/engine'), 'main']);
  const tip = await commitAll(work, 'Add a pump');
  const pushed = await tryGit(work, [
    'push',
    '--porcelain',
    cyd.remote('ada/engine'),
    'HEAD:refs/for/main/pump',
  ]);
  assert.match(pushed.stdout, /^\*\tHEAD:refs\/pull\/1\/head\t/m);
  assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, tip);
});

test('a malformed object rejects the whole push, and nothing of it is stored', async (t) => {
  const { forge, ada, work, main, send } = await startPush(t);
  const tree = await git(work, ['rev-parse', 'HEAD^{tree}']);
  const person = 'Ada <ada@example.org> 1700000000 +0000';
  const input = `tree ${tree}\nparent ${main}\nauthor ${person}\nauthor ${person}\ncommitter ${person}\n\nTwo authors\n`;
  const oid = await git(work, ['hash-object', '-w', '-t', 'commit', '--literally', '--stdin'], { input });
  const commands = [{ new: oid, ref: REF }];
  const { bytes } = await send({ commands, pack: await packOf(work, [oid, `^${main}`]) });
  const [unpack = '', line] = pktLines(bytes);
  assert.match(unpack, /^unpack .*multipleAuthors/);
  assert.equal(line, `ng ${REF} unpacker error`);
  assert.equal((await ada.get(`${ENGINE}/git/commits/${oid}`)).status, 404);
  assert.deepEqual(await quarantinesOf(forge), []);
});

test('with require-lfs-objects, a proposal with a pointer to a missing object is rejected', async (t) => {
  const forge = await startForge(t, { settings: { requireLfsObjects: 'true' } });
  const ada = await forge.account('ada');
  const cyd = await forge.account('cyd');
  await ada.repository('engine', { auto_init: true });
  const work = join(await temporaryFolder(t), 'work');
  await git('.', ['clone', '-q', cyd.remote('ada/engine'), work]);
  await writeFile(join(work, 'pump.bin'), pointerTo(objectOf('missing')));
  const tip = await commitAll(work, 'Add a pump');
  const refused = await tryGit(work, ['push', 'origin', 'HEAD:refs/for/main/pump']);
  assert.match(refused.stderr, /\[remote rejected\] .*objects of git-lfs are missing: [0-9a-f]{64}/);
  assert.equal((await ada.get(`${ENGINE}/git/commits/${tip}`)).status, 404);
  assert.equal((await ada.get(PULLS)).body.length, 0);
});
