import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { RepositoryAction } from '../../api/access/actions.ts';
import type { Viewer } from '../../api/access/viewer.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { pagingOf } from '../../base/core/paging.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { namesVersion, recordTag, requireMatch } from '../../http/conditional.ts';
import { BRANCH } from './actions.ts';
import type { Branch, BranchStart } from './model.ts';
import { BranchAnswer, presentBranch } from './present.ts';
import type { BranchReader } from './read.ts';
import { CreateBranchBody, UpdateBranchBody } from './schema.ts';
import type { BranchChanges } from './write.ts';

const BRANCHES_URL = '/repos/:owner/:repo/branches';
/** A name may have slashes. */
const BRANCH_URL = `${BRANCHES_URL}/*` as const;

interface Dependencies {
  readonly branchReader: BranchReader;
  readonly branchChanges: BranchChanges;
  readonly addresses: Addresses;
}

export function branchRoutes(app: App, { branchReader, branchChanges, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  /** Returns the commit of a branch that the request has seen, by its `If-Match`; undefined without one. */
  const seen = async (call: ChangeCall, action: RepositoryAction) => {
    if (!namesVersion(call.request)) return undefined;
    const branch = await branchReader.get(call.viewer, call.path, call.params['*'], action);
    requireMatch(call.request, branchTag(branch, addresses));
    return branch.commit.oid;
  };

  /** Returns the first page of the list that the request has seen, by its `If-Match`; undefined without one. */
  const seenList = async ({ viewer, path, request }: Omit<ChangeCall, 'params'>) => {
    if (!namesVersion(request)) return undefined;
    const paging = pagingOf({});
    const { items, total } = await branchReader.list(viewer, path, paging, BRANCH.create);
    const records = items.map((branch) => presentBranch(branch, addresses));
    requireMatch(request, recordTag(records, total));
    return { refs: items.map(({ name, commit }) => ({ name, oid: commit.oid })), total, paging };
  };

  api.list(BRANCHES_URL, BRANCH.read, {
    id: 'repoListBranches',
    isTagged: true,
    summary: 'List branches by name',
    answer: BranchAnswer,
    handle: ({ viewer, path, paging }) => branchReader.list(viewer, path, paging),
  });

  api.get(BRANCH_URL, BRANCH.read, {
    id: 'repoGetBranch',
    isTagged: true,
    summary: 'Get a branch with its commit and its protection',
    answer: BranchAnswer,
    handle: ({ viewer, path, params }) => branchReader.get(viewer, path, params['*']),
  });

  api.post(BRANCHES_URL, BRANCH.create, {
    id: 'repoCreateBranch',
    summary: 'Create a branch',
    failures: ['archived', 'invalid', 'conflict', 'precondition_failed'],
    body: CreateBranchBody,
    status: 201,
    answer: BranchAnswer,
    async handle(call) {
      const { viewer, path, body } = call;
      await branchChanges.create(viewer, path, body.new_branch_name, {
        start: startOf(body),
        seen: await seenList(call),
      });
      return branchReader.get(viewer, path, body.new_branch_name);
    },
  });

  api.patch(BRANCH_URL, BRANCH.rename, {
    id: 'repoUpdateBranch',
    summary: 'Rename a branch',
    failures: ['archived', 'invalid', 'conflict', 'precondition_failed'],
    statusOf: ({ kind }) => (kind === 'conflict' ? 422 : undefined),
    body: UpdateBranchBody,
    async handle(call) {
      const { viewer, path, body } = call;
      const from = call.params['*'];
      const seenTip = await seen(call, BRANCH.rename);
      return branchChanges.rename(viewer, path, { from, to: body.name, seenTip });
    },
  });

  api.delete(BRANCH_URL, BRANCH.delete, {
    id: 'repoDeleteBranch',
    summary: 'Delete a branch',
    failures: ['archived', 'invalid', 'precondition_failed'],
    async handle(call) {
      const seenTip = await seen(call, BRANCH.delete);
      return branchChanges.delete(call.viewer, call.path, call.params['*'], { seenTip });
    },
  });
}

interface ChangeCall {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly params: { readonly '*': string };
  readonly request: FastifyRequest;
}

function startOf(body: Static<typeof CreateBranchBody>): BranchStart {
  const { old_ref_name: ref = '', old_branch_name: branch = '' } = body;
  if (ref !== '') return { kind: 'ref', name: ref };
  return branch === '' ? { kind: 'default-branch' } : { kind: 'branch', name: branch };
}

/** The names of users in the answer can change without the branch, so the tag is that of the whole answer. */
function branchTag(branch: Branch, addresses: Addresses): string {
  return recordTag(presentBranch(branch, addresses));
}
