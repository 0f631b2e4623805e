import type { QuotaGroup, QuotaRule, QuotaSettings, UsedBytes } from './model.ts';
import { type ByteKind, kindsOfAll } from './subjects.ts';

const BUILT_IN = 'built-in';
const LFS_AND_ASSETS = ['size:git:lfs', 'size:assets:all'];

/** The group that applies where no other group covers the bytes; none by default. */
export function builtInGroups({ ownerBytesMax }: QuotaSettings): readonly QuotaGroup[] {
  if (ownerBytesMax === null) return [];
  return [{ name: BUILT_IN, rules: [{ name: BUILT_IN, bytesMax: ownerBytesMax, subjects: LFS_AND_ASSETS }] }];
}

export interface Exceeded {
  readonly rule: QuotaRule;
  /** of all that the rule covers */
  readonly usedBytes: number;
}

/**
 * Finds a rule that does not permit bytes of these kinds; undefined if they are permitted.
 *
 * A group covers the kinds if one of its rules does. It permits them if each of these rules does. The bytes are
 * permitted if one of the groups that cover them permits them, or if no group covers them.
 *
 * @param groups of the owner
 * @param otherwise groups that count if none of `groups` covers the kinds
 * @param more bytes of the first kind that are to be added
 */
export function findExceeded(
  { groups, otherwise }: { groups: readonly QuotaGroup[]; otherwise: readonly QuotaGroup[] },
  used: UsedBytes,
  { kinds, moreBytes }: { kinds: readonly ByteKind[]; moreBytes: number },
): Exceeded | undefined {
  const ofOwner = groups.map((group) => rulesAbout(group, kinds)).filter(isCovering);
  const found =
    ofOwner.length > 0 ? ofOwner : otherwise.map((group) => rulesAbout(group, kinds)).filter(isCovering);
  let exceeded: Exceeded | undefined;
  for (const rules of found) {
    const ofGroup = rules
      .map((rule) => ({ rule, usedBytes: usedBy(rule, used) }))
      .find(({ rule, usedBytes }) => isOver(rule, usedBytes + bytesFor(rule, kinds, moreBytes)));
    if (ofGroup === undefined) return undefined;
    exceeded ??= ofGroup;
  }
  return exceeded;
}

/** Whether one of the groups has a limit. */
export function limits(groups: readonly QuotaGroup[]): boolean {
  return groups.some(({ rules }) => rules.some(({ bytesMax }) => bytesMax >= 0));
}

function rulesAbout({ rules }: QuotaGroup, kinds: readonly ByteKind[]): readonly QuotaRule[] {
  return rules.filter(({ subjects }) => {
    const covered = kindsOfAll(subjects);
    return kinds.some((kind) => covered.has(kind));
  });
}

function isCovering(rules: readonly QuotaRule[]): boolean {
  return rules.length > 0;
}

function usedBy({ subjects }: QuotaRule, used: UsedBytes): number {
  return [...kindsOfAll(subjects)].reduce((sum, kind) => sum + used[kind], 0);
}

function bytesFor({ subjects }: QuotaRule, [kind]: readonly ByteKind[], moreBytes: number): number {
  return kind !== undefined && kindsOfAll(subjects).has(kind) ? moreBytes : 0;
}

function isOver({ bytesMax }: QuotaRule, bytes: number): boolean {
  return bytesMax >= 0 && bytes > bytesMax;
}
