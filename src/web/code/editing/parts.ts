import { type Html, html } from '../../../base/core/text/html.ts';
import { FORM_TOKEN_FIELD, formToken } from '../../../people/sessions/cookie.ts';
import { encoded, repositoryPath } from '../../addresses.ts';
import { problemHtml } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { repositoryHeader } from '../../parts/repository-header.ts';
import type { EditView } from './model.ts';

/** Returns the page of a form that makes a commit. */
export function commitFormPage(
  view: EditView,
  form: {
    readonly title: string;
    readonly action: string;
    readonly fields: Html;
    /** message of the commit without another one */
    readonly summary: string;
    readonly button: string;
    /** where the reader goes who gives up */
    readonly cancelPath: string;
    readonly hasFiles?: boolean;
    readonly isDanger?: boolean;
  },
) {
  const { request, reply, addresses, place, problem, about = html`` } = view;
  const { repository } = place.permitted;
  const token = formToken(request, reply, addresses);
  const kind = form.hasFiles === true ? html` enctype="multipart/form-data"` : html``;
  const look = form.isDanger === true ? 'danger' : 'primary';
  return {
    title: `${form.title} · ${repository.owner.name}/${repository.name}`,
    hasForm: true,
    body: html`${repositoryHeader(place.permitted, 'code')}
<div class="stack editor">
<h1>${form.title}</h1>
${problemHtml(problem)}${about}
<form class="form wide" method="post" action="${form.action}"${kind}>
<input type="hidden" name="${FORM_TOKEN_FIELD}" value="${token}">
<input type="hidden" name="branch" value="${place.branch}">
${form.fields}
${commitFields(view, form)}
<div class="row"><button class="${look}">${form.button}</button><a class="button" href="${form.cancelPath}">Cancel</a></div>
</form></div>`,
  };
}

/** The message, and the branch that gets the commit. */
function commitFields(view: EditView, { summary }: { readonly summary: string }): Html {
  const { typed, place, isProtected, freeBranch } = view;
  const isNew = typed === undefined ? isProtected : typed.newBranch !== null;
  const { message = '', description = '' } = typed ?? {};
  const newBranch = typed?.newBranch ?? freeBranch;
  const own = isProtected
    ? html`<span class="quiet">A protection keeps you from writing this branch.</span>`
    : html``;
  const choice =
    place.tip === null
      ? html``
      : html`<label class="choice"><input type="radio" name="target" value="same"${isNew ? html`` : html` checked`}><span>Commit to the branch <strong>${place.branch}</strong></span>${own}</label>
<label class="choice"><input type="radio" name="target" value="new"${isNew ? html` checked` : html``}><span>Make a new branch for this commit, and open a pull request</span></label>
<label class="field"><span>Name of the new branch</span><input name="new_branch" value="${newBranch}" maxlength="255" autocapitalize="none" spellcheck="false"></label>`;
  return html`<fieldset><legend>Commit</legend>
<label class="field"><span>Message</span><input name="message" value="${message}" placeholder="${summary}" maxlength="${WEB_LIMITS.editMessageCharsMax}"></label>
<label class="field"><span>Description <span class="hint">(optional)</span></span><textarea name="description" rows="3" maxlength="${WEB_LIMITS.editDescriptionCharsMax}">
${description}</textarea></label>
${choice}</fieldset>`;
}

/** Returns the path of a page that changes a place. */
export function editPath(
  page: '_edit' | '_new' | '_upload' | '_delete',
  repository: Parameters<typeof repositoryPath>[0],
  { branch, path }: { readonly branch: string; readonly path: string },
): string {
  const at = encoded(path === '' ? branch : `${branch}/${path}`);
  return `${repositoryPath(repository)}/${page}/${at}`;
}

/** Returns the path of the page of a file or folder of a branch. */
export function branchFilePath(
  repository: Parameters<typeof repositoryPath>[0],
  { branch, path }: { readonly branch: string; readonly path: string },
): string {
  return `${repositoryPath(repository)}/src/branch/${encoded(path === '' ? branch : `${branch}/${path}`)}`;
}
