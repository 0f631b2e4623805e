/** Row ids on the wire are int64; rows here never go beyond what a JavaScript number holds exactly. */
const ID_PATTERN = /^[0-9]{1,19}$/;

/** The id that a path segment names, or undefined: no number, or one that no row can have. */
export function parseId(text: string): number | undefined {
  if (!ID_PATTERN.test(text)) return undefined;
  const id = BigInt(text);
  if (id < 1n || id > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return Number(id);
}
