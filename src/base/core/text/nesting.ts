/** Whether a parsed value nests objects and arrays deeper than this. `[]` has depth 1. */
export function isNestedDeeper(value: unknown, depthMax: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (depthMax === 0) return true;
  return Object.values(value).some((member) => isNestedDeeper(member, depthMax - 1));
}
