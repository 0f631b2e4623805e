import { type Static, Type } from 'typebox';
import { answerOf } from '../../../api/operations/answers.ts';
import { operationsOn } from '../../../api/operations/operations.ts';
import { repositoryAddresses } from '../../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { reference } from '../../../http/shapes.ts';
import { PULL } from '../actions.ts';
import { presentPull } from '../present.ts';
import { PullSchema } from '../schema.ts';
import type { ApplicationWish, AppliedCommit, AppliedCommits } from './service.ts';

const Text = Type.Optional(Type.String());

const ApplyBody = Type.Object(
  {
    branch: Type.Optional(Type.String({ description: 'by default, the default branch' })),
    new_branch: Type.Optional(
      Type.String({ description: 'creates this branch instead of changing `branch`' }),
    ),
    pull_request: Type.Optional(Type.Boolean({ description: 'opens a pull request from the new branch' })),
    message: Text,
  },
  { $id: 'ApplyCommitOption' },
);

const AppliedSchema = Type.Object(
  {
    sha: Type.String(),
    html_url: Type.String(),
    branch: Type.String(),
    pull_request: Type.Union([Type.Null(), reference(PullSchema)]),
  },
  { $id: 'AppliedCommit' },
);

const AppliedAnswer = answerOf(
  AppliedSchema,
  ({ sha, branch, repository, pull }: AppliedCommit, viewer, addresses) => ({
    sha,
    html_url: `${repositoryAddresses(repository, addresses).htmlUrl}/commit/${sha}`,
    branch,
    pull_request: pull === null ? null : presentPull(pull, viewer, addresses),
  }),
);

interface Dependencies {
  readonly appliedCommits: AppliedCommits;
  readonly addresses: Addresses;
}

/** Operations of this server: the reference has them only as pages. */
export function applyRoutes(app: App, { appliedCommits, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const operation = {
    failures: ['archived', 'conflict', 'invalid'],
    body: ApplyBody,
    status: 201,
    answer: AppliedAnswer,
  } as const;

  api.post('/repos/:owner/:repo/commits/:sha/revert', PULL.apply, {
    ...operation,
    id: 'repoRevertCommit',
    summary: 'Take the changes of a commit back, by a new commit',
    handle: ({ viewer, path, params, body }) =>
      appliedCommits.apply(viewer, path, { id: params.sha, application: 'revert', wish: wishOf(body) }),
  });

  api.post('/repos/:owner/:repo/commits/:sha/cherry-pick', PULL.apply, {
    ...operation,
    id: 'repoCherryPickCommit',
    summary: 'Make the changes of a commit on another branch, by a new commit',
    handle: ({ viewer, path, params, body }) =>
      appliedCommits.apply(viewer, path, { id: params.sha, application: 'cherry-pick', wish: wishOf(body) }),
  });
}

function wishOf(body: Static<typeof ApplyBody>): ApplicationWish {
  return {
    branch: body.branch ?? '',
    newBranch: body.new_branch ?? '',
    opensPull: body.pull_request ?? false,
    message: (body.message ?? '').trim(),
  };
}
