import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  commitFile,
  commitOf,
  duringNextMerge,
  ENGINE,
  merge,
  openPull,
  PULLS,
  protect,
  startDiverged,
  startEngine,
  tipOf,
} from './pulls.ts';

test('of several merges of one pull request at once, one succeeds', async (t) => {
  const { ada, ben } = await startDiverged(t);
  const answers = await Promise.all([ada, ben, ada, ben].map((who) => merge(who)));
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 405, 405, 405]);
});

test('merges of several pull requests and commits to their base at once all succeed, and nothing is lost', async (t) => {
  const { ada, ben } = await startEngine(t);
  const branches = ['pump', 'valve', 'gauge'];
  for (const branch of branches) {
    await commitFile(ben, `${branch}.txt`, branch, { branch, from: 'main' });
    await openPull(ben, { head: branch });
  }
  const merging = branches.map((_, index) => merge(ada, { Do: 'rebase-merge' }, index + 1));
  const writing = ['a', 'b'].map((name) => commitFile(ada, `${name}.md`, name));
  const answers = await Promise.all(merging);
  await Promise.all(writing);
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200, 200],
  );
  const files = (await ada.get(`${ENGINE}/contents`)).body.map(({ name }: { name: string }) => name);
  assert.deepEqual(files, ['README.md', 'a.md', 'b.md', 'gauge.txt', 'pump.txt', 'valve.txt']);
});

test('a head that moves while its merge is built is merged as it is then, unless the caller has named it', async (t) => {
  for (const isNamed of [false, true])
    await t.test(isNamed ? 'the caller names the head' : 'any head', async (inner) => {
      const { forge, ada, ben, head, base } = await startDiverged(inner);
      let pushed = '';
      duringNextMerge(inner, forge, async () => {
        pushed = await commitFile(ben, 'gauge.txt', 'gauge', { branch: 'pump' });
      });
      const { status, text } = await merge(ada, isNamed ? { head_commit_id: head } : {});
      assert.equal(status, isNamed ? 409 : 200, text);
      if (isNamed) assert.match(text, /head out of date/);
      assert.equal((await ada.get(`${PULLS}/1`)).body.head.sha, pushed);
      const tip = await tipOf(ada);
      if (isNamed) assert.equal(tip, base);
      else assert.deepEqual((await commitOf(ada, tip)).parents, [base, pushed]);
    });
});

type Stage = Awaited<ReturnType<typeof startApproved>>;

const RULE = `${ENGINE}/branch_protections/main`;

/** Starts with a pull request by ben that has the approval that its base requires. */
async function startApproved(t: TestContext) {
  const engine = await startDiverged(t);
  const { ada } = engine;
  await protect(ada, { required_approvals: 1 });
  const { status, text, body } = await ada.post(`${PULLS}/1/reviews`, { event: 'APPROVED' });
  assert.equal(status, 200, text);
  return { ...engine, approval: `${PULLS}/1/reviews/${body.id}` };
}

interface Change {
  readonly change: (stage: Stage) => Promise<{ readonly status: number }>;
  /** absent: ben, who may write */
  readonly merger?: 'ada' | 'ben';
  readonly wish?: Readonly<Record<string, unknown>>;
  readonly outcome: readonly [status: number, why: RegExp];
}

const FORCED = { merger: 'ada', wish: { force_merge: true } } as const;

const CHANGES: Readonly<Record<string, Change>> = {
  'its approval is dismissed': {
    change: ({ ada, approval }) => ada.post(`${approval}/dismissals`, { message: 'No.' }),
    outcome: [405, /1 more approval is required/],
  },
  'a review requests changes': {
    change: async ({ ada, forge }) => {
      await ada.patch(RULE, { block_on_rejected_reviews: true });
      const dan = await forge.account('dan');
      await ada.put(`${ENGINE}/collaborators/dan`, { permission: 'write' });
      return dan.post(`${PULLS}/1/reviews`, { event: 'REQUEST_CHANGES', body: 'No.' });
    },
    outcome: [405, /a review requests changes/],
  },
  'the protection gets stricter': {
    change: ({ ada }) => ada.patch(RULE, { required_approvals: 2 }),
    outcome: [405, /1 more approval is required/],
  },
  'the protection begins to require a head with all commits of the base': {
    change: ({ ada }) => ada.patch(RULE, { block_on_outdated_branch: true }),
    outcome: [405, /the head lacks commits of the base/],
  },
  'the merger is not in the list any more': {
    change: ({ ada }) =>
      ada.patch(RULE, { enable_merge_whitelist: true, merge_whitelist_usernames: ['ada'] }),
    outcome: [405, /you may not merge into it/],
  },
  'the merger loses the right to write': {
    change: ({ ada }) => ada.put(`${ENGINE}/collaborators/ben`, { permission: 'read' }),
    outcome: [403, /you may read this repository, but not push to it/],
  },
  'rules begin to apply to administrators': {
    ...FORCED,
    change: ({ ada }) => ada.patch(RULE, { apply_to_admins: true, required_approvals: 2 }),
    outcome: [405, /1 more approval is required/],
  },
  'it is closed': {
    change: ({ ben }) => ben.patch(`${PULLS}/1`, { state: 'closed' }),
    outcome: [404, /couldn't be found/],
  },
  'it gets another base': {
    change: async ({ ada, ben }) => {
      await ada.post(`${ENGINE}/branches`, { new_branch_name: 'release' });
      return ben.patch(`${PULLS}/1`, { base: 'release' });
    },
    outcome: [409, /the base has changed meanwhile/],
  },
};

for (const [what, { change, merger = 'ben', wish, outcome }] of Object.entries(CHANGES)) {
  test(`a merge is built and does not happen if ${what} meanwhile`, async (t) => {
    const stage = await startApproved(t);
    const { forge, ada, base } = stage;
    let changed = 0;
    duringNextMerge(t, forge, async () => {
      changed = (await change(stage)).status;
    });
    const { status, text } = await merge(stage[merger], wish);
    assert.ok(changed >= 200 && changed < 300, `${changed}`);
    assert.deepEqual([status, outcome[1].test(text)], [outcome[0], true], text);
    assert.equal(await tipOf(ada), base);
    assert.equal((await ada.get(`${PULLS}/1`)).body.merged, false);
  });
}
