import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { undefinedIf } from '../../base/core/failure.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, fieldsOf, isChecked, longTextOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { sendPage } from '../../http/pages/page.ts';
import { DEFAULT_CONFIG, type IssueFiles, type IssueTemplate } from '../../tracker/issue-templates/model.ts';
import type { IssueTemplates } from '../../tracker/issue-templates/service.ts';
import { mayManage } from '../../tracker/issues/access.ts';
import { ISSUE } from '../../tracker/issues/actions.ts';
import type { Issues } from '../../tracker/issues/service.ts';
import type { Markdown } from '../../tracker/markdown/service.ts';
import { repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { problemOf } from '../forms/problems.ts';
import { WEB_LIMITS } from '../limits.ts';
import { chooseIssuePage, type NewIssueForm, newIssuePage } from './new-issue-page.ts';
import { type ChoiceServices, choicesOf } from './parts/choices.ts';
import { PREVIEW_FIELD, previewBox } from './parts/preview.ts';
import { issuePath, type TrackerView, viewOf } from './parts/view.ts';
import { templateText } from './template-fields.ts';

interface Dependencies extends ChoiceServices {
  readonly issues: Issues;
  readonly issueTemplates: IssueTemplates;
  readonly markdown: Markdown;
  readonly addresses: Addresses;
}

const Params = Type.Object({ owner: Type.String(), repo: Type.String() });
const Text = Type.Optional(Type.String());
const Query = Type.Object({
  title: Text,
  body: Text,
  labels: Text,
  milestone: Text,
  assignees: Text,
  template: Text,
});
const SEE_OTHER = 303;
const NO_FILES: IssueFiles = { templates: [], config: DEFAULT_CONFIG, configProblem: '' };

/** Registers the pages on which people open issues. */
export function newIssuePages(app: App, dependencies: Dependencies): void {
  const { addresses } = dependencies;
  const config = { action: ISSUE.create };
  app.get(
    '/:owner/:repo/issues/new',
    { config, schema: { params: Params, querystring: Query } },
    async (request, reply) => {
      const view = await openForm(request, reply, dependencies);
      const { title = '', body, labels, milestone = '', assignees, template: file } = request.query;
      const template = await templateOf(view, file, dependencies);
      const form = {
        title: title === '' ? (template?.title ?? '') : title,
        text: body ?? template?.content ?? '',
        labels: labels === undefined ? (template?.labels ?? []) : labels.split(','),
        milestone,
        assignees: assignees?.split(',') ?? [],
        template,
        typed: (name: string) => valuesIn(request, name),
      };
      return sendForm(reply, view, form, dependencies);
    },
  );

  app.get(
    '/:owner/:repo/issues/new/choose',
    { config, schema: { params: Params } },
    async (request, reply) => {
      const view = await openForm(request, reply, dependencies);
      const files = await filesOf(view, dependencies);
      const hasChoice = files.templates.length > 0 || files.config.contactLinks.length > 0;
      if (hasChoice) return sendPage(reply, chooseIssuePage(view, files));
      const path = `${repositoryPath(view.permitted.repository)}/issues/new`;
      return reply.redirect(localAddress(path, addresses), SEE_OTHER);
    },
  );

  app.post(
    '/:owner/:repo/issues/new',
    {
      bodyLimit: WEB_LIMITS.textFormBytesMax,
      config: { action: ISSUE.create, isForm: true },
      schema: { params: Params },
    },
    (request, reply) => createIssue(request, reply, dependencies),
  );
}

/** Fields of a template may also be in the address, as in the reference. */
function valuesIn({ query }: FastifyRequest, name: string): readonly string[] | undefined {
  const value = (query as Record<string, string | undefined>)[name.replace(/^field-/, '')];
  return value === undefined ? undefined : [value];
}

async function openForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { issues, addresses }: Dependencies,
): Promise<TrackerView> {
  const { owner, repo } = request.params as { owner: string; repo: string };
  const path: RepositoryPath = { owner, name: repo };
  const permitted = await issues.access.repository(request.viewer, path, ISSUE.create);
  return viewOf(request, reply, { permitted, addresses });
}

async function filesOf(
  { viewer, permitted }: TrackerView,
  { issueTemplates }: Dependencies,
): Promise<IssueFiles> {
  const { owner, name } = permitted.repository;
  // A person may open issues without reading the code.
  const location = await issueTemplates
    .locate(viewer, { owner: owner.name, name })
    .catch(undefinedIf('not_found', 'forbidden'));
  return location === undefined ? NO_FILES : issueTemplates.read(location);
}

async function templateOf(
  view: TrackerView,
  file: string | undefined,
  dependencies: Dependencies,
): Promise<IssueTemplate | undefined> {
  if (file === undefined || file === '') return undefined;
  const { templates } = await filesOf(view, dependencies);
  return templates.find(({ path }) => path === file);
}

async function sendForm(
  reply: FastifyReply,
  view: TrackerView,
  form: NewIssueForm,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const isManager = mayManage(view.permitted, { isPull: false });
  const choices = isManager ? await choicesOf(view, dependencies) : undefined;
  return sendPage(reply, await newIssuePage(view, form, { markdown: dependencies.markdown, choices }));
}

async function createIssue(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const view = await openForm(request, reply, dependencies);
  const viewer = signedIn(request);
  const template = await templateOf(view, fieldOf(request, 'template'), dependencies);
  const form = {
    title: fieldOf(request, 'title'),
    text: longTextOf(request, 'content'),
    labels: fieldsOf(request, 'label'),
    milestone: fieldOf(request, 'milestone'),
    assignees: fieldsOf(request, 'assignee'),
    template,
    typed: (name: string) => fieldsOf(request, name),
  };
  const { owner, name } = view.permitted.repository;
  try {
    if (isChecked(request, PREVIEW_FIELD)) {
      const preview = await previewBox(view, dependencies.markdown, textOf(form));
      return await sendForm(reply, view, { ...form, preview }, dependencies);
    }
    const issue = await dependencies.issues.create(
      viewer,
      { owner: owner.name, name },
      {
        title: form.title,
        body: textOf(form),
        ref: '',
        labels: form.labels.flatMap((text) => parseId(text) ?? []),
        milestone: parseId(form.milestone) ?? null,
        assignees: form.assignees,
        dueAt: null,
        isClosed: false,
      },
    );
    return reply.redirect(localAddress(issuePath(issue), dependencies.addresses), SEE_OTHER);
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return sendForm(reply, view, { ...form, problem }, dependencies);
  }
}

/** Returns the text of a new issue. @throws ForgeError `invalid` for a field of a template */
function textOf({ template, text, typed }: NewIssueForm): string {
  return template?.fields == null ? text : templateText(template.fields, typed);
}
