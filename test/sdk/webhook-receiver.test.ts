import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Person, startForge, type TestForge } from '../support/forge/forge.ts';
import { git, temporaryFolder } from '../support/git/git.ts';
import { ROOT, run } from '../support/process.ts';
import { addHook, delivered, HOOKS } from '../tracker/webhooks/receiver.ts';

const RECEIVER = join(ROOT, '.ci/clients/go/bin/receiver');
const skip = existsSync(RECEIVER) ? false : '".ci/install-clients" builds the receiver';
const ENGINE = '/api/v1/repos/ada/engine';
const SECRET = 'steam & "Eisen" größe';

/** What the published package has made of a delivery. */
interface Parsed {
  readonly event: string;
  /** of the value in Go */
  readonly type: string;
  readonly error: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of payloads by name
  readonly payload: any;
}

async function startPair(t: TestContext, family: 'gitea' | 'gogs', hookSecret = SECRET) {
  const forge = await startForge(t, { settings: { outboundAllow: '127.0.0.1' } });
  const ada = await forge.account('ada');
  await ada.repository('engine', { auto_init: true });
  const receiver = run(t, RECEIVER, [SECRET]);
  const [address] = await receiver.line(/^http:\S+$/m);
  const { id } = await addHook(ada, `${address}/${family}`, {
    type: family,
    events: ['*'],
    config: { secret: hookSecret },
  });
  const parsed = async (): Promise<readonly Parsed[]> => {
    await delivered(forge);
    const lines = receiver.output().split('\n');
    return lines.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  };
  return { forge, ada, id, parsed };
}

/** Makes the changes whose events these packages know. */
async function work(t: TestContext, { forge, ada }: { forge: TestForge; ada: Person }): Promise<void> {
  const folder = await temporaryFolder(t);
  await git(folder, ['clone', '-q', ada.remote('ada/engine'), '.']);
  await git(folder, ['commit', '-q', '--allow-empty', '-m', 'Oil it\n\nTwice, "gently" & größer']);
  await git(folder, ['push', '-q', 'origin', 'HEAD:main', 'HEAD:pump']);
  const accepted = async (answer: Promise<{ readonly status: number; readonly text: string }>) => {
    const { status, text } = await answer;
    assert.ok(status < 300, text);
  };
  const content = Buffer.from('pump').toString('base64');
  await accepted(ada.post(`${ENGINE}/contents/pump.txt`, { content, branch: 'pump', message: 'Pump' }));
  await accepted(ada.post(`${ENGINE}/labels`, { name: 'loud', color: '#ff0000' }));
  await accepted(ada.post(`${ENGINE}/issues`, { title: 'It <hums> & rattles', body: 'Größer' }));
  await accepted(ada.post(`${ENGINE}/issues/1/comments`, { body: 'Oil?' }));
  await accepted(ada.post(`${ENGINE}/issues/1/labels`, { labels: ['loud'] }));
  await accepted(ada.patch(`${ENGINE}/issues/1`, { assignees: ['ada'], due_date: '2030-01-01T00:00:00Z' }));
  await accepted(ada.post(`${ENGINE}/pulls`, { head: 'pump', base: 'main', title: 'A pump' }));
  await accepted(ada.post(`${ENGINE}/issues/2/comments`, { body: 'Why?' }));
  await accepted(ada.post(`${ENGINE}/pulls/2/merge`, { Do: 'merge' }));
  await accepted(ada.post(`${ENGINE}/releases`, { tag_name: 'v1', name: 'First', body: 'It runs' }));
  // Payloads have the state of the moment, in which the branch still exists.
  await delivered(forge);
  await accepted(ada.delete(`${ENGINE}/branches/pump`));
}

const summary = (all: readonly Parsed[]) =>
  [...new Set(all.map(({ event, type, error }) => `${event} ${type}${error}`))].toSorted();

test('the package with which Argo CD verifies deliveries reads those of the type gitea', {
  skip,
}, async (t) => {
  const pair = await startPair(t, 'gitea');
  await work(t, pair);
  const all = await pair.parsed();
  assert.deepEqual(summary(all), [
    'create gitea.CreatePayload',
    'delete gitea.DeletePayload',
    'issue_comment gitea.IssueCommentPayload',
    'issues gitea.IssuePayload',
    'pull_request gitea.PullRequestPayload',
    'push gitea.PushPayload',
    'release gitea.ReleasePayload',
  ]);
  const of = (event: string) => all.filter((each) => each.event === event).map(({ payload }) => payload);
  const [push] = of('push');
  assert.equal(push.ref, 'refs/heads/main');
  assert.equal(push.commits[0].message, 'Oil it\n\nTwice, "gently" & größer\n');
  assert.equal(push.commits[0].id, push.after);
  assert.deepEqual([push.pusher.login, push.repository.full_name], ['ada', 'ada/engine']);
  assert.deepEqual(
    of('issues').map(({ action }) => action),
    ['opened', 'label_updated', 'assigned'],
  );
  assert.equal(of('issues')[0].issue.title, 'It <hums> & rattles');
  assert.deepEqual(
    of('issue_comment').map(({ comment, is_pull: isPull }) => [comment.body, isPull]),
    [
      ['Oil?', false],
      ['Why?', true],
    ],
  );
  const merged = of('pull_request').at(-1);
  assert.deepEqual(
    [merged.action, merged.number, merged.pull_request.merged, merged.pull_request.head.ref],
    ['closed', 2, true, 'pump'],
  );
  const [release] = of('release');
  assert.deepEqual(
    [release.action, release.release.tag_name, release.release.name],
    ['published', 'v1', 'First'],
  );
  assert.deepEqual(
    of('delete').map(({ ref, ref_type: type }) => [ref, type]),
    [['pump', 'branch']],
  );
});

test('the package with which Argo CD verifies deliveries reads those of the type gogs', {
  skip,
}, async (t) => {
  const pair = await startPair(t, 'gogs');
  await work(t, pair);
  assert.deepEqual(summary(await pair.parsed()), [
    'create gogs.CreatePayload',
    'delete gogs.DeletePayload',
    'issue_comment gogs.IssueCommentPayload',
    'issues gogs.IssuesPayload',
    'pull_request gogs.PullRequestPayload',
    'push gogs.PushPayload',
    'release gogs.ReleasePayload',
  ]);
});

test('the package refuses a delivery that is signed with another secret', { skip }, async (t) => {
  const { ada, id, parsed } = await startPair(t, 'gitea', 'another');
  await ada.post(`${ENGINE}/issues`, { title: 'It hums' });
  assert.deepEqual(summary(await parsed()), ['issues <nil>HMAC verification failed']);
  const { body } = await ada.get(`${HOOKS}/${id}/deliveries`);
  assert.deepEqual([body[0].state, body[0].response.status], ['waiting', 403]);
});
