import { listOf } from '../../../../api/operations/answers.ts';
import { operationsOn } from '../../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../../api/operations/preconditions.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { LabelAnswer } from '../../../labels/present.ts';
import { ISSUE } from '../../actions.ts';
import { statedTimeOf } from '../../options.ts';
import { ISSUE_URL } from '../../urls.ts';
import { DeleteLabelsBody, IssueLabelsBody } from './schema.ts';
import type { IssueLabels } from './service.ts';

const LABELS_URL = `${ISSUE_URL}/labels` as const;

interface Dependencies {
  readonly labels: IssueLabels;
  readonly addresses: Addresses;
}

export function issueLabelRoutes(app: App, { labels, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { listRequired } = preconditionsOn(LabelAnswer, addresses);
  const changes = { failures: ['archived', 'invalid', 'precondition_failed'] } as const;

  api.list(LABELS_URL, ISSUE.read, {
    id: 'issueGetLabels',
    isTagged: true,
    summary: 'List the labels of an issue',
    answer: LabelAnswer,
    handle: ({ viewer, path, params, paging }) =>
      labels.list(viewer, { repository: path, number: params.number }, paging),
  });

  api.post(LABELS_URL, ISSUE.manage, {
    ...changes,
    id: 'issueAddLabel',
    summary: 'Add labels to an issue',
    body: IssueLabelsBody,
    answer: listOf(LabelAnswer),
    handle: ({ viewer, path: repository, params: { number }, body, request }) => {
      const change = { path: { repository, number }, requireCurrent: listRequired(request), ...timeIn(body) };
      return labels.add(viewer, change, body.labels);
    },
  });

  api.put(LABELS_URL, ISSUE.manage, {
    ...changes,
    id: 'issueReplaceLabels',
    summary: 'Replace the labels of an issue',
    body: IssueLabelsBody,
    answer: listOf(LabelAnswer),
    handle: ({ viewer, path: repository, params: { number }, body, request }) => {
      const change = { path: { repository, number }, requireCurrent: listRequired(request), ...timeIn(body) };
      return labels.replace(viewer, change, body.labels);
    },
  });

  api.delete(LABELS_URL, ISSUE.manage, {
    ...changes,
    id: 'issueClearLabels',
    summary: 'Remove all labels from an issue',
    body: DeleteLabelsBody,
    handle: ({ viewer, path: repository, params: { number }, body, request }) => {
      const change = { path: { repository, number }, requireCurrent: listRequired(request), ...timeIn(body) };
      return labels.clear(viewer, change);
    },
  });

  api.delete(`${LABELS_URL}/:identifier`, ISSUE.manage, {
    ...changes,
    id: 'issueRemoveLabel',
    summary: 'Remove a label from an issue',
    body: DeleteLabelsBody,
    handle: ({ viewer, path: repository, params: { number, identifier }, body, request }) => {
      const change = { path: { repository, number }, requireCurrent: listRequired(request), ...timeIn(body) };
      return labels.remove(viewer, change, identifier);
    },
  });
}

function timeIn({ updated_at: text }: { readonly updated_at?: string }): { readonly at?: number } {
  return text === undefined ? {} : { at: statedTimeOf(text) };
}
