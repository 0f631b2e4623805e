/** Header fields and message of a commit or tag. A field is `name value`; lines that begin with a space continue it. */
export interface ObjectHeaders {
  readonly fields: readonly (readonly [name: string, value: Buffer])[];
  readonly message: Buffer;
}

const LF = 0x0a;
const SPACE = 0x20;
const SIGNATURE_FIELD = /^gpgsig(?:-sha256)? /;
const SIGNATURE_FIELD_BYTES = 'gpgsig-sha256 '.length;

export function splitHeaders(content: Buffer): ObjectHeaders {
  const fields: [string, Buffer][] = [];
  let position = 0;
  while (position < content.length && content[position] !== LF) {
    const end = fieldEnd(content, position);
    const field = content.subarray(position, end);
    const space = field.indexOf(SPACE);
    const name = field.toString('latin1', 0, space === -1 ? field.length : space);
    fields.push([name, unfold(space === -1 ? Buffer.alloc(0) : field.subarray(space + 1))]);
    position = end + 1;
  }
  return { fields, message: content.subarray(Math.min(position + 1, content.length)) };
}

/** Returns the object without the fields that have signatures: those of both object formats. */
export function withoutSignatures(content: Buffer): Buffer {
  const kept: Buffer[] = [];
  let position = 0;
  while (position < content.length && content[position] !== LF) {
    const end = fieldEnd(content, position) + 1;
    const field = content.subarray(position, end);
    if (!SIGNATURE_FIELD.test(field.toString('latin1', 0, SIGNATURE_FIELD_BYTES))) kept.push(field);
    position = end;
  }
  return Buffer.concat([...kept, content.subarray(position)]);
}

/** Returns the end of a field with all its continuation lines. */
function fieldEnd(content: Buffer, from: number): number {
  let end = content.indexOf(LF, from);
  while (end !== -1 && content[end + 1] === SPACE) end = content.indexOf(LF, end + 1);
  return end === -1 ? content.length : end;
}

function unfold(value: Buffer): Buffer {
  if (!value.includes(LF)) return value;
  return Buffer.from(value.toString('latin1').replaceAll('\n ', '\n'), 'latin1');
}

export function firstField(headers: ObjectHeaders, name: string): Buffer | undefined {
  return headers.fields.find(([field]) => field === name)?.[1];
}

/**
 * Decodes text as UTF-8 if it is valid, otherwise in the declared encoding, otherwise as Latin-1, which has a character
 * for every byte.
 */
export function decodeText(bytes: Buffer, declared: string | undefined): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeAs(bytes, declared ?? 'latin1');
  }
}

function decodeAs(bytes: Buffer, label: string): string {
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return bytes.toString('latin1');
  }
}
