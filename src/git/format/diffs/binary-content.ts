/** git looks for a NUL here. */
export const SNIFFED_BYTES = 8_000;

/** Whether git treats a file as binary, and shows no lines of it. */
export function isBinaryContent(bytes: Uint8Array): boolean {
  return bytes.subarray(0, SNIFFED_BYTES).includes(0);
}
