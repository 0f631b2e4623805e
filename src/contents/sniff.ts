const SNIFF_BYTES = 4100;
/** What a browser may show by itself: nothing of it runs. SVG is text here, and so shown as its source. */
const SHOWN = /^(?:image\/(?!svg)|video\/|audio\/|application\/pdf$)/;

/** The media type of a file, by its first bytes: text, something a browser shows, or just bytes. */
export async function sniffType(start: Uint8Array): Promise<string> {
  const head = start.subarray(0, SNIFF_BYTES);
  if (isText(head)) return 'text/plain; charset=utf-8';
  // Loaded when it is first needed: a server that serves text alone never does.
  const { fileTypeFromBuffer } = await import('file-type');
  const known = await fileTypeFromBuffer(head);
  return known !== undefined && SHOWN.test(known.mime) ? known.mime : 'application/octet-stream';
}

function isText(head: Uint8Array): boolean {
  if (head.includes(0)) return false;
  try {
    // `stream` lets the last character be cut off in the middle.
    new TextDecoder('utf-8', { fatal: true }).decode(head, { stream: true });
    return true;
  } catch {
    return false;
  }
}
