import type { Oid } from '../../../git/format/model.ts';
import { NOTE_LIMITS } from '../limits.ts';
import { nameOf } from '../names.ts';

/** A note before a change. */
interface OldFile {
  readonly path: string;
  readonly oid: Oid;
  /** null: cannot be compared */
  readonly content: string | null;
}

/** A file after a change. */
export interface NewFile {
  readonly path: string;
  readonly oid: Oid;
  readonly content: string | null;
}

export interface Rename<Old extends OldFile, New extends NewFile> {
  readonly from: Old;
  readonly to: New;
}

/** A file that has changed and exists at the same path before and after the change. */
export interface Changed<Old extends OldFile, New extends NewFile> {
  readonly old: Old;
  readonly file: New;
}

/**
 * Matches removed notes with added files: first by equal content, then by common lines.
 *
 * A path that still exists keeps its note, unless it now has exactly the former content of another path. In that case
 * files were exchanged, or a file was moved over another one.
 */
export function findRenames<Old extends OldFile, New extends NewFile>(
  gone: readonly Old[],
  came: readonly New[],
  changed: readonly Changed<Old, New>[],
): readonly Rename<Old, New>[] {
  const displaced = findDisplaced(gone, changed);
  const sources = new Set([...gone, ...displaced.map(({ old }) => old)]);
  const targets = new Set([...came, ...displaced.map(({ file }) => file)]);
  const renames = pairEqual(sources, targets);
  for (const { old, file } of displaced) {
    if (!sources.has(old) || !targets.has(file)) continue;
    sources.delete(old);
    targets.delete(file);
  }
  return [...renames, ...pairSimilar(sources, targets)];
}

function findDisplaced<Old extends OldFile, New extends NewFile>(
  gone: readonly Old[],
  changed: readonly Changed<Old, New>[],
): readonly Changed<Old, New>[] {
  const oldPaths = new Map<Oid, string>();
  for (const old of [...gone, ...changed.map((each) => each.old)]) {
    // Two empty files prove nothing.
    if (old.content !== '') oldPaths.set(old.oid, old.path);
  }
  return changed.filter(({ file }) => oldPaths.has(file.oid));
}

/** Pairs files with equal content, and removes them from both sets. */
function pairEqual<Old extends OldFile, New extends NewFile>(
  sources: Set<Old>,
  targets: Set<New>,
): Rename<Old, New>[] {
  const renames: Rename<Old, New>[] = [];
  // Among several files with the same content, prefer pairs with the same name.
  for (const keyOf of [
    ({ oid, path }: OldFile | NewFile) => `${oid} ${nameOf(path)}`,
    ({ oid }: OldFile | NewFile) => oid,
  ]) {
    // Reversed, because the pairing takes the last item of each list.
    const unpaired = Map.groupBy([...sources].reverse(), keyOf);
    for (const to of targets) {
      const from = unpaired.get(keyOf(to))?.pop();
      if (from === undefined) continue;
      sources.delete(from);
      targets.delete(to);
      renames.push({ from, to });
    }
  }
  return renames;
}

function sameName(one: string, other: string): boolean {
  return nameOf(one) === nameOf(other);
}

/** Least similarity, out of 1, at which a file counts as a rename of another. */
const SIMILARITY_MIN = 0.5;
/** A line in more files than this, such as a ruler, does not help to distinguish them. */
const RARE_LINE_FILES_MAX = 8;

function pairSimilar<Old extends OldFile, New extends NewFile>(
  sources: ReadonlySet<Old>,
  targets: ReadonlySet<New>,
): Rename<Old, New>[] {
  const lines: LinesOf = new Map([...sources, ...targets].map((file) => [file, countLines(file.content)]));
  const isFew = sources.size * targets.size <= NOTE_LIMITS.noteRenamePairsMax;
  const pairs = isFew ? allPairs(sources, targets) : pairsWithRareLines(sources, targets, lines);
  const scored: (Rename<Old, New> & { score: number })[] = [];
  for (const { from, to } of pairs) {
    const score = similarity(lines.get(from), lines.get(to));
    // Among equal scores, prefer the same name.
    if (score >= SIMILARITY_MIN)
      scored.push({ from, to, score: score + (sameName(from.path, to.path) ? 0.001 : 0) });
  }
  scored.sort((a, b) => b.score - a.score);
  const used = new Set<OldFile | NewFile>();
  return scored.flatMap(({ from, to }) => {
    if (used.has(from) || used.has(to)) return [];
    used.add(from).add(to);
    return [{ from, to }];
  });
}

function* allPairs<Old, New>(
  sources: ReadonlySet<Old>,
  targets: ReadonlySet<New>,
): Generator<{ readonly from: Old; readonly to: New }> {
  for (const from of sources) for (const to of targets) yield { from, to };
}

/**
 * Yields pairs of sources and targets that share a rare line, up to the limit of pairs. A line is rare if few targets
 * have it.
 */
function* pairsWithRareLines<Old extends OldFile, New extends NewFile>(
  sources: ReadonlySet<Old>,
  targets: ReadonlySet<New>,
  lines: LinesOf,
): Generator<{ readonly from: Old; readonly to: New }> {
  const withLine = new Map<string, New[]>();
  for (const to of targets)
    for (const line of lines.get(to)?.counts.keys() ?? []) {
      const known = withLine.get(line);
      if (known === undefined) withLine.set(line, [to]);
      else known.push(to);
    }
  let pairs = 0;
  for (const from of sources) {
    const related = new Set<New>();
    for (const line of lines.get(from)?.counts.keys() ?? []) {
      const some = withLine.get(line) ?? [];
      if (some.length <= RARE_LINE_FILES_MAX) for (const to of some) related.add(to);
    }
    for (const to of related) {
      pairs += 1;
      if (pairs > NOTE_LIMITS.noteRenamePairsMax) return;
      yield { from, to };
    }
  }
}

type LinesOf = ReadonlyMap<OldFile | NewFile, Lines | undefined>;

interface Lines {
  readonly counts: ReadonlyMap<string, number>;
  readonly chars: number;
}

/** @returns undefined for content that is too large or missing */
function countLines(content: string | null): Lines | undefined {
  if (content === null || content.trim() === '' || content.length > NOTE_LIMITS.noteComparedCharsMax)
    return undefined;
  const counts = new Map<string, number>();
  let chars = 0;
  for (const line of content.split('\n')) {
    const text = line.trim();
    if (text === '') continue;
    counts.set(text, (counts.get(text) ?? 0) + 1);
    chars += text.length;
  }
  return { counts, chars };
}

/** Returns the share of the longer text that the other text also has, from 0 to 1, in characters of whole lines. */
function similarity(one: Lines | undefined, other: Lines | undefined): number {
  if (one === undefined || other === undefined) return 0;
  const longer = Math.max(one.chars, other.chars);
  let common = 0;
  for (const [line, count] of one.counts)
    common += Math.min(count, other.counts.get(line) ?? 0) * line.length;
  return common / longer;
}
