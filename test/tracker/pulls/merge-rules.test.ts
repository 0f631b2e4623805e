import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { commitFile, ENGINE, merge, openPull, PULLS, protect, settle, startEngine } from './pulls.ts';

/** Starts with a pull request by ben that adds `pump.txt`, and functions that change what its merge depends on. */
async function startPull(t: TestContext) {
  const engine = await startEngine(t);
  const { forge, ada, ben, cyd } = engine;
  const dan = await forge.account('dan');
  await ada.put(`${ENGINE}/collaborators/dan`, { permission: 'write' });
  const head = await commitFile(ben, 'pump.txt', 'pump\n', { branch: 'pump', from: 'main' });
  await openPull(ben);
  await settle(forge);
  const people = { ada, cyd, dan };
  const review = async (name: keyof typeof people, event: string): Promise<number> => {
    const answer = await people[name].post(`${PULLS}/1/reviews`, { event, body: 'See.' });
    assert.equal(answer.status, 200, answer.text);
    return answer.body.id;
  };
  return {
    ...engine,
    approve: (name: keyof typeof people) => review(name, 'APPROVED'),
    reject: (name: keyof typeof people) => review(name, 'REQUEST_CHANGES'),
    async dismiss(id: number) {
      const { status, text } = await ada.post(`${PULLS}/1/reviews/${id}/dismissals`, { message: 'No.' });
      assert.equal(status, 200, text);
    },
    async request(...reviewers: string[]) {
      const { status, text } = await ben.post(`${PULLS}/1/requested_reviewers`, { reviewers });
      assert.equal(status, 201, text);
    },
    async report(context: string, state: string) {
      const { status, text } = await ben.post(`${ENGINE}/statuses/${head}`, { context, state });
      assert.equal(status, 201, text);
    },
    async push(file: string) {
      await commitFile(ben, file, file, { branch: 'pump' });
      await settle(forge);
    },
    /** Moves the base. */
    async move() {
      await commitFile(ada, 'plan.md', 'plan\n');
      await settle(forge);
    },
  };
}

type Stage = Awaited<ReturnType<typeof startPull>>;

interface Case {
  /** fields of the protection of the base that the case is about */
  readonly setting: Readonly<Record<string, unknown>>;
  /** fields that the protection has in any case */
  readonly others?: Readonly<Record<string, unknown>>;
  /** The protection is there before the pull request gets reviews and commits. */
  readonly isEarlier?: true;
  readonly prepare: (stage: Stage) => Promise<unknown>;
  /** who merges; absent: ben, who may write */
  readonly merger?: 'ada' | 'ben';
  /** fields of the request for the merge */
  readonly wish?: Readonly<Record<string, unknown>>;
  /** why the setting denies the merge; absent: it does not */
  readonly denial?: RegExp;
}

const REJECTED = { block_on_rejected_reviews: true };
const OUTDATED = { block_on_outdated_branch: true };
const FRESH = { setting: { ignore_stale_approvals: true }, others: { required_approvals: 1 } };
const DISMISSED = { setting: { dismiss_stale_approvals: true }, others: { required_approvals: 1 } };
const REQUESTED = { block_on_official_review_requests: true };
const TWO = { required_approvals: 2 };
const ANY_STATUS = { enable_status_check: true };
const CI = { enable_status_check: true, status_check_contexts: ['ci/*'] };
const FILES = { protected_file_patterns: 'docs/**;*.txt' };
const ADMINS = { apply_to_admins: true };
const FORCED = { merger: 'ada', wish: { force_merge: true } } as const;

function approversAre(...names: string[]) {
  return { enable_approvals_whitelist: true, approvals_whitelist_username: names };
}

function mergersAre(...names: string[]) {
  return { enable_merge_whitelist: true, merge_whitelist_usernames: names };
}

const nothing = async () => {};

const CASES: Readonly<Record<string, Case>> = {
  'a user who may write requests changes': {
    setting: REJECTED,
    prepare: ({ reject }) => reject('ada'),
    denial: /a review requests changes/,
  },
  'a user who may write requests changes of an earlier head': {
    setting: REJECTED,
    async prepare({ reject, push }) {
      await reject('ada');
      await push('valve.txt');
    },
    denial: /a review requests changes/,
  },
  'a user who may only read requests changes': {
    setting: REJECTED,
    prepare: ({ reject }) => reject('cyd'),
  },
  'a user who requested changes approves': {
    setting: REJECTED,
    async prepare({ reject, approve }) {
      await reject('ada');
      await approve('ada');
    },
  },
  'one user approves, and another one requests changes': {
    setting: REJECTED,
    async prepare({ reject, approve }) {
      await reject('dan');
      await approve('ada');
    },
    denial: /a review requests changes/,
  },
  'a request for changes is dismissed': {
    setting: REJECTED,
    prepare: async ({ reject, dismiss }) => dismiss(await reject('ada')),
  },

  'the base has commits that the head lacks': {
    setting: OUTDATED,
    prepare: ({ move }) => move(),
    denial: /the head lacks commits of the base/,
  },
  'the head has all commits of the base': { setting: OUTDATED, prepare: nothing },
  'the head gets the commits of the base': {
    setting: OUTDATED,
    async prepare({ forge, ben, move }) {
      await move();
      assert.equal((await ben.post(`${PULLS}/1/update`)).status, 200);
      await settle(forge);
    },
  },

  'the approval is of an earlier head': {
    ...FRESH,
    async prepare({ approve, push }) {
      await approve('ada');
      await push('valve.txt');
    },
    denial: /1 more approval is required/,
  },
  'the approval is of the head': { ...FRESH, prepare: ({ approve }) => approve('ada') },

  'the approval is of an earlier head, and dismissed': {
    ...DISMISSED,
    isEarlier: true,
    async prepare({ approve, push }) {
      await approve('ada');
      await push('valve.txt');
    },
    denial: /1 more approval is required/,
  },
  'the protection is younger than the commits after the approval': {
    ...DISMISSED,
    async prepare({ approve, push }) {
      await approve('ada');
      await push('valve.txt');
    },
  },
  'an approval follows the one that is dismissed': {
    ...DISMISSED,
    isEarlier: true,
    async prepare({ approve, push }) {
      await approve('ada');
      await push('valve.txt');
      await approve('ada');
    },
  },

  'a review of a user who may write is missing': {
    setting: REQUESTED,
    prepare: ({ request }) => request('ada'),
    denial: /a requested review is missing/,
  },
  'a review of a user who may only read is missing': {
    setting: REQUESTED,
    prepare: ({ request }) => request('cyd'),
  },
  'one of two requested reviews is there': {
    setting: REQUESTED,
    async prepare({ request, approve }) {
      await request('ada', 'dan');
      await approve('ada');
    },
    denial: /a requested review is missing/,
  },
  'the requested review is there': {
    setting: REQUESTED,
    async prepare({ request, approve }) {
      await request('ada');
      await approve('ada');
    },
  },
  'a review of a user whose approval does not count is missing': {
    setting: { ...REQUESTED, ...approversAre('dan') },
    isEarlier: true,
    prepare: ({ request }) => request('ada'),
  },
  'a review of a user who may only read and whose approval counts is missing': {
    setting: { ...REQUESTED, ...approversAre('cyd') },
    isEarlier: true,
    prepare: ({ request }) => request('cyd'),
    denial: /a requested review is missing/,
  },

  'no one approves': { setting: TWO, prepare: nothing, denial: /2 more approvals are required/ },
  'one user approves twice': {
    setting: TWO,
    async prepare({ approve }) {
      await approve('ada');
      await approve('ada');
    },
    denial: /1 more approval is required/,
  },
  'a user who may write and one who may only read approve': {
    setting: TWO,
    async prepare({ approve }) {
      await approve('ada');
      await approve('cyd');
    },
    denial: /1 more approval is required/,
  },
  'one of two approvals is dismissed': {
    setting: TWO,
    async prepare({ approve, dismiss }) {
      await approve('ada');
      await dismiss(await approve('dan'));
    },
    denial: /1 more approval is required/,
  },
  'an approval turns into a request for changes': {
    setting: TWO,
    async prepare({ approve, reject }) {
      await approve('ada');
      await approve('dan');
      await reject('dan');
    },
    denial: /1 more approval is required/,
  },
  'two users who may write approve': {
    setting: TWO,
    async prepare({ approve }) {
      await approve('ada');
      await approve('dan');
    },
  },

  'a user approves who may write, and is not in the list': {
    setting: approversAre('dan'),
    others: { required_approvals: 1 },
    prepare: ({ approve }) => approve('ada'),
    denial: /1 more approval is required/,
  },
  'a user in the list approves, who may only read': {
    setting: { ...approversAre('cyd'), required_approvals: 1 },
    prepare: ({ approve }) => approve('cyd'),
  },
  'a user in the list requests changes, who may only read': {
    setting: { ...approversAre('cyd'), ...REJECTED },
    prepare: ({ reject }) => reject('cyd'),
    denial: /a review requests changes/,
  },
  'a user requests changes who may write, and is not in the list': {
    setting: { ...approversAre('dan'), ...REJECTED },
    prepare: ({ reject }) => reject('ada'),
  },

  'the merger is not in the list': {
    setting: mergersAre('ada', 'dan'),
    prepare: nothing,
    denial: /you may not merge into it/,
  },
  'the merger is in the list': { setting: mergersAre('ben'), prepare: nothing },
  'the merger is not in the list, and only unprotected files change': {
    setting: mergersAre('dan'),
    others: { unprotected_file_patterns: '*.txt' },
    prepare: nothing,
    denial: /you may not merge into it/,
  },
  'an administrator who is not in the list skips rules': {
    setting: mergersAre('dan'),
    ...FORCED,
    prepare: nothing,
    denial: /you may not merge into it/,
  },

  'no status is required, and there is none': { setting: ANY_STATUS, prepare: nothing },
  'no status is required, and one of two is bad': {
    setting: ANY_STATUS,
    async prepare({ report }) {
      await report('lint', 'success');
      await report('test', 'failure');
    },
    denial: /the status test is failure/,
  },
  'no status is required, and a bad one turns good': {
    setting: ANY_STATUS,
    async prepare({ report }) {
      await report('test', 'failure');
      await report('test', 'success');
    },
  },

  'a required status is missing, and another one is good': {
    setting: CI,
    prepare: ({ report }) => report('lint', 'success'),
    denial: /the status ci\/\* is missing/,
  },
  'one of two statuses that the glob matches is bad': {
    setting: CI,
    async prepare({ report }) {
      await report('ci/lint', 'success');
      await report('ci/test', 'failure');
    },
    denial: /the status ci\/test is failure/,
  },
  'a status that the glob does not match is bad': {
    setting: CI,
    async prepare({ report }) {
      await report('ci/test', 'success');
      await report('deploy', 'failure');
    },
  },
  'one of two required statuses is missing': {
    setting: { ...CI, status_check_contexts: ['ci/*', 'deploy'] },
    prepare: ({ report }) => report('ci/test', 'success'),
    denial: /the status deploy is missing/,
  },
  'the name of a required status is a malformed glob': {
    setting: { ...CI, status_check_contexts: ['ci [linux'] },
    prepare: ({ report }) => report('ci [linux', 'success'),
  },

  'a protected file changes': {
    setting: FILES,
    prepare: nothing,
    denial: /the file pump\.txt may not change/,
  },
  'a protected file changes that is also unprotected': {
    setting: FILES,
    others: { unprotected_file_patterns: '*.txt' },
    prepare: nothing,
    denial: /the file pump\.txt may not change/,
  },
  'a file changes that is not unprotected, and no one may push': {
    setting: { unprotected_file_patterns: 'docs/**', enable_push: false },
    prepare: nothing,
  },
  'an earlier commit of the base changed a protected file': {
    setting: FILES,
    async prepare({ ben, forge }) {
      await commitFile(ben, 'notes.txt', 'notes\n');
      await commitFile(ben, 'valve.js', 'valve\n', { branch: 'valve', from: 'main' });
      await ben.patch(`${PULLS}/1`, { state: 'closed' });
      await openPull(ben, { head: 'valve' });
      await settle(forge);
    },
  },

  'an administrator skips approvals': { setting: TWO, ...FORCED, prepare: nothing },
  'an administrator skips protected files': { setting: FILES, ...FORCED, prepare: nothing },
  'an administrator skips no rule': {
    setting: TWO,
    merger: 'ada',
    prepare: nothing,
    denial: /2 more approvals are required/,
  },
  'a user skips approvals who may only write': {
    setting: TWO,
    wish: { force_merge: true },
    prepare: nothing,
    denial: /2 more approvals are required/,
  },
  'an administrator skips approvals of a protection that applies to administrators': {
    setting: ADMINS,
    others: TWO,
    ...FORCED,
    prepare: nothing,
    denial: /2 more approvals are required/,
  },
  'an administrator skips protected files of a protection that applies to administrators': {
    setting: ADMINS,
    others: FILES,
    ...FORCED,
    prepare: nothing,
    denial: /the file pump\.txt may not change/,
  },
};

/** Of each state of a status, whether it is good. */
const STATES = {
  success: true,
  skipped: true,
  warning: true,
  pending: false,
  failure: false,
  error: false,
} as const;

const STATUS_CASES = Object.entries(STATES).map(([state, isGood]): [string, Case] => [
  `the required status is ${state}`,
  {
    setting: CI,
    prepare: ({ report }) => report('ci/test', state),
    ...(isGood ? {} : { denial: new RegExp(`the status ci/test is ${state}`) }),
  },
]);

for (const [situation, tried] of [...Object.entries(CASES), ...STATUS_CASES]) {
  const { setting, others = {}, isEarlier = false, prepare, merger = 'ben', wish = {}, denial } = tried;
  const names = Object.keys(setting).join(', ');
  const outcome = denial === undefined ? 'allows' : 'denies';
  test(`${names} ${outcome} a merge if ${situation}`, async (t) => {
    for (const isOn of [true, false])
      await t.test(isOn ? 'with the setting' : 'without it', async (inner) => {
        const stage = await startPull(inner);
        const { ada, ben } = stage;
        const addRule = () => protect(ada, { ...others, ...(isOn ? setting : {}) });
        if (isEarlier) await addRule();
        await prepare(stage);
        if (!isEarlier) await addRule();
        const [{ number }] = (await ben.get(PULLS)).body;
        const { status, text } = await merge(stage[merger], wish, number);
        const isDenied = isOn && denial !== undefined;
        assert.equal(status, isDenied ? 405 : 200, text);
        if (isDenied) assert.match(text, denial);
        assert.equal((await ben.get(`${PULLS}/${number}`)).body.merged, !isDenied);
      });
  });
}
