/**
 * Decodes a text of any length. No regular expression checks it: V8 stops optimizing them once a process has compiled
 * very many, and a repetition then needs stack for each character of the text.
 *
 * @returns undefined for an empty text, and for a text that is not exactly the base64 of its bytes
 */
export function decodeBase64(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return text !== '' && bytes.toString('base64') === text ? bytes : undefined;
}

/** Encodes bytes in lines, as armor has them. */
export function base64Lines(bytes: Buffer, lineChars: number): readonly string[] {
  return bytes.toString('base64').match(new RegExp(`.{1,${lineChars}}`, 'g')) ?? [];
}
