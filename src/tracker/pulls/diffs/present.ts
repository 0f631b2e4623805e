import { type Static, Type } from 'typebox';
import { answerOf } from '../../../api/operations/answers.ts';
import type { Paging } from '../../../base/core/paging.ts';
import { fileAddresses } from '../../../code/contents/present.ts';
import type { FileDifference, FileStatus } from '../../../git/interface/file-diffs.ts';
import type { Addresses } from '../../../http/app.ts';
import { strongTag } from '../../../http/conditional.ts';
import { reference } from '../../../http/shapes.ts';
import type { ChangedFiles, FileFilter, OpenPull } from './model.ts';
import { ChangedFileSchema } from './schema.ts';

const STATUSES: Readonly<Record<FileStatus, string>> = {
  added: 'added',
  modified: 'changed',
  removed: 'deleted',
  renamed: 'renamed',
};

/** The addresses of a deleted file lead to the commit that still has it. */
function presentChangedFile(
  file: FileDifference,
  { repository, from, head }: OpenPull,
  addresses: Addresses,
): Static<typeof ChangedFileSchema> {
  const { path, previousPath, status, additions, deletions } = file;
  const commit = (status === 'removed' ? from : head).oid;
  const { contents, source, raw } = fileAddresses({ repository, commit, path }, addresses);
  return {
    filename: path,
    ...(previousPath === null ? {} : { previous_filename: previousPath }),
    status: STATUSES[status],
    additions,
    deletions,
    changes: additions + deletions,
    html_url: source,
    contents_url: contents,
    raw_url: raw,
  };
}

export const ChangedFilesAnswer = answerOf(
  Type.Array(reference(ChangedFileSchema)),
  ({ pull, files }: ChangedFiles, _viewer, addresses) =>
    files.map((file) => presentChangedFile(file, pull, addresses)),
);

/** Returns the ETag of a page of files. They follow from the commits, so they need not be compared. */
export function filesTag(
  { repository, from, head }: OpenPull,
  shown: { readonly filter: FileFilter; readonly paging: Paging },
  addresses: Addresses,
): string {
  const { owner, name } = repository;
  return strongTag([addresses.baseUrl, owner.name, name, from.oid, head.oid, shown]);
}
