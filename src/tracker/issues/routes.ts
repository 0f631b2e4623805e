import type { FastifyReply } from 'fastify';
import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../http/app.ts';
import { ISSUE } from './actions.ts';
import { issueEditOf, issueFilterOf, newIssueOf, searchFilterOf } from './options.ts';
import { IssueAnswer } from './present.ts';
import { CreateIssueBody, EditIssueBody, IssueQuery, SearchIssuesQuery } from './schema.ts';
import type { FoundPage } from './search/service.ts';
import type { Issues } from './service.ts';
import { ISSUE_URL, ISSUES_URL } from './urls.ts';

interface Dependencies {
  readonly issues: Issues;
  readonly addresses: Addresses;
}

export function issueRoutes(app: App, { issues, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { required } = preconditionsOn(IssueAnswer, addresses);

  api.list(ISSUES_URL, ISSUE.read, {
    id: 'issueListIssues',
    isTagged: true,
    summary: 'List the issues of a repository',
    failures: ['invalid'],
    query: IssueQuery,
    answer: IssueAnswer,
    handle: async ({ viewer, path, query, paging, reply }) =>
      sayIfIncomplete(reply, await issues.list(viewer, path, issueFilterOf(query), paging)),
  });

  api.list('/repos/issues/search', ISSUE.search, {
    id: 'issueSearchIssues',
    isTagged: true,
    summary: 'Search the issues of all repositories',
    failures: ['invalid', 'bad_request'],
    query: SearchIssuesQuery,
    answer: IssueAnswer,
    handle: async ({ viewer, query, paging, reply }) =>
      sayIfIncomplete(reply, await issues.search(viewer, searchFilterOf(query), paging)),
  });

  api.post(ISSUES_URL, ISSUE.create, {
    id: 'issueCreateIssue',
    summary: 'Create an issue',
    failures: ['archived', 'invalid'],
    body: CreateIssueBody,
    status: 201,
    answer: IssueAnswer,
    handle: ({ viewer, path, body }) => issues.create(viewer, path, newIssueOf(body)),
  });

  api.get(ISSUE_URL, ISSUE.read, {
    id: 'issueGetIssue',
    isTagged: true,
    summary: 'Get an issue',
    answer: IssueAnswer,
    handle: ({ viewer, path, params }) => issues.get(viewer, { repository: path, number: params.number }),
  });

  api.patch(ISSUE_URL, ISSUE.change, {
    id: 'issueEditIssue',
    summary: 'Change, close or reopen an issue',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: EditIssueBody,
    status: 201,
    answer: IssueAnswer,
    handle: ({ viewer, path, params, body, request }) =>
      issues.edit(viewer, { repository: path, number: params.number }, issueEditOf(body), {
        requireCurrent: required(request),
      }),
  });

  api.delete(ISSUE_URL, ISSUE.delete, {
    id: 'issueDelete',
    summary: 'Delete an issue with its comments',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      issues.delete(viewer, { repository: path, number: params.number }, required(request)),
  });
}

/** Sets `X-Search-Incomplete` if more issues may match a search than it has found: see docs/flows/issue-search.md. */
function sayIfIncomplete<Item>(reply: FastifyReply, page: FoundPage<Item>): FoundPage<Item> {
  if (!page.isComplete) {
    reply.header('x-search-incomplete', 'true');
    reply.header('access-control-expose-headers', 'Link, X-Search-Incomplete, X-Total-Count');
  }
  return page;
}
