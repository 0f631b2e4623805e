import { offsetOf, type Page, type Paging } from '../core/paging.ts';
import type { Oid, Snapshot } from '../git/model.ts';

/** A ref by the part of its name after its folder. */
export interface ShortRef {
  readonly name: string;
  readonly oid: Oid;
}

/** Returns a page of the refs in a folder such as `refs/heads/`, by name. Reads no object. */
export function pageOfRefs(
  snapshot: Pick<Snapshot, 'refs' | 'countRefs'>,
  folder: string,
  paging: Paging,
): Page<ShortRef> {
  const offset = offsetOf(paging);
  const total = snapshot.countRefs(folder);
  const items: ShortRef[] = [];
  if (offset >= total) return { items, total };
  let at = 0;
  for (const [name, oid] of snapshot.refs(folder)) {
    if (at >= offset) items.push({ name: name.slice(folder.length), oid });
    at += 1;
    if (items.length === paging.limit) break;
  }
  return { items, total };
}
