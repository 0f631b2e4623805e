import { asWritten, type Html, html } from '../../../base/core/text/html.ts';
import type { Hunk } from '../../../git/format/diffs/model.ts';
import type { Page } from '../../../http/pages/page.ts';
import { repositoryPath } from '../../addresses.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { plainHunksHtml } from '../../parts/diff/file.ts';
import { sizeText } from '../../parts/numbers.ts';
import type { EditView } from './model.ts';
import { branchFilePath, commitFormPage, editPath } from './parts.ts';

/** A file that someone edits. */
export interface EditedText {
  /** '' for a new file */
  readonly from: string;
  /** of the version that was seen; '' for a new file */
  readonly seen: string;
  readonly path: string;
  readonly text: string;
}

/** The page that edits a file, or makes one. */
export function editorPage(view: EditView, { from, seen, path, text }: EditedText): Page {
  const { place } = view;
  const { repository } = place.permitted;
  const isNew = from === '';
  const name = path === '' ? 'a file' : path;
  const isInvalid = view.problem === undefined ? html`` : html` aria-describedby="problem"`;
  return commitFormPage(view, {
    title: isNew ? 'New file' : `Edit ${from}`,
    action: editPath(isNew ? '_new' : '_edit', repository, {
      branch: place.branch,
      path: isNew ? folderOf(path) : from,
    }),
    summary: `${isNew ? 'Add' : 'Update'} ${name}`,
    button: isNew ? 'Create file' : 'Commit changes',
    cancelPath: repository.isEmpty
      ? repositoryPath(repository)
      : branchFilePath(repository, { branch: place.branch, path: isNew ? folderOf(path) : from }),
    fields: html`<input type="hidden" name="from" value="${from}"><input type="hidden" name="seen" value="${seen}">
<label class="field"><span>Path</span><input name="path" value="${path}" required maxlength="4096" autocapitalize="none" spellcheck="false"${isNew && path === '' ? html` autofocus` : html``}></label>
<label class="field"><span>Content</span><textarea class="source" name="text" rows="20" spellcheck="false" autocapitalize="none" autocomplete="off" wrap="off"${isInvalid}>
${asWritten(text)}</textarea></label>`,
  });
}

function folderOf(path: string): string {
  return path.includes('/') ? path.slice(0, path.lastIndexOf('/')) : '';
}

/** What a reader sees whose file was changed by someone else meanwhile. @param hunks undefined: too different to show */
export function staleHtml(view: EditView, path: string, hunks: readonly Hunk[] | undefined): Html {
  const { place } = view;
  const theirs = editPath('_edit', place.permitted.repository, { branch: place.branch, path });
  const changes =
    hunks === undefined
      ? html`<p class="content quiet">The changes are too large to show.</p>`
      : plainHunksHtml(hunks, `Changes of ${path} by someone else`);
  return html`<section class="box" aria-label="Changes by someone else"><div class="title"><h2 class="small">What was changed meanwhile</h2><a class="button small end" href="${theirs}">Discard my text</a></div>
${changes}</section>
`;
}

/** The page that asks whether to delete a file. */
export function deletionPage(view: EditView, { path, seen }: { path: string; seen: string }): Page {
  const { place } = view;
  const { repository } = place.permitted;
  return commitFormPage(view, {
    title: `Delete ${path}`,
    action: editPath('_delete', repository, { branch: place.branch, path }),
    summary: `Delete ${path}`,
    button: 'Delete file',
    isDanger: true,
    cancelPath: branchFilePath(repository, { branch: place.branch, path }),
    fields: html`<p>The file stays in the history of the branch.</p><input type="hidden" name="path" value="${path}"><input type="hidden" name="seen" value="${seen}">`,
  });
}

/** The page that takes files. */
export function uploadPage(view: EditView, folder: string): Page {
  const { place } = view;
  const { repository } = place.permitted;
  return commitFormPage(view, {
    title: 'Upload files',
    action: editPath('_upload', repository, { branch: place.branch, path: folder }),
    summary: 'Upload files',
    button: 'Upload',
    hasFiles: true,
    cancelPath: branchFilePath(repository, { branch: place.branch, path: folder }),
    fields: html`<label class="field"><span>Folder <span class="hint">(empty for the root)</span></span><input name="folder" value="${folder}" maxlength="4096" autocapitalize="none" spellcheck="false"></label>
<label class="field"><span>Files</span><input type="file" name="files" multiple required><span class="hint">Up to ${WEB_LIMITS.uploadFilesMax} files, each up to ${sizeText(WEB_LIMITS.uploadFileBytesMax)}. Files with the same names are replaced.</span></label>`,
  });
}
