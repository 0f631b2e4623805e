import type { Static } from 'typebox';
import { invalid, malformed } from '../../base/core/failure.ts';
import { withoutOuterSlashes } from '../../base/core/text/text.ts';
import { readTime } from '../../http/time.ts';
import { Base64Decoder } from './base64.ts';
import type { FileContent, FileContents } from './file-contents.ts';
import { CONTENTS_LIMITS } from './limits.ts';
import type { ChangeOptions, FileChange, MomentInZone } from './model.ts';
import type { ChangeFilesBody, CreateFileBody, DeleteFileBody, PatchBody, UpdateFileBody } from './schema.ts';

type Bodies =
  | Static<typeof CreateFileBody>
  | Static<typeof UpdateFileBody>
  | Static<typeof DeleteFileBody>
  | Static<typeof ChangeFilesBody>
  | Static<typeof PatchBody>;

/** @throws ForgeError `malformed` */
export function changeOptionsOf(body: Bodies): ChangeOptions {
  const message = body.message ?? '';
  if (message.length > CONTENTS_LIMITS.commitMessageCharsMax)
    throw malformed(`[Message]: MaxSize(${CONTENTS_LIMITS.commitMessageCharsMax})`);
  if (message.includes('\0')) throw malformed('[Message]: a message cannot hold a NUL');
  return {
    message,
    branch: nonEmpty(body.branch),
    newBranch: nonEmpty(body.new_branch),
    overwriteNewBranch: body.force_overwrite_new_branch ?? false,
    author: body.author,
    committer: body.committer,
    dates: { author: momentOf(body.dates?.author), committer: momentOf(body.dates?.committer) },
    signoff: body.signoff ?? false,
  };
}

/**
 * Returns the bytes of a patch, which is text or standard base64. A patch has spaces, so it is never base64 itself.
 *
 * @throws ForgeError `malformed`
 */
export function patchOf({ content }: Static<typeof PatchBody>): Uint8Array {
  if (!content.isWellFormed())
    throw malformed('[Content]: a patch must be valid Unicode; send other patches as base64');
  const decoder = new Base64Decoder();
  const start = decoder.write(content);
  const end = decoder.end();
  const patch = end === undefined ? Buffer.from(content) : Buffer.concat([start, end]);
  if (patch.length === 0) throw malformed('[Content]: Required');
  if (patch.length > CONTENTS_LIMITS.patchBytesMax)
    throw malformed(`[Content]: MaxSize(${CONTENTS_LIMITS.patchBytesMax})`);
  return patch;
}

/** @throws ForgeError `malformed` */
export function creationOf(path: string, content: FileContent): FileChange {
  return { kind: 'create', path, content: requireBase64(content) };
}

/** Without an id, the request creates a file. @throws ForgeError `malformed` */
export function updateOf(
  path: string,
  content: FileContent,
  body: Static<typeof UpdateFileBody>,
): FileChange {
  const fromPath = nonEmpty(body.from_path);
  const oid = nonEmpty(body.sha);
  if (oid !== undefined) return { kind: 'update', path, content: requireBase64(content), oid, fromPath };
  if (fromPath !== undefined) throw malformed('[SHA]: Required to move a file');
  return { kind: 'create', path, content: requireBase64(content), isUpdate: true };
}

/** @throws ForgeError `invalid` without the id of the blob to delete */
export function deletionOf(path: string, body: Static<typeof DeleteFileBody>): FileChange {
  if (body.sha === undefined || body.sha === '') throw invalid('[SHA]: Required');
  return { kind: 'delete', path, oid: body.sha };
}

/** @throws ForgeError `malformed` */
export function changesOf(
  { files }: Static<typeof ChangeFilesBody>,
  contents: FileContents,
): readonly FileChange[] {
  if (files.length === 0) throw malformed('[Files]: Required');
  if (files.length > CONTENTS_LIMITS.filesPerChangeMax)
    throw malformed(`[Files]: MaxSize(${CONTENTS_LIMITS.filesPerChangeMax})`);
  return files.map((file) => {
    const content = file.content === undefined ? undefined : contents.at(file.content);
    return changeOf({ ...file, path: withoutOuterSlashes(file.path) }, content);
  });
}

type ChangedFile = Static<typeof ChangeFilesBody>['files'][number];

function changeOf(file: ChangedFile, content: FileContent | undefined): FileChange {
  const { path, operation } = file;
  const where = `[path: ${path}]`;
  if (content?.isValid === false) throw malformed(`[Content]: not standard base64 ${where}`);
  if (operation === 'create') return { kind: 'create', path, content };
  const oid = nonEmpty(file.sha);
  if (operation === 'upload') return { kind: 'upload', path, content, oid };
  const from = nonEmpty(file.from_path);
  const fromPath = from === undefined ? undefined : withoutOuterSlashes(from);
  if (operation === 'rename') {
    if (fromPath === undefined) throw malformed(`[FromPath]: Required ${where}`);
    return { kind: 'update', path, content: undefined, oid, fromPath };
  }
  if (oid === undefined) throw malformed(`[SHA]: Required ${where}`);
  if (operation === 'delete') return { kind: 'delete', path, oid };
  if (content === undefined && fromPath === undefined) throw malformed(`[Content]: Required ${where}`);
  return { kind: 'update', path, content, oid, fromPath };
}

function requireBase64(content: FileContent): FileContent {
  if (!content.isValid) throw malformed('[Content]: not standard base64');
  return content;
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const ZONE = /[+-]\d{2}:\d{2}$/;
/** The year that clients of this API send for an unset time. */
const ZERO_YEAR = '0001-';

/** Reads a time with its zone; undefined for an absent or zero one, which means now. */
export function momentOf(text: string | undefined): MomentInZone | undefined {
  if (text === undefined || text === '') return undefined;
  const ms = readTime(text);
  if (ms === undefined) throw malformed('[Dates]: must be an RFC 3339 date and time');
  if (text.startsWith(ZERO_YEAR)) return undefined;
  if (ms < 0) throw malformed('[Dates]: before 1970');
  const [zone] = ZONE.exec(text) ?? [];
  return { seconds: Math.floor(ms / 1000), zone: zone?.replace(':', '') ?? '+0000' };
}
