/** git looks for a NUL here. */
export const SNIFFED_BYTES = 8_000;

/** Whether git takes a file for a binary one, whose lines it does not show. */
export function isBinaryContent(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}
