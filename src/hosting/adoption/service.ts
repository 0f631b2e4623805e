import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { parseGlob, StepBudget } from '../../base/core/text/globs.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { branchNameOf } from '../../git/format/ref-names.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { UnadoptedPath, UnadoptedRepository } from '../../git/interface/unadopted.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import type { PendingRepository } from '../repositories/creation/model.ts';
import { DEFAULT_BRANCH } from '../repositories/model.ts';
import { repositoryNameProblem } from '../repositories/names.ts';
import { type Pushes, WHY_REJECTED } from '../repositories/refs/pushes.ts';
import type { Repositories } from '../repositories/service.ts';
import { UNADOPTED_DELETED } from './events.ts';
import { ADOPTION_LIMITS } from './limits.ts';
import { listTaken } from './store.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'unadopted' | 'writes' | 'transfers'>;
  readonly accounts: Accounts;
  readonly repositories: Repositories;
  readonly pushes: Pushes;
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
   * @param pattern only matching ones; '' for all
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
   * Makes an unadopted repository a private repository of its owner, with its branches, tags and notes. Its folder is
   * deleted once the repository is durable here; until then, a failure leaves the folder as it is. A folder with other
   * refs remains, because it has what the repository has not.
   *
   * @throws ForgeError `not_found`, also without an owner of this name, or if the owner has a repository of this name;
   *   `invalid` for a broken repository; `too_large`; `busy`
   */
  async adopt(viewer: SignedIn, path: UnadoptedPath): Promise<void> {
    const { accounts, git, repositories } = this.#use;
    await this.#requireFree(path);
    const owner = await accounts.getByName(viewer, path.owner);
    await using found = await git.unadopted.open(path);
    const creation = { viewer, owner, wanted: newRepository(path, found) };
    await using pending = await repositories.creation.begin(creation);
    await this.#fill(viewer, pending, found);
    if (!found.hasOtherRefs) await git.unadopted.remove(path);
  }

  async #fill(viewer: SignedIn, pending: PendingRepository, found: UnadoptedRepository): Promise<void> {
    const { database, git, pushes } = this.#use;
    const { repository } = pending;
    if (found.refs.size === 0) return database.transaction((tx: Tx) => pending.publish(tx));
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
      repository,
      origin: { kind: 'creation', via: 'api' },
      pusher: viewer,
      updates: [...found.refs].map(([ref, oid]) => ({ ref, old: null, new: oid })),
      atomic: true,
      alsoInTransaction: (tx) => pending.publish(tx),
    });
    for (const result of results) {
      if (result.outcome === 'denied') throw result.denial;
      if (result.outcome === 'rejected') throw invalid(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
    }
  }

  /** Deletes an unadopted repository. @throws ForgeError `not_found` */
  async delete(viewer: SignedIn, path: UnadoptedPath): Promise<void> {
    await this.#requireFree(path);
    await this.#use.git.unadopted.remove(path);
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
  const globs = pattern.length > charsMax ? undefined : parseGlob(pattern.toLowerCase(), { alternativesMax });
  if (globs === undefined) throw invalid(`the pattern is malformed, or has more than ${charsMax} characters`);
  const budget = new StepBudget(unadoptedPatternStepsMax);
  return (path) => globs.some((glob) => glob.matches(path, budget));
}
