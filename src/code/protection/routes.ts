import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { PROTECTION } from './actions.ts';
import {
  branchProtectionEditOf,
  newBranchProtectionOf,
  newTagProtectionOf,
  tagProtectionEditOf,
} from './options.ts';
import { BranchProtectionAnswer, TagProtectionAnswer } from './present.ts';
import {
  CreateBranchProtectionBody,
  CreateTagProtectionBody,
  EditBranchProtectionBody,
  EditTagProtectionBody,
} from './schema.ts';
import type { Protections } from './service.ts';

const BRANCHES_URL = '/repos/:owner/:repo/branch_protections';
/** A name may have slashes, encoded or not. */
const BRANCH_URL = `${BRANCHES_URL}/*` as const;
const TAGS_URL = '/repos/:owner/:repo/tag_protections';
const TAG_URL = `${TAGS_URL}/:id` as const;

interface Dependencies {
  readonly protections: Protections;
  readonly addresses: Addresses;
}

/** On this wire, protecting the same branches or tags again is a 403. */
const statusOf: StatusOf = ({ kind }) => (kind === 'already_exists' ? 403 : undefined);

export function protectionRoutes(app: App, dependencies: Dependencies): void {
  branchProtectionRoutes(app, dependencies);
  tagProtectionRoutes(app, dependencies);
}

function branchProtectionRoutes(app: App, { protections, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const keyOf = (params: { '*': string }) => ({ kind: 'branch', pattern: params['*'] }) as const;
  const { required, listRequired } = preconditionsOn(BranchProtectionAnswer, addresses);

  api.list(BRANCHES_URL, PROTECTION.read, {
    id: 'repoListBranchProtection',
    isTagged: true,
    summary: 'List the protections of branches',
    answer: BranchProtectionAnswer,
    handle: ({ viewer, path, paging }) => protections.list(viewer, path, 'branch', paging),
  });

  api.post(BRANCHES_URL, PROTECTION.change, {
    id: 'repoCreateBranchProtection',
    summary: 'Protect branches',
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    statusOf,
    body: CreateBranchProtectionBody,
    status: 201,
    answer: BranchProtectionAnswer,
    handle: ({ viewer, path, body, request }) =>
      protections.create(viewer, path, 'branch', newBranchProtectionOf(body), listRequired(request)),
  });

  api.get(BRANCH_URL, PROTECTION.read, {
    id: 'repoGetBranchProtection',
    isTagged: true,
    summary: 'Get a protection of branches',
    answer: BranchProtectionAnswer,
    handle: ({ viewer, path, params }) => protections.get(viewer, path, keyOf(params)),
  });

  api.patch(BRANCH_URL, PROTECTION.change, {
    id: 'repoEditBranchProtection',
    summary: 'Change a protection of branches',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: EditBranchProtectionBody,
    answer: BranchProtectionAnswer,
    handle: ({ viewer, path, params, body, request }) =>
      protections.edit(viewer, path, keyOf(params), branchProtectionEditOf(body), required(request)),
  });

  api.delete(BRANCH_URL, PROTECTION.change, {
    id: 'repoDeleteBranchProtection',
    summary: 'Delete a protection of branches',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      protections.delete(viewer, path, keyOf(params), required(request)),
  });
}

function tagProtectionRoutes(app: App, { protections, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  const keyOf = ({ id }: { id: number }) => ({ kind: 'tag', id }) as const;
  const { required, listRequired } = preconditionsOn(TagProtectionAnswer, addresses);

  api.list(TAGS_URL, PROTECTION.read, {
    id: 'repoListTagProtection',
    isTagged: true,
    summary: 'List the protections of tags',
    answer: TagProtectionAnswer,
    handle: ({ viewer, path, paging }) => protections.list(viewer, path, 'tag', paging),
  });

  api.post(TAGS_URL, PROTECTION.change, {
    id: 'repoCreateTagProtection',
    summary: 'Protect tags',
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    statusOf,
    body: CreateTagProtectionBody,
    status: 201,
    answer: TagProtectionAnswer,
    handle: ({ viewer, path, body, request }) =>
      protections.create(viewer, path, 'tag', newTagProtectionOf(body), listRequired(request)),
  });

  api.get(TAG_URL, PROTECTION.read, {
    id: 'repoGetTagProtection',
    isTagged: true,
    summary: 'Get a protection of tags',
    answer: TagProtectionAnswer,
    handle: ({ viewer, path, params }) => protections.get(viewer, path, keyOf(params)),
  });

  api.patch(TAG_URL, PROTECTION.change, {
    id: 'repoEditTagProtection',
    summary: 'Change a protection of tags',
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    statusOf,
    body: EditTagProtectionBody,
    answer: TagProtectionAnswer,
    handle: ({ viewer, path, params, body, request }) =>
      protections.edit(viewer, path, keyOf(params), tagProtectionEditOf(body), required(request)),
  });

  api.delete(TAG_URL, PROTECTION.change, {
    id: 'repoDeleteTagProtection',
    summary: 'Delete a protection of tags',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      protections.delete(viewer, path, keyOf(params), required(request)),
  });
}
