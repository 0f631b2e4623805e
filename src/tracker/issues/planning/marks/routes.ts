import { operationsOn } from '../../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { ISSUE } from '../../actions.ts';
import { dueTimeOf } from '../../options.ts';
import { IssueAnswer } from '../../present.ts';
import { ISSUE_URL, ISSUES_URL } from '../../urls.ts';
import { DeadlineAnswer, FreePinsAnswer } from './present.ts';
import { EditDeadlineBody, LockIssueBody } from './schema.ts';
import type { IssueMarks } from './service.ts';

interface Dependencies {
  readonly marks: IssueMarks;
  readonly addresses: Addresses;
}

const FAILURES = { failures: ['archived', 'invalid', 'precondition_failed'] } as const;

export function markRoutes(app: App, dependencies: Dependencies): void {
  const { marks, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { required } = preconditionsOn(IssueAnswer, addresses);

  api.put(`${ISSUE_URL}/lock`, ISSUE.manage, {
    ...FAILURES,
    id: 'issueLockIssue',
    summary: 'Lock an issue: only people who may write can comment',
    body: LockIssueBody,
    handle: ({ viewer, path: repository, params: { number }, body, request }) =>
      marks.lock(viewer, { repository, number }, body.lock_reason ?? '', required(request)),
  });

  api.delete(`${ISSUE_URL}/lock`, ISSUE.manage, {
    ...FAILURES,
    id: 'issueUnlockIssue',
    summary: 'Unlock an issue',
    handle: ({ viewer, path: repository, params: { number }, request }) =>
      marks.unlock(viewer, { repository, number }, required(request)),
  });

  api.post(`${ISSUE_URL}/deadline`, ISSUE.manage, {
    ...FAILURES,
    id: 'issueEditIssueDeadline',
    summary: 'Set the due date of an issue; null removes it',
    body: EditDeadlineBody,
    status: 201,
    answer: DeadlineAnswer,
    handle: ({ viewer, path: repository, params: { number }, body, request }) => {
      const wanted = body.due_date === null ? null : dueTimeOf(body.due_date);
      return marks.setDueDate(viewer, { repository, number }, wanted, required(request));
    },
  });

  pinRoutes(app, dependencies);
}

function pinRoutes(app: App, { marks, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const repositoryApi = operationsOn(app, { tag: 'repository', addresses });
  const { required } = preconditionsOn(IssueAnswer, addresses);

  repositoryApi.wholeList(`${ISSUES_URL}/pinned`, ISSUE.listPinned, {
    id: 'repoListPinnedIssues',
    isTagged: true,
    summary: 'List the pinned issues of a repository',
    answer: IssueAnswer,
    handle: ({ viewer, path }) => marks.listPinned(viewer, path),
  });

  repositoryApi.get('/repos/:owner/:repo/new_pin_allowed', ISSUE.read, {
    id: 'repoNewPinAllowed',
    isTagged: true,
    summary: 'Check whether another issue can be pinned',
    answer: FreePinsAnswer,
    handle: ({ viewer, path }) => marks.freePins(viewer, path),
  });

  api.post(`${ISSUE_URL}/pin`, ISSUE.pin, {
    ...FAILURES,
    id: 'pinIssue',
    summary: 'Pin an issue',
    handle: ({ viewer, path: repository, params: { number }, request }) =>
      marks.pin(viewer, { repository, number }, required(request)),
  });

  api.delete(`${ISSUE_URL}/pin`, ISSUE.pin, {
    ...FAILURES,
    id: 'unpinIssue',
    summary: 'Unpin an issue',
    handle: ({ viewer, path: repository, params: { number }, request }) =>
      marks.unpin(viewer, { repository, number }, required(request)),
  });

  api.patch(`${ISSUE_URL}/pin/:position`, ISSUE.pin, {
    ...FAILURES,
    id: 'moveIssuePin',
    summary: 'Move a pinned issue among the others',
    handle: ({ viewer, path: repository, params: { number, position }, request }) =>
      marks.movePin(viewer, { repository, number }, position, required(request)),
  });
}
