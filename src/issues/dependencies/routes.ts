import type { Static } from 'typebox';
import { operationsOn } from '../../access/operations.ts';
import { preconditionsOn } from '../../access/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import type { RepositoryPath } from '../../repositories/model.ts';
import { ISSUE } from '../actions.ts';
import { IssueAnswer } from '../present.ts';
import type { Direction } from '../store/dependencies.ts';
import { DEPENDENCY } from './actions.ts';
import { IssueMetaBody } from './schema.ts';
import type { Dependencies, Linking } from './service.ts';

const DEPENDENCIES_URL = '/repos/:owner/:repo/issues/:number/dependencies';
const BLOCKS_URL = '/repos/:owner/:repo/issues/:number/blocks';

interface Given {
  readonly dependencies: Dependencies;
  readonly addresses: Addresses;
}

export function dependencyRoutes(app: App, given: Given): void {
  blockedByRoutes(app, given);
  blockingRoutes(app, given);
}

function blockedByRoutes(app: App, { dependencies, addresses }: Given): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { listRequired } = preconditionsOn(IssueAnswer, addresses);
  const direction = 'dependencies';

  api.list(DEPENDENCIES_URL, ISSUE.read, {
    id: 'issueListIssueDependencies',
    isTagged: true,
    summary: 'List the issues that block an issue',
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, paging }) =>
      dependencies.list(viewer, { repository: path, number }, direction, paging),
  });

  api.post(DEPENDENCIES_URL, DEPENDENCY.change, {
    id: 'issueCreateIssueDependencies',
    summary: 'Let an issue be blocked by another one',
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    body: IssueMetaBody,
    status: 201,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      dependencies.add(viewer, linkingOf(path, { number, direction, body }), listRequired(request)),
  });

  api.delete(DEPENDENCIES_URL, DEPENDENCY.change, {
    id: 'issueRemoveIssueDependencies',
    summary: 'Let an issue no longer be blocked by another one',
    failures: ['archived', 'precondition_failed'],
    body: IssueMetaBody,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      dependencies.remove(viewer, linkingOf(path, { number, direction, body }), listRequired(request)),
  });
}

function blockingRoutes(app: App, { dependencies, addresses }: Given): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { listRequired } = preconditionsOn(IssueAnswer, addresses);
  const direction = 'blocks';

  api.list(BLOCKS_URL, ISSUE.read, {
    id: 'issueListBlocks',
    isTagged: true,
    summary: 'List the issues that an issue blocks',
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, paging }) =>
      dependencies.list(viewer, { repository: path, number }, direction, paging),
  });

  api.post(BLOCKS_URL, DEPENDENCY.block, {
    id: 'issueCreateIssueBlocking',
    summary: 'Let an issue block another one',
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    body: IssueMetaBody,
    status: 201,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      dependencies.add(viewer, linkingOf(path, { number, direction, body }), listRequired(request)),
  });

  api.delete(BLOCKS_URL, DEPENDENCY.block, {
    id: 'issueRemoveIssueBlocking',
    summary: 'Let an issue no longer block another one',
    failures: ['archived', 'precondition_failed'],
    body: IssueMetaBody,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      dependencies.remove(viewer, linkingOf(path, { number, direction, body }), listRequired(request)),
  });
}

function linkingOf(
  repository: RepositoryPath,
  of: { readonly number: string; readonly direction: Direction; readonly body: Static<typeof IssueMetaBody> },
): Linking {
  const { number, direction, body } = of;
  const named = { owner: body.owner ?? repository.owner, name: body.repo ?? repository.name };
  return {
    path: { repository, number },
    direction,
    other: { repository: named, number: String(body.index) },
  };
}
