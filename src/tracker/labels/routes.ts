import { operationsOn } from '../../api/operations/operations.ts';
import { preconditionsOn } from '../../api/operations/preconditions.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { LABEL } from './actions.ts';
import type { LabelPlace } from './model.ts';
import { labelEditOf, labelOrderOf, newLabelOf } from './options.ts';
import { LabelAnswer } from './present.ts';
import { CreateLabelBody, EditLabelBody, LabelQuery } from './schema.ts';
import type { Labels } from './service.ts';

const REPOSITORY_LABELS_URL = '/repos/:owner/:repo/labels';
const REPOSITORY_LABEL_URL = `${REPOSITORY_LABELS_URL}/:id` as const;
const ORGANIZATION_LABELS_URL = '/orgs/:org/labels';
const ORGANIZATION_LABEL_URL = `${ORGANIZATION_LABELS_URL}/:id` as const;

interface Dependencies {
  readonly labels: Labels;
  readonly addresses: Addresses;
}

export function labelRoutes(app: App, dependencies: Dependencies): void {
  repositoryLabelRoutes(app, dependencies);
  organizationLabelRoutes(app, dependencies);
}

function repositoryLabelRoutes(app: App, { labels, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'issue', addresses });
  const { required, listRequired } = preconditionsOn(LabelAnswer, addresses);
  const placeOf = (path: RepositoryPath): LabelPlace => ({ kind: 'repository', path });

  api.list(REPOSITORY_LABELS_URL, LABEL.read, {
    id: 'issueListLabels',
    isTagged: true,
    summary: 'List the labels of a repository',
    query: LabelQuery,
    answer: LabelAnswer,
    handle: ({ viewer, path, query, paging }) =>
      labels.list(viewer, placeOf(path), labelOrderOf(query.sort), paging),
  });

  api.post(REPOSITORY_LABELS_URL, LABEL.change, {
    id: 'issueCreateLabel',
    summary: 'Create a label of a repository',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: CreateLabelBody,
    status: 201,
    answer: LabelAnswer,
    handle: ({ viewer, path, body, request }) =>
      labels.create(viewer, placeOf(path), newLabelOf(body), listRequired(request)),
  });

  api.get(REPOSITORY_LABEL_URL, LABEL.read, {
    id: 'issueGetLabel',
    isTagged: true,
    summary: 'Get a label of a repository',
    answer: LabelAnswer,
    handle: ({ viewer, path, params }) => labels.get(viewer, placeOf(path), params.id),
  });

  api.patch(REPOSITORY_LABEL_URL, LABEL.change, {
    id: 'issueEditLabel',
    summary: 'Change a label of a repository',
    failures: ['archived', 'invalid', 'precondition_failed'],
    body: EditLabelBody,
    answer: LabelAnswer,
    handle: ({ viewer, path, params: { id }, body, request }) =>
      labels.edit(viewer, placeOf(path), { id, edit: labelEditOf(body) }, required(request)),
  });

  api.delete(REPOSITORY_LABEL_URL, LABEL.change, {
    id: 'issueDeleteLabel',
    summary: 'Delete a label of a repository',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params, request }) =>
      labels.delete(viewer, placeOf(path), params.id, required(request)),
  });
}

function organizationLabelRoutes(app: App, { labels, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'organization', addresses });
  const { required, listRequired } = preconditionsOn(LabelAnswer, addresses);
  const placeOf = ({ org }: { readonly org: string }): LabelPlace => ({ kind: 'organization', name: org });

  api.list(ORGANIZATION_LABELS_URL, LABEL.readOfOrganization, {
    id: 'orgListLabels',
    isTagged: true,
    summary: 'List the labels that an organization offers to its repositories',
    query: LabelQuery,
    answer: LabelAnswer,
    handle: ({ viewer, params, query, paging }) =>
      labels.list(viewer, placeOf(params), labelOrderOf(query.sort), paging),
  });

  api.post(ORGANIZATION_LABELS_URL, LABEL.changeOfOrganization, {
    id: 'orgCreateLabel',
    summary: 'Create a label of an organization',
    failures: ['invalid', 'precondition_failed'],
    body: CreateLabelBody,
    status: 201,
    answer: LabelAnswer,
    handle: ({ viewer, params, body, request }) =>
      labels.create(viewer, placeOf(params), newLabelOf(body), listRequired(request)),
  });

  api.get(ORGANIZATION_LABEL_URL, LABEL.readOfOrganization, {
    id: 'orgGetLabel',
    isTagged: true,
    summary: 'Get a label of an organization',
    answer: LabelAnswer,
    handle: ({ viewer, params }) => labels.get(viewer, placeOf(params), params.id),
  });

  api.patch(ORGANIZATION_LABEL_URL, LABEL.changeOfOrganization, {
    id: 'orgEditLabel',
    summary: 'Change a label of an organization',
    failures: ['invalid', 'precondition_failed'],
    body: EditLabelBody,
    answer: LabelAnswer,
    handle: ({ viewer, params, body, request }) =>
      labels.edit(viewer, placeOf(params), { id: params.id, edit: labelEditOf(body) }, required(request)),
  });

  api.delete(ORGANIZATION_LABEL_URL, LABEL.changeOfOrganization, {
    id: 'orgDeleteLabel',
    summary: 'Delete a label of an organization',
    failures: ['precondition_failed'],
    handle: ({ viewer, params, request }) =>
      labels.delete(viewer, placeOf(params), params.id, required(request)),
  });
}
