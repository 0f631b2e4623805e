import type { FastifyReply, FastifyRequest } from 'fastify';
import type { RepositoryAction } from '../../../api/access/actions.ts';
import { isSignedIn, type Viewer } from '../../../api/access/viewer.ts';
import { type Html, html } from '../../../base/core/text/html.ts';
import { isGranted } from '../../../hosting/repositories/authorize.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import type { Addresses } from '../../../http/app.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../../people/sessions/cookie.ts';
import type { Issue } from '../../../tracker/issues/model.ts';
import { repositoryPath } from '../../addresses.ts';

/** Who sees a page about issues, pull requests, releases or a wiki, and what its forms need. */
export interface TrackerView {
  readonly viewer: Viewer;
  readonly permitted: PermittedRepository;
  readonly addresses: Addresses;
  /** of the forms of the page; undefined: the viewer has not signed in, and the page has no form */
  readonly token: string | undefined;
}

/** Returns the view of a page. A page with a token must say `hasForm`: see `hasFormsOf`. */
export function viewOf(
  request: FastifyRequest,
  reply: FastifyReply,
  { permitted, addresses }: { readonly permitted: PermittedRepository; readonly addresses: Addresses },
): TrackerView {
  const { viewer } = request;
  const token = isSignedIn(viewer) ? formToken(request, reply, addresses) : undefined;
  return { viewer, permitted, addresses, token };
}

/** The member of a page that says whether it has forms. */
export function hasFormsOf({ token }: Pick<TrackerView, 'token'>): { readonly hasForm: boolean } {
  return { hasForm: token !== undefined };
}

/** Whether the viewer may do something that changes the repository, which an archived one does not allow. */
export function mayChange({ viewer, permitted, token }: TrackerView, action: RepositoryAction): boolean {
  return (
    token !== undefined && permitted.repository.archivedAt === null && isGranted(viewer, permitted, action)
  );
}

/** A form that sends a change to this server, and leads to a page. */
export interface PostForm {
  /** path, without the path of the base URL */
  readonly action: string;
  /** fields and buttons */
  readonly content: Html | readonly Html[];
  /** names of classes */
  readonly look?: string;
}

/** Returns a form with the token of the page; nothing on a page without one. */
export function postForm({ token }: Pick<TrackerView, 'token'>, form: PostForm): Html {
  if (token === undefined) return html``;
  const look = form.look === undefined ? html`` : html` class="${form.look}"`;
  return html`<form method="post" action="${form.action}"${look}><input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">${form.content}</form>
`;
}

/** Returns the path of the page of an issue or a pull request. */
export function issuePath({
  repository,
  number,
  isPull,
}: Pick<Issue, 'repository' | 'number' | 'isPull'>): string {
  return `${repositoryPath(repository)}/${isPull ? 'pulls' : 'issues'}/${number}`;
}

/** Returns the path below which the forms of an issue or a pull request send changes. */
export function issueFormPath({ repository, number }: Pick<Issue, 'repository' | 'number'>): string {
  return `${repositoryPath(repository)}/issues/${number}`;
}
