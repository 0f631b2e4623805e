import { invalid } from '../../base/core/failure.ts';
import { MalformedObjectError } from './malformed-object.ts';
import type { Commit, CommitSignature, ObjectFormat, Oid, Signature } from './model.ts';
import { isOid } from './object-format.ts';
import {
  decodeText,
  firstField,
  type ObjectHeaders,
  splitHeaders,
  withoutSignatures,
} from './object-headers.ts';
import { encodeSignature, parseSignature } from './signature-line.ts';

export interface NewCommit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  /** stored unchanged; git usually ends it with a line feed */
  readonly message: string;
  /** armored signature of the commit without it */
  readonly signature?: string;
}

/**
 * Encodes the content of a commit object.
 *
 * @throws ForgeError `invalid` for ids of another format, a message or signature with NUL, and persons that
 *   `encodeSignature` rejects
 */
export function encodeCommit(format: ObjectFormat, commit: NewCommit): Buffer {
  for (const oid of [commit.tree, ...commit.parents]) {
    if (!isOid(format, oid)) throw invalid(`not an object id: ${oid}`);
  }
  if (commit.message.includes('\0')) throw invalid('a commit message cannot hold a NUL character');
  const lines = [
    `tree ${commit.tree}`,
    ...commit.parents.map((parent) => `parent ${parent}`),
    `author ${encodeSignature(commit.author)}`,
    `committer ${encodeSignature(commit.committer)}`,
    ...signatureLines(format, commit.signature),
    '',
    commit.message,
  ];
  return Buffer.from(lines.join('\n'));
}

/** Each further line of a field begins with a space. */
function signatureLines(format: ObjectFormat, signature: string | undefined): readonly string[] {
  if (signature === undefined) return [];
  const text = signature.replaceAll('\r\n', '\n').trimEnd();
  if (text.includes('\0') || text.includes('\r'))
    throw invalid('a signature cannot hold NUL or carriage return characters');
  return [`${signatureField(format)} ${text.replaceAll('\n', '\n ')}`];
}

function signatureField(format: ObjectFormat): string {
  return format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256';
}

/**
 * Parses a commit of real history, with bad dates and zones, missing addresses and other encodings.
 *
 * @throws MalformedObjectError if it does not name a tree
 */
export function parseCommit(format: ObjectFormat, oid: Oid, content: Uint8Array): Commit {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const headers = splitHeaders(bytes);
  const encoding = firstField(headers, 'encoding')?.toString('latin1').trim();
  const tree = firstField(headers, 'tree')?.toString('latin1').trim() ?? '';
  if (!isOid(format, tree)) throw new MalformedObjectError('commit', 'it does not name a tree');
  const person = (field: string) =>
    parseSignature(decodeText(firstField(headers, field) ?? Buffer.alloc(0), encoding));
  return {
    oid,
    tree,
    parents: parentsOf(format, headers),
    author: person('author'),
    committer: person('committer'),
    message: decodeText(headers.message, encoding),
    signature: signatureOf(format, headers, bytes),
  };
}

function parentsOf(format: ObjectFormat, headers: ObjectHeaders): readonly Oid[] {
  return headers.fields
    .filter(([name]) => name === 'parent')
    .map(([, value]) => value.toString('latin1').trim())
    .filter((value) => isOid(format, value));
}

/** @see gitformat-signature(5) */
function signatureOf(format: ObjectFormat, headers: ObjectHeaders, content: Buffer): CommitSignature | null {
  const field = signatureField(format);
  // As git does it: several fields are one text, which is then no signature.
  const values = headers.fields.filter(([name]) => name === field).map(([, value]) => value.toString());
  if (values.length === 0) return null;
  const text = values.join('\n');
  return { text: text.endsWith('\n') ? text : `${text}\n`, payload: withoutSignatures(content) };
}
