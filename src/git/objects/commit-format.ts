import { invalid } from '../../core/failure.ts';
import type { Commit, CommitSignature, ObjectFormat, Oid, Signature } from '../model.ts';
import { MalformedObjectError } from './malformed-object.ts';
import { isOid } from './object-format.ts';
import { decodeText, firstField, type ObjectHeaders, splitHeaders, withoutFields } from './object-headers.ts';
import { encodeSignature, parseSignature } from './signature-line.ts';

export interface NewCommit {
  readonly tree: Oid;
  readonly parents: readonly Oid[];
  readonly author: Signature;
  readonly committer: Signature;
  /** stored unchanged; git usually ends it with a line feed */
  readonly message: string;
}

/**
 * Encodes the content of a commit object.
 *
 * @throws ForgeError `invalid` for ids of another format, a message with NUL, and signatures that `encodeSignature` rejects
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
    '',
    commit.message,
  ];
  return Buffer.from(lines.join('\n'));
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
  const field = format === 'sha1' ? 'gpgsig' : 'gpgsig-sha256';
  const value = firstField(headers, field);
  if (value === undefined) return null;
  const text = value.toString();
  return { text: text.endsWith('\n') ? text : `${text}\n`, payload: withoutFields(content, field) };
}
