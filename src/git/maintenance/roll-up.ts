import { basename } from 'node:path';
import { faultPoint } from '../../base/core/faults.ts';
import { type ObjectFile, packOf } from '../folders/object-files.ts';
import type { RepositoryId } from '../interface/snapshot.ts';
import { deleteReplaced, makePack, type ReplacingNeeds, type Rewritable } from './rewrite-packs.ts';
import type { Workshop } from './workshop.ts';

/** After a repack, each pack is at least this many times as large as the next smaller one. */
const FACTOR = 2;

interface Pack {
  readonly name: string;
  readonly bytes: number;
}

/** Packs to join with all loose objects, and the larger packs, which do not change. */
interface RollUp {
  readonly joined: readonly Pack[];
  readonly left: readonly Pack[];
}

/**
 * Plans a repack whose cost depends on the new objects. It joins the smaller packs, so that the sizes of all packs then
 * form a geometric progression. Each object is then rewritten only as often as the repository doubles.
 *
 * @see git-repack(1), --geometric
 */
export function planRollUp(packs: readonly Pack[], looseBytes: number): RollUp {
  const sorted = packs.toSorted((a, b) => a.bytes - b.bytes);
  const sizes = sorted.map(({ bytes }) => bytes);
  const isStep = (at: number) => (sizes[at] ?? 0) >= FACTOR * (sizes[at - 1] ?? 0);
  let split = sizes.length - 1;
  while (split > 0 && isStep(split)) split -= 1;
  let total = looseBytes + sizes.slice(0, split).reduce((sum, size) => sum + size, 0);
  for (; split < sizes.length && (sizes[split] ?? 0) < FACTOR * total; split += 1) total += sizes[split] ?? 0;
  return { joined: sorted.slice(0, split), left: sorted.slice(split) };
}

/** Leaves out the packs of unreachable objects, which have a file of dates. */
export function rollUpOf({ old }: Rewritable): RollUp {
  const dated = new Set(old.filter(({ path }) => path.endsWith('.mtimes')).map(({ path }) => packOf(path)));
  const packs = old.filter(({ path }) => path.endsWith('.pack') && !dated.has(packOf(path)));
  const looseBytes = old.filter(isLoose).reduce((sum, { bytes }) => sum + bytes, 0);
  return planRollUp(
    packs.map(({ path, bytes }) => ({ name: basename(path, '.pack'), bytes })),
    looseBytes,
  );
}

function isLoose({ path }: ObjectFile): boolean {
  return !path.startsWith('pack/');
}

/** Writes one pack of the joined packs and all loose objects, and then deletes their files. Deletes no object. */
export async function rollUp(
  engine: ReplacingNeeds,
  id: RepositoryId,
  work: { workshop: Workshop; from: Rewritable; plan: RollUp },
): Promise<void> {
  const { workshop, from, plan } = work;
  const joined = new Set(plan.joined.map(({ name }) => `pack/${name}`));
  const old = from.old.filter((file) => isLoose(file) || joined.has(packOf(file.path)));
  if (old.length === 0) return;
  const lines = [
    ...plan.joined.map(({ name }) => `${name}.pack`),
    ...plan.left.map(({ name }) => `^${name}.pack`),
  ];
  const made = await makePack(workshop, ['--stdin-packs', '--unpacked'], lines);
  faultPoint('during-repack');
  await deleteReplaced(engine, id, { folder: from.folder, old }, made);
}
