import type { FastifyReply, FastifyRequest } from 'fastify';
import { undefinedIf } from '../../../base/core/failure.ts';
import type { Html } from '../../../base/core/text/html.ts';
import { withoutOuterSlashes } from '../../../base/core/text/text.ts';
import type { BranchReader } from '../../../code/branches/read.ts';
import type { FileContents } from '../../../code/contents/file-contents.ts';
import type { ChangeOptions, FileChange } from '../../../code/contents/model.ts';
import type { EditedPlace, FileEditing } from '../../../code/contents/writing/editing.ts';
import type { ContentsWriter } from '../../../code/contents/writing/write.ts';
import type { Addresses } from '../../../http/app.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { comparisonPath } from '../../addresses.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { codeProblemOf } from '../form-problems.ts';
import type { CommitFields, EditView } from './model.ts';
import { branchFilePath } from './parts.ts';

/** What the pages that change files use. */
export interface EditTools {
  readonly editing: FileEditing;
  readonly writing: ContentsWriter;
  readonly branchReader: BranchReader;
  readonly addresses: Addresses;
}

const SEE_OTHER = 303;

/** Returns what the page of a form needs to know about the branch. */
export async function viewOf(
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  place: EditedPlace,
  { editing, branchReader, addresses }: EditTools,
  failed: Partial<Pick<EditView, 'typed' | 'problem' | 'about'>> = {},
): Promise<EditView> {
  const viewer = signedIn(request);
  const { owner, name } = place.permitted.repository;
  const path = { owner: owner.name, name };
  const branch =
    place.tip === null
      ? undefined
      : await branchReader.get(viewer, path, place.branch).catch(undefinedIf('not_found'));
  return {
    request,
    reply,
    addresses,
    place,
    isProtected: branch !== undefined && branch.protection !== undefined && !branch.rights.mayPush,
    freeBranch: editing.freeBranchName(place, viewer),
    typed: failed.typed,
    problem: failed.problem,
    about: failed.about,
  };
}

/** Reads the fields about the commit. A new branch counts only if it was chosen. */
export function commitFieldsOf(field: (name: string) => string): CommitFields {
  return {
    message: field('message').slice(0, WEB_LIMITS.editMessageCharsMax),
    description: field('description').slice(0, WEB_LIMITS.editDescriptionCharsMax),
    newBranch: field('target') === 'new' ? field('new_branch').trim() : null,
  };
}

/** Reads a path that someone typed. */
export function typedPath(text: string): string {
  return withoutOuterSlashes(text.trim());
}

/** A change that a form has asked for. */
interface AskedChange {
  readonly place: EditedPlace;
  readonly contents: FileContents;
  readonly changes: readonly FileChange[];
  readonly typed: CommitFields;
  readonly summary: string;
}

/** Makes a commit. @throws ForgeError as `ContentsWriter.change` */
export async function commitChange(
  request: FastifyRequest,
  { place, contents, changes, typed, summary }: AskedChange,
  { writing }: Pick<EditTools, 'writing'>,
): Promise<void> {
  const options: ChangeOptions = {
    message: messageOf(typed, summary),
    branch: place.branch,
    newBranch: typed.newBranch ?? undefined,
    overwriteNewBranch: false,
    author: undefined,
    committer: undefined,
    dates: { author: undefined, committer: undefined },
    signoff: false,
  };
  await writing.change(signedIn(request), {
    ...place.target,
    changes,
    contents,
    options,
    requireCurrent: undefined,
  });
}

function messageOf({ message, description }: CommitFields, summary: string): string {
  const subject = message.trim() === '' ? summary : message.trim();
  const body = description.replaceAll('\r\n', '\n').trim();
  return body === '' ? subject : `${subject}\n\n${body}`;
}

/** Leads to what was changed: to the file or folder, or to the comparison from which a pull request is opened. */
export function sendOn(
  reply: FastifyReply,
  { place, typed, path }: Pick<AskedChange, 'place' | 'typed'> & { readonly path: string },
  { addresses }: Pick<EditTools, 'addresses'>,
): FastifyReply {
  const { repository } = place.permitted;
  const { branch } = place;
  const target =
    typed.newBranch === null
      ? branchFilePath(repository, { branch, path })
      : `${comparisonPath(repository, { base: branch, head: typed.newBranch, isDirect: false })}?expand=1`;
  return reply.redirect(localAddress(target, addresses), SEE_OTHER);
}

/** Why a change could not be made, and what else the reader should see. */
export interface FailedChange {
  readonly problem: string;
  readonly about?: Html | undefined;
}

/** Returns why a change could not be made. @throws other errors again */
export function failedChange(error: unknown, reply: FastifyReply): FailedChange {
  const problem = codeProblemOf(error, reply, (what) => `The ${what} does not exist any more.`);
  if (problem === undefined) throw error;
  return { problem };
}
