import type { FastifyReply, FastifyRequest } from 'fastify';
import { reaches } from '../../../api/access/levels.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import { mayManage } from '../../../tracker/issues/access.ts';
import { isDraft } from '../../../tracker/issues/rules.ts';
import { PULL } from '../../../tracker/pulls/actions.ts';
import type { Pull } from '../../../tracker/pulls/model.ts';
import { encoded, repositoryPath } from '../../addresses.ts';
import { issuePath, mayChange, type TrackerView, viewOf } from '../parts/view.ts';
import type { PullTools } from './tools.ts';

/** Who sees a page of a pull request. */
export interface PullView extends TrackerView {
  readonly pull: Pull;
  readonly rights: PullRights;
  /** the form that was sent and could not be done: the page shows it again */
  readonly failed?: FailedForm | undefined;
}

/** A form that was sent, and why it could not be done. */
export interface FailedForm {
  readonly problem: string;
  readonly fields: URLSearchParams;
}

/** The field by which a page finds the form again that could not be done. */
export const FORM_NAME = 'form';

/** Returns what was typed in a form that could not be done; undefined for all other forms. */
export function sentBy({ failed }: Pick<PullView, 'failed'>, form: string): URLSearchParams | undefined {
  return failed?.fields.get(FORM_NAME) === form ? failed.fields : undefined;
}

/** The pull request that the address of a page names. */
export interface NamedPull {
  readonly repository: RepositoryPath;
  readonly number: string;
}

/** Reads the pull request of a page. @throws ForgeError as `Pulls.get` */
export async function openPull(
  request: FastifyRequest,
  reply: FastifyReply,
  { pulls, addresses }: Pick<PullTools, 'pulls' | 'addresses'>,
): Promise<PullView> {
  const pull = await pulls.get(request.viewer, namedPull(request));
  const view = viewOf(request, reply, { permitted: pull.base, addresses });
  return { ...view, pull, rights: pullRightsOf(view, pull) };
}

export function namedPull({ params }: FastifyRequest): NamedPull {
  const { owner, repo, number } = params as { owner: string; repo: string; number: string };
  return { repository: { owner, name: repo }, number };
}

/** Returns the path of the page of a pull request. */
export function pullPath({ issue }: Pull): string {
  return issuePath(issue);
}

/** Names a pull request for the services. */
export function pathOf({ issue, base }: Pull): NamedPull {
  const { owner, name } = base.repository;
  return { repository: { owner: owner.name, name }, number: `${issue.number}` };
}

/** Whether the viewer may push to the branch of the head. Edits by maintainers also let them apply suggestions. */
export function mayWriteHead({ pull, permitted, token }: PullView): boolean {
  const { headRepository, state } = pull;
  if (token === undefined || !state.head.hasBranch || headRepository === null) return false;
  const mayWriteBase = reaches(permitted.units.code, 'write');
  return reaches(headRepository.units.code, 'write') || (state.allowsMaintainerEdit && mayWriteBase);
}

/** What the viewer may do with a pull request, besides what every issue allows. The services decide it again. */
export interface PullRights {
  /** its title, its branches and its state */
  readonly mayEdit: boolean;
  readonly mayReview: boolean;
  /** approve it, or request changes */
  readonly mayDecide: boolean;
  readonly mayRequest: boolean;
  readonly mayDismiss: boolean;
  /** mark what comments on lines ask for as done */
  readonly mayResolve: boolean;
  readonly mayReadCode: boolean;
  readonly isDraft: boolean;
}

function pullRightsOf(view: TrackerView, { issue }: Pull): PullRights {
  const { viewer, permitted } = view;
  const isOpen = mayChange(view, PULL.change);
  const isOwn = viewer.accountId !== null && issue.authorId === viewer.accountId;
  const mayReadCode = reaches(permitted.units.code, 'read');
  const isManager = isOpen && mayManage(permitted, issue);
  const mayReview = isOpen && mayReadCode && (!issue.isLocked || isManager);
  return {
    mayEdit: isManager || (isOpen && isOwn),
    mayReview,
    mayDecide: mayReview && !isOwn && !issue.isClosed,
    mayRequest: (isManager || (isOpen && isOwn)) && mayReadCode && !issue.isClosed,
    mayResolve: mayReview && (isOwn || isManager || reaches(permitted.units.code, 'write')),
    mayDismiss: mayChange(view, PULL.dismiss) && !issue.isClosed,
    mayReadCode,
    isDraft: isDraft(issue.title),
  };
}

/** Returns the name of the branch of the head, which leads to its files if the viewer may see them. */
export function headHtml({ state, headRepository, base }: Pull): Html {
  const { head } = state;
  if (headRepository === null)
    return html`<code class="branch">${head.repositoryId === null ? 'a deleted repository' : 'a hidden repository'}</code>`;
  const { repository } = headRepository;
  const isOwn = repository.id === base.repository.id;
  const name = isOwn ? head.branch : `${repository.owner.name}/${repository.name}:${head.branch}`;
  if (!head.hasBranch) return html`<code class="branch">${name}</code>`;
  return html`<a class="branch" href="${repositoryPath(repository)}/src/branch/${encoded(head.branch)}"><code>${name}</code></a>`;
}

/** Returns the name of the branch of the base, which leads to its files. */
export function baseHtml({ state, base }: Pull): Html {
  const path = `${repositoryPath(base.repository)}/src/branch/${encoded(state.baseBranch)}`;
  return html`<a class="branch" href="${path}"><code>${state.baseBranch}</code></a>`;
}
