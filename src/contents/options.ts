import type { Static } from 'typebox';
import { invalid, malformed } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { FileContent } from './file-content.ts';
import type { ChangeOptions, FileChange, MomentInZone } from './model.ts';
import type { CreateFileBody, DeleteFileBody, UpdateFileBody } from './schema.ts';

type Bodies = Static<typeof CreateFileBody> | Static<typeof UpdateFileBody> | Static<typeof DeleteFileBody>;

/** @throws ForgeError `malformed` */
export function changeOptionsOf(body: Bodies): ChangeOptions {
  const message = body.message ?? '';
  if (message.length > LIMITS.commitMessageCharsMax)
    throw malformed(`[Message]: MaxSize(${LIMITS.commitMessageCharsMax})`);
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

/** @throws ForgeError `malformed` */
export function creationOf(path: string, content: FileContent): FileChange {
  content.requireBase64();
  return { kind: 'create', path, content };
}

/** @throws ForgeError `malformed` */
export function updateOf(
  path: string,
  content: FileContent,
  body: Static<typeof UpdateFileBody>,
): FileChange {
  if (body.sha === '') throw malformed('[SHA]: Required');
  content.requireBase64();
  return {
    kind: 'update',
    path,
    content,
    oid: body.sha,
    fromPath: nonEmpty(body.from_path),
  };
}

/** @throws ForgeError `invalid` without the id of the blob to delete */
export function deletionOf(path: string, body: Static<typeof DeleteFileBody>): FileChange {
  if (body.sha === undefined || body.sha === '') throw invalid('[SHA]: Required');
  return { kind: 'delete', path, oid: body.sha };
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}

const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt]\d{2}:\d{2}:\d{2}(?:\.\d+)?([Zz]|[+-]\d{2}:\d{2})$/;
/** The year that clients of this API send for an unset time. */
const ZERO_YEAR = '0001';

/** Reads a time with its zone; undefined for an absent or zero one, which means now. */
function momentOf(text: string | undefined): MomentInZone | undefined {
  if (text === undefined || text === '') return undefined;
  const match = RFC3339.exec(text);
  const seconds = Math.floor(Date.parse(text) / 1000);
  if (match === null || Number.isNaN(seconds)) throw malformed('[Dates]: not a time as RFC 3339 has it');
  const [, year = '', , , zone = 'Z'] = match;
  if (year === ZERO_YEAR) return undefined;
  if (seconds < 0) throw malformed('[Dates]: before 1970');
  return { seconds, zone: /z/i.test(zone) ? '+0000' : zone.replace(':', '') };
}
