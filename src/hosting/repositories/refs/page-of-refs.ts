import { offsetOf, type Page, type Paging } from '../../../base/core/paging.ts';
import type { Oid } from '../../../git/format/model.ts';
import type { Snapshot } from '../../../git/interface/snapshot.ts';

/** A ref by the part of its name after its folder. */
interface ShortRef {
  readonly name: string;
  readonly oid: Oid;
}

/** A page of refs as it was found. */
export interface SeenPage {
  readonly refs: readonly ShortRef[];
  readonly total: number;
  readonly paging: Paging;
}

/** Whether a page of the refs in a folder is still as it was found. */
export function isSamePage(
  snapshot: Pick<Snapshot, 'refs' | 'countRefs'>,
  folder: string,
  seen: SeenPage,
): boolean {
  const { items, total } = pageOfRefs(snapshot, folder, seen.paging);
  return (
    total === seen.total &&
    items.length === seen.refs.length &&
    items.every(({ name, oid }, index) => name === seen.refs[index]?.name && oid === seen.refs[index]?.oid)
  );
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
