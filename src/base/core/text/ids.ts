/** Row ids on the wire are int64. Row ids in the database never exceed JavaScript's safe integer range. */
const ID_PATTERN = /^[0-9]{1,19}$/;

/** Parses the id in a path segment. Returns undefined for text that is not a number or not a possible row id. */
export function parseId(text: string): number | undefined {
  if (!ID_PATTERN.test(text)) return undefined;
  const id = BigInt(text);
  if (id < 1n || id > BigInt(Number.MAX_SAFE_INTEGER)) return undefined;
  return Number(id);
}
