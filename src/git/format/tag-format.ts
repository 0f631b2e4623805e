import { invalid } from '../../base/core/failure.ts';
import { MalformedObjectError } from './malformed-object.ts';
import type { CommitSignature, ObjectFormat, ObjectType, Oid, Signature, Tag } from './model.ts';
import { isObjectType, isOid } from './object-format.ts';
import { decodeText, firstField, splitHeaders, withoutSignatures } from './object-headers.ts';
import { encodeSignature, parseSignature } from './signature-line.ts';

const SIGNATURE_LINE = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SIGNED MESSAGE|SSH SIGNATURE)-----/gm;

export interface NewTag {
  readonly object: Oid;
  readonly type: ObjectType;
  readonly name: string;
  readonly tagger: Signature;
  readonly message: string;
}

/**
 * Encodes the content of an annotated tag.
 *
 * @throws ForgeError `invalid` for an id of another format, control characters in the name, a message with NUL
 */
export function encodeTag(format: ObjectFormat, tag: NewTag): Buffer {
  if (!isOid(format, tag.object)) throw invalid(`not an object id: ${tag.object}`);
  if (/[\u0000-\u001f\u007f]/.test(tag.name)) throw invalid('a tag name cannot hold control characters');
  if (tag.message.includes('\0')) throw invalid('a tag message cannot hold a NUL character');
  const lines = [
    `object ${tag.object}`,
    `type ${tag.type}`,
    `tag ${tag.name}`,
    `tagger ${encodeSignature(tag.tagger)}`,
    '',
    tag.message,
  ];
  return Buffer.from(lines.join('\n'));
}

/** @throws MalformedObjectError if it does not name its object and type */
export function parseTag(format: ObjectFormat, oid: Oid, content: Uint8Array): Tag {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const headers = splitHeaders(bytes);
  const encoding = firstField(headers, 'encoding')?.toString('latin1').trim();
  const text = (field: string) => {
    const value = firstField(headers, field);
    return value === undefined ? undefined : decodeText(value, encoding);
  };
  const object = text('object')?.trim() ?? '';
  const type = text('type')?.trim() ?? '';
  if (!isOid(format, object) || !isObjectType(type)) {
    throw new MalformedObjectError('tag', 'it does not name its object and type');
  }
  const tagger = text('tagger');
  return {
    oid,
    object,
    type,
    name: text('tag') ?? '',
    tagger: tagger === undefined ? null : parseSignature(tagger),
    message: decodeText(headers.message, encoding),
    signature: signatureOf(bytes),
  };
}

/**
 * Finds the signature at the end of a tag: it begins with the last line that begins one.
 *
 * @see gitformat-signature(5)
 */
function signatureOf(content: Buffer): CommitSignature | null {
  const lines = [...content.toString('latin1').matchAll(SIGNATURE_LINE)];
  const from = lines.at(-1)?.index;
  if (from === undefined) return null;
  const text = content.toString('utf8', from);
  // A copy, because the content may be a view of many objects.
  const payload = withoutSignatures(content.subarray(0, from));
  return { text: text.endsWith('\n') ? text : `${text}\n`, payload };
}
