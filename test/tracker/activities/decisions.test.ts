import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ACTIVITY_KINDS } from '../../../src/tracker/activities/kinds.ts';
import { OP_TYPES } from '../../../src/tracker/activities/model.ts';
import { ruleOf } from '../../../src/tracker/event-feed/rules.ts';

// Runs once: it reads the source.

const SOURCE = join(import.meta.dirname, '../../../src');

/** Kinds of events that no event feed shows, with the reason. */
const IN_NO_EVENT_FEED: Readonly<Record<string, string>> = {};

/** Kinds of events without an activity, by the reason. */
const WITHOUT_ACTIVITY: Readonly<Record<string, readonly RegExp[]>> = {
  'no type of the reference is about it': [
    /^(branch\.renamed|commit-status\.created|status\.created|lfs\.|label\.|milestone\.|protection\.|push-mirror\.)/,
    /^(issue\.(changed|labels-changed|assignees-changed|subscribed|unsubscribed|dependencies-changed))$/,
    /^(issue\.(locked|unlocked|pinned|unpinned|time-added|times-deleted|stopwatch-started|stopwatch-ended))$/,
    /^issue-reaction\./,
    /^issue-comment\.changed$/,
    /^(pull\.(synchronized|retargeted|review-requested)|pull-comment\.resolved)$/,
    /^(collaborator\.|repository\.(changed|visibility-changed|topics-changed|flags-changed|purged))/,
    /^repository\.transfer-(asked|ended)$/,
    /^release\.(updated|draft-changed)$/,
    /^wiki\./,
    /^(quota|unadopted-repository)\./,
  ],
  'it is about an account, an organization or a team': [
    /^(account|organization|team|token|tokens|session|second-factor|invitation|oauth-application|oauth-grant|ssh-key|deploy-key|openpgp-key)\./,
  ],
  'it takes something back, so the activity is gone': [
    /^(repository\.(deleted|unstarred)|issue\.deleted|issue-comment\.deleted)$/,
    /^(pull\.review-deleted|pull-comment\.deleted|release\.deleted)$/,
  ],
  'another event has the activity': [/^(pull\.opened|repository\.forked)$/],
  'the reference names a type, but none of its feeds has it': [/^repository\.(watched|unwatched)$/],
};

/** Types of activities that no event of the server has, with the reason. */
const WITHOUT_EVENT: Readonly<Record<string, string>> = {
  watch_repo: 'the reference names it, but its feeds do not have it',
};

async function definedKinds(): Promise<readonly string[]> {
  const files = await readdir(SOURCE, { recursive: true });
  const texts = await Promise.all(
    files
      .filter((file) => file.endsWith('.ts') && file !== 'base/events/model.ts')
      .map((file) => readFile(join(SOURCE, file), 'utf8')),
  );
  return texts.flatMap((text) => {
    const calls = text.match(/= defineEvent</g)?.length ?? 0;
    const names = [...text.matchAll(/= defineEvent<[\s\S]*?>\(\s*'([^']+)'/g)].map(([, name = '']) => name);
    assert.equal(names.length, calls, 'a definition of an event that this test cannot read');
    return names;
  });
}

test('each kind of event has a rule by which the event feed shows it, or a reason why not', async () => {
  const kinds = await definedKinds();
  assert.ok(kinds.length > 60, String(kinds.length));
  const isShown = (kind: string) => ruleOf(kind, 1) !== undefined || ruleOf(kind, null) !== undefined;
  assert.deepEqual(
    kinds.filter((kind) => isShown(kind) === kind in IN_NO_EVENT_FEED),
    [],
  );
});

test('each kind of event becomes an activity, or has a reason why not', async () => {
  const recorded = new Set(ACTIVITY_KINDS.map(({ name }) => name));
  const reasons = Object.values(WITHOUT_ACTIVITY).flat();
  const isExcused = (kind: string) => reasons.some((reason) => reason.test(kind));
  assert.deepEqual(
    (await definedKinds()).filter((kind) => recorded.has(kind) === isExcused(kind)),
    [],
  );
});

test('each type of activity has an event, or a reason why not', async () => {
  const source = await readFile(join(SOURCE, 'tracker/activities/kinds.ts'), 'utf8');
  assert.deepEqual(
    OP_TYPES.filter((type) => source.includes(`'${type}'`) === type in WITHOUT_EVENT),
    [],
  );
});
