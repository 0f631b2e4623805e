import { ForgeError } from '../../base/core/failure.ts';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import type { Database, Db } from '../../base/database/database.ts';
import type { Oid } from '../../git/format/model.ts';
import { BRANCHES } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { differingPaths } from '../../git/trees/tree-differences.ts';
import { type ExaminedPush, isRenameOf, type PushRule } from '../../hosting/repositories/refs/push-rules.ts';
import { WHY_REJECTED } from '../../hosting/repositories/refs/pushes.ts';
import type { SignatureVerifier } from '../verification/service.ts';
import { Comparisons } from './comparisons.ts';
import { mayForcePush, mayPush, type ProtectedKind, type ProtectionForViewer } from './model.ts';
import { denialOf, FilePatterns, PatternRules } from './patterns.ts';
import { RequiredSignatures } from './required-signatures.ts';
import { listForViewer } from './store/protections.ts';

const FOLDERS: readonly (readonly [ProtectedKind, string])[] = [
  ['branch', BRANCHES],
  ['tag', 'refs/tags/'],
];

interface ProtectionDependencies {
  readonly database: Database;
  readonly verifier: SignatureVerifier;
}

/** The rule that enforces the protections of branches and tags, on every change of refs and for every pusher. */
export function protectionRule({ database: { reader }, verifier }: ProtectionDependencies): PushRule {
  return {
    name: 'protection',
    scope: 'examination',
    isRechecked: true,
    async examine(push) {
      const kinds = kindsIn(push);
      const rules = await readRules(reader, push, kinds);
      const signatures = new RequiredSignatures(push.session, verifier);
      const denials = await new Examiner(push, rules, signatures).denials();
      const read = JSON.stringify([...rules]);
      const stillHolds = async (tx: Db) =>
        JSON.stringify([...(await readRules(tx, push, kinds))]) === read && (await signatures.stillHold(tx));
      return { denials, stillHolds };
    },
  };
}

/** Returns the kinds whose protections may apply. A new repository has none, and a mirror follows its source. */
function kindsIn({ origin, updates }: ExaminedPush): readonly ProtectedKind[] {
  if (origin.kind === 'creation' || origin.kind === 'mirror') return [];
  return FOLDERS.filter(([, folder]) => updates.some(({ ref }) => ref.startsWith(folder))).map(
    ([kind]) => kind,
  );
}

type Rules = ReadonlyMap<ProtectedKind, readonly ProtectionForViewer[]>;

async function readRules(
  db: Db,
  { pusher, repository }: ExaminedPush,
  kinds: readonly ProtectedKind[],
): Promise<Rules> {
  const rules = new Map<ProtectedKind, readonly ProtectionForViewer[]>();
  for (const kind of kinds) rules.set(kind, await listForViewer(db, pusher, repository.id, kind));
  return rules;
}

interface RuleFiles {
  /** files that may change although the pusher may not push */
  readonly free: FilePatterns;
  /** files that may not change */
  readonly closed: FilePatterns;
}

const NO_FILES: RuleFiles = { free: new FilePatterns(''), closed: new FilePatterns('') };

/** Compares the updates of one push with the rules of its repository. */
class Examiner {
  readonly #push: ExaminedPush;
  readonly #rules: Rules;
  readonly #signatures: RequiredSignatures;
  readonly #comparisons = new Comparisons();
  /** by id of the rule */
  readonly #files = new Map<number, RuleFiles>();

  constructor(push: ExaminedPush, rules: Rules, signatures: RequiredSignatures) {
    this.#push = push;
    this.#rules = rules;
    this.#signatures = signatures;
  }

  async denials(): Promise<ReadonlyMap<string, ForgeError>> {
    const denials = new Map<string, ForgeError>();
    for (const [kind, folder] of FOLDERS) {
      const rules = this.#rules.get(kind) ?? [];
      if (rules.length === 0) continue;
      const patterns = new PatternRules(rules);
      const updates = this.#push.updates.filter(({ ref }) => ref.startsWith(folder));
      for (const update of updates) {
        currentCaller().left?.throwIfAborted();
        if (this.#comparisons.isDueToRest) await this.#comparisons.rest();
        const name = update.ref.slice(folder.length);
        const denial = await this.#denialOf(kind, name, update, patterns).catch(denialOf);
        if (denial !== undefined) denials.set(update.ref, denial);
      }
    }
    return denials;
  }

  async #denialOf(
    kind: ProtectedKind,
    name: string,
    update: RefUpdate,
    patterns: PatternRules<ProtectionForViewer>,
  ): Promise<ForgeError | undefined> {
    if (kind === 'tag') {
      return tagDenial(
        name,
        this.#comparisons.run((budget) => patterns.allMatches(name, budget)),
      );
    }
    const rule = this.#comparisons.run((budget) => patterns.firstMatch(name, budget));
    if (rule === undefined) return undefined;
    if (update.new === null) {
      const isMoving = isRenameOf(this.#push.origin, update.ref) && rule.pattern === name;
      return isMoving ? undefined : denied(`the branch ${name} is protected from deletion`);
    }
    const problem = await this.#problemWith(rule, update.old, update.new);
    return problem === undefined ? undefined : denied(`the branch ${name} is protected: ${problem}`);
  }

  /** Explains why a rule denies that its branch moves to `tip`; undefined if it allows it. */
  async #problemWith(rule: ProtectionForViewer, old: Oid | null, tip: Oid): Promise<string | undefined> {
    const { session, origin } = this.#push;
    const merges = origin.kind === 'api' ? origin.merges : undefined;
    const allowsPush = merges !== undefined || mayPush(rule);
    const { free, closed } = merges === 'by-force' ? NO_FILES : this.#filesOf(rule);
    if (!allowsPush && free.isEmpty) return 'you may not push to it';
    // A client can name any old commit. If the branch is not at it, the push is rejected later.
    if (old !== null && (await session.objects.info(old))?.type !== 'commit') return WHY_REJECTED.stale;
    if (
      old !== null &&
      !mayForcePush(rule) &&
      !(await session.isReached({ ancestor: old, descendant: tip }))
    ) {
      return rule.allowsForcePush ? 'you may not push to it by force' : 'it takes no force push';
    }
    const base = old ?? (await session.findBranchBase(tip));
    const problem = await this.#problemWithFiles({ closed, free: allowsPush ? undefined : free }, base, tip);
    if (problem !== undefined || !rule.requiresSignatures || base === tip) return problem;
    return this.#signatures.problemWith(base, tip);
  }

  #filesOf({ id, unprotectedFiles, protectedFiles }: ProtectionForViewer): RuleFiles {
    const known = this.#files.get(id);
    if (known !== undefined) return known;
    const files = { free: new FilePatterns(unprotectedFiles), closed: new FilePatterns(protectedFiles) };
    this.#files.set(id, files);
    return files;
  }

  /** @param patterns.free the only files that may change; undefined: all */
  async #problemWithFiles(
    { closed, free }: { closed: FilePatterns; free: FilePatterns | undefined },
    base: Oid | null,
    tip: Oid,
  ): Promise<string | undefined> {
    if (closed.isEmpty && free === undefined) return undefined;
    let changes = 0;
    for await (const path of pathsBetween(this.#push.session, base, tip)) {
      changes += 1;
      if (this.#comparisons.isDueToRest) await this.#comparisons.rest();
      const isClosed = this.#comparisons.run((budget) => closed.matches(path, budget));
      if (isClosed) return `the file ${path} may not change in it`;
      const isFree = this.#comparisons.run((budget) => free?.matches(path, budget) ?? true);
      if (!isFree) return 'you may not push to it';
    }
    // A push that changes no file is not limited to files that are free.
    return free !== undefined && changes === 0 ? 'you may not push to it' : undefined;
  }
}

function denied(what: string): ForgeError {
  return new ForgeError({ kind: 'forbidden', what, reason: 'protected' });
}

async function* pathsBetween(
  session: WriteSession,
  base: Oid | null,
  tip: Oid,
): AsyncGenerator<string, void> {
  const { objects, base: snapshot } = session;
  const treeOf = async (oid: Oid) => (await objects.readCommit(oid)).tree;
  const trees = { before: base === null ? null : await treeOf(base), after: await treeOf(tip) };
  yield* differingPaths({ objects, objectFormat: snapshot.objectFormat }, trees);
}

/** A tag is denied if protections match its name and none of them lists the pusher. */
export function tagDenial(name: string, rules: readonly ProtectionForViewer[]): ForgeError | undefined {
  if (rules.length === 0 || rules.some(mayPush)) return undefined;
  return denied(`the tag ${name} is protected`);
}
