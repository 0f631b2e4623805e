import type { Static } from 'typebox';
import { operationsOn } from '../../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../../api/operations/preconditions.ts';
import type { RepositoryPath } from '../../../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { ISSUE } from '../../actions.ts';
import { IssueAnswer } from '../../present.ts';
import { DEPENDENCY } from './actions.ts';
import { IssueMetaBody } from './schema.ts';
import type { Dependencies, Linking } from './service.ts';
import type { Direction } from './store.ts';

interface Given {
  readonly dependencies: Dependencies;
  readonly addresses: Addresses;
}

/** What differs between the two directions in which an issue can depend on another one. */
interface Side {
  readonly direction: Direction;
  readonly ids: { readonly list: string; readonly add: string; readonly remove: string };
  readonly summaries: { readonly list: string; readonly add: string; readonly remove: string };
}

const SIDES: readonly Side[] = [
  {
    direction: 'dependencies',
    ids: {
      list: 'issueListIssueDependencies',
      add: 'issueCreateIssueDependencies',
      remove: 'issueRemoveIssueDependencies',
    },
    summaries: {
      list: 'List the issues that block an issue',
      add: 'Let an issue be blocked by another one',
      remove: 'Let an issue no longer be blocked by another one',
    },
  },
  {
    direction: 'blocks',
    ids: { list: 'issueListBlocks', add: 'issueCreateIssueBlocking', remove: 'issueRemoveIssueBlocking' },
    summaries: {
      list: 'List the issues that an issue blocks',
      add: 'Let an issue block another one',
      remove: 'Let an issue no longer block another one',
    },
  },
];

export function dependencyRoutes(app: App, given: Given): void {
  for (const side of SIDES) routesOf(app, given, side);
}

function routesOf(app: App, { dependencies, addresses }: Given, side: Side): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { listRequired } = preconditionsOn(IssueAnswer, addresses);
  const { direction, ids, summaries } = side;
  const isBlocking = direction === 'blocks';
  const url = `/repos/:owner/:repo/issues/:number/${direction}` as const;

  api.list(url, ISSUE.read, {
    id: ids.list,
    isTagged: true,
    summary: summaries.list,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, paging }) =>
      dependencies.list(viewer, { repository: path, number }, direction, paging),
  });

  api.post(url, isBlocking ? DEPENDENCY.block : DEPENDENCY.change, {
    id: ids.add,
    summary: summaries.add,
    failures: ['archived', 'invalid', 'already_exists', 'precondition_failed'],
    body: IssueMetaBody,
    status: 201,
    answer: IssueAnswer,
    handle: ({ viewer, path, params: { number }, body, request }) =>
      dependencies.add(viewer, linkingOf(path, { number, direction, body }), listRequired(request)),
  });

  api.delete(url, isBlocking ? DEPENDENCY.block : DEPENDENCY.change, {
    id: ids.remove,
    summary: summaries.remove,
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
