import { ForgeError, notFound } from '../../base/core/failure.ts';
import type { Database, Db, Tx } from '../../base/database/database.ts';
import { lockKind } from '../../people/accounts/locks.ts';
import type { PermittedRepository, Repository } from '../repositories/model.ts';
import { builtInGroups, findExceeded, limits } from './evaluate.ts';
import type {
  ArrivingBytes,
  NewBytes,
  QuotaGroup,
  QuotaSettings,
  SumOfBytes,
  UnfinishedUploads,
  UsedBytes,
} from './model.ts';
import { addUp, listGroupsOf, listOwnerIds, sumOfRepositories, sumOfWikis } from './store.ts';
import { type ByteKind, KINDS, kindsOfAll } from './subjects.ts';

interface Dependencies {
  readonly database: Database;
  readonly quotaSettings: QuotaSettings;
}

/** The groups whose rules apply to an owner. */
interface OwnerGroups {
  readonly groups: readonly QuotaGroup[];
  /** where none of the groups covers the bytes */
  readonly otherwise: readonly QuotaGroup[];
}

const NOTHING_ARRIVES: UsedBytes = Object.fromEntries(KINDS.map((kind) => [kind, 0])) as Record<
  ByteKind,
  number
>;

/** Limits the bytes that one owner stores. Features add what they store with `count`. */
export class Quota {
  readonly #use: Dependencies;
  readonly #sums: { readonly kind: ByteKind; readonly sumOf: SumOfBytes }[] = [
    { kind: 'size:repos:public', sumOf: (ownerId) => sumOfRepositories(ownerId, false) },
    { kind: 'size:repos:private', sumOf: (ownerId) => sumOfRepositories(ownerId, true) },
    { kind: 'size:assets:wiki', sumOf: sumOfWikis },
  ];
  /** bytes that arrive at the moment, by the id of the owner */
  readonly #arriving = new Map<number, UsedBytes>();

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Counts the bytes of a feature. One statement reads all sums. */
  count(kind: ByteKind, ...sums: readonly SumOfBytes[]): void {
    this.#sums.push(...sums.map((sumOf) => ({ kind, sumOf })));
  }

  /** Returns the groups whose rules apply to an owner, the built-in one last. */
  async groupsOf(db: Db, ownerId: number): Promise<readonly QuotaGroup[]> {
    const { groups, otherwise } = await this.#groupsOf(db, ownerId);
    return [...groups, ...otherwise];
  }

  /** Returns the ids of the owners of some repositories. */
  ownersOf(tx: Tx, repositoryIds: readonly number[]): Promise<readonly number[]> {
    return listOwnerIds(tx, repositoryIds);
  }

  /** Returns what an owner has stored, with unfinished uploads. */
  async usedBy(db: Db, ownerId: number, without?: UnfinishedUploads): Promise<UsedBytes> {
    return addUp(
      db,
      this.#sums.map(({ kind, sumOf }) => ({ kind, sum: sumOf(ownerId, without) })),
    );
  }

  /** Whether an owner is within all limits that apply to these kinds of bytes. */
  async isWithin(db: Db, ownerId: number, kinds: readonly ByteKind[]): Promise<boolean> {
    const groups = await this.#groupsOf(db, ownerId);
    return findExceeded(groups, await this.usedBy(db, ownerId), { kinds, moreBytes: 0 }) === undefined;
  }

  /**
   * Requires that an owner may store more bytes, before they arrive.
   *
   * @throws ForgeError `too_large`, with the reason `quota`
   */
  async requireRoom(ownerId: number, more: NewBytes): Promise<void> {
    if (more.sizeBytes > 0) await this.#require(this.#use.database.reader, ownerId, more);
  }

  /**
   * Requires that an owner is within the limits of a kind of bytes, with all that the transaction has added.
   *
   * @throws ForgeError as `requireRoom`
   */
  async requireWithin(tx: Tx, ownerId: number, kind: ByteKind): Promise<void> {
    await this.#require(tx, ownerId, { kind, sizeBytes: 0 });
  }

  /** As `requireWithin`, for several kinds. */
  async requireAllWithin(tx: Tx, ownerId: number, kinds: readonly ByteKind[]): Promise<void> {
    const groups = await this.#groupsOf(tx, ownerId);
    const used = await this.#usedIfLimited(tx, ownerId, groups, undefined);
    for (const kind of kinds) requireWithin(groups, used, { kind, sizeBytes: 0 });
  }

  /**
   * Requires that an owner is within the limits of a kind of bytes, to which the transaction has moved bytes of another
   * kind. A rule that covers both permits it, because its sum stays the same.
   *
   * @throws ForgeError as `requireRoom`
   */
  async requireWithinAfterMove(
    tx: Tx,
    ownerId: number,
    { from, to }: { readonly from: ByteKind; readonly to: ByteKind },
  ): Promise<void> {
    const { groups, otherwise } = await this.#groupsOf(tx, ownerId);
    const grown = { groups: groups.map((group) => withoutLimitOf(group, from)), otherwise };
    requireWithin(grown, await this.#usedIfLimited(tx, ownerId, grown, undefined), {
      kind: to,
      sizeBytes: 0,
    });
  }

  /**
   * As `requireRoom`, and counts the bytes while `work` receives them. So uploads at the same time have room together,
   * even if they grow.
   *
   * @param more as far as the size is known
   * @param work calls `add` with all bytes that arrive, unless their number is known
   * @throws ForgeError as `requireRoom`; any error of `work`
   */
  async whileArriving<T>(
    ownerId: number,
    more: NewBytes,
    work: (arriving: ArrivingBytes) => Promise<T>,
  ): Promise<T> {
    const { reader } = this.#use.database;
    const groups = await this.#groupsOf(reader, ownerId);
    const used = await this.#usedIfLimited(reader, ownerId, groups, more.uploads);
    let counted = 0;
    const countAs = (sizeBytes: number) => {
      const added = sizeBytes - counted;
      const total = sumOfBoth(used, this.#arriving.get(ownerId) ?? NOTHING_ARRIVES);
      requireWithin(groups, total, { kind: more.kind, sizeBytes: added });
      this.#count(ownerId, more.kind, added);
      counted = sizeBytes;
    };
    countAs(more.sizeBytes);
    let arrived = 0;
    const add = (bytes: number) => {
      arrived += bytes;
      if (arrived > counted) countAs(arrived);
    };
    try {
      return await work({ add });
    } finally {
      this.#count(ownerId, more.kind, -counted);
    }
  }

  #count(ownerId: number, kind: ByteKind, bytes: number): void {
    const before = this.#arriving.get(ownerId) ?? NOTHING_ARRIVES;
    const after = { ...before, [kind]: before[kind] + bytes };
    if (KINDS.some((each) => after[each] > 0)) this.#arriving.set(ownerId, after);
    else this.#arriving.delete(ownerId);
  }

  /**
   * As `requireRoom`, in the transaction that stores the bytes. Transactions of one owner wait for each other here, so
   * that together they stay within the limit. Call it before anything else that locks.
   *
   * @returns whether anything limits the owner
   */
  async lockRoom(tx: Tx, ownerId: number, more: NewBytes): Promise<boolean> {
    const groups = await this.#groupsOf(tx, ownerId);
    if (!limits([...groups.groups, ...groups.otherwise])) return false;
    await lockKind(tx, ownerId);
    requireWithin(groups, await this.usedBy(tx, ownerId, more.uploads), more);
    return true;
  }

  /**
   * As `lockRoom`, and then authorizes the caller again.
   *
   * @param lock authorizes the caller for the repository, and locks it
   * @throws ForgeError `too_large`; `not_found` if the repository has a new owner, who may have no room; any of `lock`
   */
  async lockRoomIn<Permitted extends Pick<PermittedRepository, 'repository'>>(
    tx: Tx,
    { owner }: Pick<Repository, 'owner'>,
    more: NewBytes,
    lock: (tx: Tx) => Promise<Permitted>,
  ): Promise<Permitted> {
    const isLimited = await this.lockRoom(tx, owner.id, more);
    const permitted = await lock(tx);
    if (isLimited && permitted.repository.owner.id !== owner.id) throw notFound('repository');
    return permitted;
  }

  async #require(db: Db, ownerId: number, more: NewBytes): Promise<void> {
    const groups = await this.#groupsOf(db, ownerId);
    requireWithin(groups, await this.#usedIfLimited(db, ownerId, groups, more.uploads), more);
  }

  async #groupsOf(db: Db, ownerId: number): Promise<OwnerGroups> {
    const { quotaSettings } = this.#use;
    return {
      groups: await listGroupsOf(db, ownerId, quotaSettings.defaultGroups),
      otherwise: builtInGroups(quotaSettings),
    };
  }

  /** Adds up what an owner has stored; nothing without a limit. */
  async #usedIfLimited(
    db: Db,
    ownerId: number,
    { groups, otherwise }: OwnerGroups,
    without: UnfinishedUploads | undefined,
  ): Promise<UsedBytes> {
    return limits([...groups, ...otherwise]) ? this.usedBy(db, ownerId, without) : NOTHING_ARRIVES;
  }
}

function sumOfBoth(one: UsedBytes, other: UsedBytes): UsedBytes {
  return Object.fromEntries(KINDS.map((kind) => [kind, one[kind] + other[kind]])) as Record<ByteKind, number>;
}

/** Returns a group whose rules about a kind of bytes permit everything. */
function withoutLimitOf(group: QuotaGroup, kind: ByteKind): QuotaGroup {
  const rules = group.rules.map((rule) =>
    kindsOfAll(rule.subjects).has(kind) ? { ...rule, bytesMax: -1 } : rule,
  );
  return { ...group, rules };
}

/** @throws ForgeError `too_large` */
function requireWithin(groups: OwnerGroups, used: UsedBytes, { kind, sizeBytes }: NewBytes): void {
  const exceeded = findExceeded(groups, used, { kinds: [kind], moreBytes: sizeBytes });
  if (exceeded === undefined) return;
  // Without figures, because collaborators read it. The owner finds them at `/user/quota`.
  const subjects = exceeded.rule.subjects.join(', ');
  const what = `the quota of the owner for ${subjects} has no room for this, counting unfinished uploads`;
  throw new ForgeError({ kind: 'too_large', what, reason: 'quota' });
}
