import { NONE } from './segments/format.ts';
import type { Chain } from './segments/segment-file.ts';

interface Layout {
  /** position of a commit in the input → its number */
  readonly numbers: Uint32Array;
  readonly chains: readonly Chain[];
}

/**
 * Numbers commits so that chains of first parents have consecutive numbers. If a commit has several children, its chain
 * continues with the child that has the most descendants. A path to the root therefore passes at most log2(n) chains.
 *
 * @param firstParents for each commit, in an order with parents first: `base` + the position of the first parent, the
 *   number of a parent in an earlier segment, or NONE
 */
export function layOut(base: number, firstParents: Uint32Array): Layout {
  const heirs = heirsOf(base, firstParents);
  const numbers = new Uint32Array(firstParents.length);
  const chains: Chain[] = [];
  let next = base;
  for (const [position, parent] of firstParents.entries()) {
    const isInside = parent !== NONE && parent >= base;
    if (isInside && heirs[parent - base] === position) continue;
    chains.push({ start: next, attach: isInside ? (numbers[parent - base] ?? NONE) : parent });
    for (let at = position; at !== NONE; at = heirs[at] ?? NONE) {
      numbers[at] = next;
      next += 1;
    }
  }
  return { numbers, chains };
}

/** Returns for each commit the child with the most descendants along first parents. */
function heirsOf(base: number, firstParents: Uint32Array): Uint32Array {
  const sizes = new Uint32Array(firstParents.length).fill(1);
  const heirs = new Uint32Array(firstParents.length).fill(NONE);
  for (let position = firstParents.length - 1; position >= 0; position -= 1) {
    const parent = (firstParents[position] ?? NONE) - base;
    if (firstParents[position] === NONE || parent < 0) continue;
    const size = sizes[position] ?? 0;
    sizes[parent] = (sizes[parent] ?? 0) + size;
    const heir = heirs[parent] ?? NONE;
    if (heir === NONE || size > (sizes[heir] ?? 0)) heirs[parent] = position;
  }
  return heirs;
}
