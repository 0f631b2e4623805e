import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, isFailure, notFound, undefinedIf } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { parseGlob, StepBudget } from '../../base/core/text/globs.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { branchNameOf } from '../../git/format/ref-names.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { UnadoptedPath, UnadoptedRepository } from '../../git/interface/unadopted.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { DEFAULT_BRANCH } from '../repositories/model.ts';
import { repositoryNameProblem } from '../repositories/names.ts';
import type { Pushable } from '../repositories/refs/push-rules.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import type { CopiedWiki } from '../wikis/model.ts';
import type { Wikis } from '../wikis/service.ts';
import { UNADOPTED_DELETED } from './events.ts';
import { ADOPTION_LIMITS } from './limits.ts';
import { listTaken } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'unadopted' | 'writes' | 'transfers'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
}

/** What receives an unadopted repository. */
interface Filling {
  readonly repository: Pushable;
  readonly pushes: Pushes;
  readonly pusher: SignedIn;
  readonly alsoInTransaction?: (tx: Tx) => Promise<void>;
}

/** A repository that is being adopted, beside which a wiki may be. */
interface WikiPlace {
  readonly path: UnadoptedPath;
  readonly of: UnadoptedRepository;
  readonly repository: Pushable;
}

/** The copy of a wiki. Disposal removes it unless a repository has adopted it. */
interface StagedWiki extends Pick<CopiedWiki, 'adopt'>, AsyncDisposable {
  /** The copy has all that the folder has. */
  readonly isComplete: boolean;
}

/** Bare repositories in the data folder that are no repositories of this server yet. */
export class Adoption {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists unadopted repositories as `owner/name`, by their names.
   *
   * @param pattern only matching ones; '' for all. A pattern without a slash is one of owners
   * @throws ForgeError `invalid` for a pattern that is malformed, too long or takes too long; `too_large`
   */
  async list(pattern: string, paging: Paging): Promise<Page<string>> {
    const matches = matcherOf(pattern);
    const found = (await this.#use.git.unadopted.list())
      .filter(({ name }) => repositoryNameProblem(name) === undefined)
      .map(({ owner, name }) => `${owner}/${name}`)
      .filter((path) => matches(path.toLowerCase()));
    const taken = await listTaken(
      this.#use.database.reader,
      found.map((path) => path.toLowerCase()),
    );
    const free = found.filter((path) => !taken.has(path.toLowerCase()));
    const offset = offsetOf(paging);
    return { items: free.slice(offset, offset + paging.limit), total: free.length };
  }

  /**
   * Makes an unadopted repository a private repository of its owner, with its branches, tags and notes, and with its wiki,
   * which is beside it as `NAME.wiki.git`. Their folders are deleted once the repository is durable here; until then, a
   * failure leaves them as they are. A folder with other refs remains, because it has what the repository has not.
   *
   * @throws ForgeError `not_found`, also without an owner of this name, or if the owner has a repository of this name;
   *   `invalid` for a broken repository or wiki; `too_large`; `busy`
   */
  async adopt(viewer: SignedIn, path: UnadoptedPath): Promise<void> {
    const { accounts, database, git, pushes, repositories } = this.#use;
    await this.#requireFree(path);
    const owner = await accounts.getByName(viewer, path.owner);
    await using found = await git.unadopted.open(path);
    const creation = { viewer, owner, wanted: newRepository(path, found) };
    await using pending = await repositories.creation.begin(creation);
    const { repository } = pending;
    await using wiki = await this.#stageWiki(viewer, { path, of: found, repository }).catch(rethrowOfWiki);
    const publish = async (tx: Tx) => {
      await pending.publish(tx);
      await wiki?.adopt(tx, repository.id);
    };
    if (found.refs.size === 0) await database.transaction(publish);
    else await this.#fill(found, { repository, pushes, pusher: viewer, alsoInTransaction: publish });
    if (!found.hasOtherRefs) await git.unadopted.remove(path);
    if (wiki?.isComplete === true) await git.unadopted.remove(wikiOf(path));
  }

  /** Copies the wiki of a repository that is being adopted. @returns undefined if there is none, or an empty one */
  async #stageWiki(
    viewer: SignedIn,
    { path, of: { objectFormat }, repository: { owner, name, isPrivate } }: WikiPlace,
  ): Promise<StagedWiki | undefined> {
    const { git, wikis, wikiPushes } = this.#use;
    await using found = await git.unadopted.open(wikiOf(path)).catch(undefinedIf('not_found'));
    const branch = found && branchOf(found);
    if (found === undefined || branch === undefined) return undefined;
    if (found.objectFormat !== objectFormat)
      throw invalid('it has another object format than the repository');
    await using begun = new AsyncDisposableStack();
    const copied = begun.use(await wikis.beginCopy({ objectFormat, branch }, { owner, name, isPrivate }));
    await this.#fill(found, { repository: copied.pushable, pushes: wikiPushes, pusher: viewer });
    const staged = begun.move();
    return {
      isComplete: !found.hasOtherRefs,
      adopt: (tx, id) => copied.adopt(tx, id),
      [Symbol.asyncDispose]: () => staged.disposeAsync(),
    };
  }

  /** Receives the objects and refs of an unadopted repository that is not empty. */
  async #fill(found: UnadoptedRepository, { repository, pushes, ...push }: Filling): Promise<void> {
    const { git } = this.#use;
    await using session = await git.writes.begin(repository.id);
    const tips = [...new Set(found.refs.values())];
    const bytesMax = GIT_LIMITS.pushPackBytesMax;
    const { unpacked } = git.transfers.settings;
    await git.transfers.uploads.run(() =>
      found.readPack(tips, (pack) => session.ingestPack(pack, { bytesMax, unpacked })),
    );
    if ((await session.findDisconnected(tips)).length > 0)
      throw invalid('objects of the repository are missing: check it with git fsck');
    const results = await pushes.push(session, {
      ...push,
      repository,
      origin: { kind: 'creation', via: 'api' },
      updates: [...found.refs].map(([ref, oid]) => ({ ref, old: null, new: oid })),
      atomic: true,
    });
    for (const result of results) {
      if (result.outcome === 'denied') throw result.denial;
      if (result.outcome === 'rejected') throw invalid(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  /** Deletes an unadopted repository, and its wiki. @throws ForgeError `not_found` */
  async delete(viewer: SignedIn, path: UnadoptedPath): Promise<void> {
    const { unadopted } = this.#use.git;
    await this.#requireFree(path);
    await unadopted.remove(path);
    await unadopted.remove(wikiOf(path)).catch(undefinedIf('not_found'));
    await this.#use.database.transaction((tx) =>
      insertEvent(tx, UNADOPTED_DELETED, {
        actorId: viewer.accountId,
        repositoryId: null,
        payload: { owner: path.owner, name: path.name },
      }),
    );
  }

  async #requireFree({ owner, name }: UnadoptedPath): Promise<void> {
    const path = `${owner}/${name}`.toLowerCase();
    const taken = await listTaken(this.#use.database.reader, [path]);
    if (repositoryNameProblem(name) !== undefined || taken.has(path)) throw notFound('unadopted repository');
  }
}

/** Returns the path of the wiki of a repository. No repository can have it. */
function wikiOf({ owner, name }: UnadoptedPath): UnadoptedPath {
  return { owner, name: `${name}.wiki` };
}

/** Returns the branch of HEAD if it exists, and otherwise any branch; undefined if there is none. */
function branchOf({ head, refs }: UnadoptedRepository): string | undefined {
  const named = head === null || !refs.has(head) ? undefined : branchNameOf(head);
  return named ?? [...refs.keys()].flatMap((ref) => branchNameOf(ref) ?? [])[0];
}

/** Says that the wiki is unusable, and not the repository. */
function rethrowOfWiki(error: unknown): never {
  throw isFailure(error, 'invalid') ? invalid(`the wiki: ${error.message}`) : error;
}

function newRepository({ name }: UnadoptedPath, { head, objectFormat }: UnadoptedRepository) {
  return {
    name,
    description: '',
    isPrivate: true,
    isTemplate: false,
    defaultBranch: (head === null ? undefined : branchNameOf(head)) ?? DEFAULT_BRANCH,
    objectFormat,
    trustModel: 'default',
  } as const;
}

/** @throws ForgeError `invalid`, also while it matches, if that takes too long */
function matcherOf(pattern: string): (path: string) => boolean {
  if (pattern === '') return () => true;
  const {
    unadoptedPatternAlternativesMax: alternativesMax,
    unadoptedPatternCharsMax: charsMax,
    unadoptedPatternStepsMax,
  } = ADOPTION_LIMITS;
  const whole = (pattern.includes('/') ? pattern : `${pattern}/*`).toLowerCase();
  const globs = pattern.length > charsMax ? undefined : parseGlob(whole, { alternativesMax });
  if (globs === undefined) throw invalid(`the pattern is malformed, or has more than ${charsMax} characters`);
  const budget = new StepBudget(unadoptedPatternStepsMax);
  return (path) => globs.some((glob) => glob.matches(path, budget));
}
