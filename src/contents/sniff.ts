const SNIFF_BYTES = 4100;
/**
 * Media types that a browser may show, because none of them runs code. SVG counts as text, so browsers show its source.
 */
const SHOWN = /^(?:image\/(?!svg)|video\/|audio\/|application\/pdf$)/;

/** Returns the media type of a file from its first bytes: text, a type that browsers show, or plain bytes. */
export async function sniffType(start: Uint8Array): Promise<string> {
  const head = start.subarray(0, SNIFF_BYTES);
  if (isText(head)) return 'text/plain; charset=utf-8';
  // Loads on first use. A server that serves only text never loads it.
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head);
  return known !== undefined && SHOWN.test(known.mime) ? known.mime : 'application/octet-stream';
}

function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // `stream` accepts an incomplete last character.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
