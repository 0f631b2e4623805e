import { reaches } from '../access/policy.ts';
import { isRepositoryLimited, type SignedIn } from '../access/viewer.ts';
import type { PublicAccount } from '../accounts/model.ts';
import type { Accounts } from '../accounts/service.ts';
import { ForgeError, forbidden, invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import { type Database, isForeignKeyViolation, isUniqueViolation, type Tx } from '../database/database.ts';
import { insertEvent } from '../events/store.ts';
import type { GitStorage, RepositoryId } from '../git/model.ts';
import { branchNameProblem } from '../git/ref-names.ts';
import { firstCommit } from './first-commit.ts';
import type { NewRepository } from './model.ts';
import { repositoryNameProblem } from './names.ts';
import { type SiteRules, unitsOfNew } from './site-rules.ts';
import { findRepositoryById } from './store/records.ts';
import {
  deleteIntent,
  insertIntent,
  insertRepository,
  listIntentsBefore,
  setCollaboration,
  setPushed,
} from './store.ts';

/** Who makes a repository, and for whom. */
interface Making {
  readonly viewer: SignedIn;
  readonly owner: PublicAccount;
  readonly wanted: NewRepository;
}

/** Told in the transaction in which a repository appears; what it throws undoes that. */
export type CreationListener = (
  tx: Tx,
  made: { repositoryId: RepositoryId; makerId: number; owner: PublicAccount },
) => Promise<void>;

/** Makes repositories: each appears whole, with its first commit where one is wanted, or not at all. */
export class RepositoryMaking {
  readonly #database: Database;
  readonly #git: GitStorage;
  readonly #accounts: Accounts;
  readonly #siteRules: SiteRules;
  readonly #listeners: CreationListener[] = [];

  constructor(dependencies: {
    database: Database;
    git: GitStorage;
    accounts: Accounts;
    siteRules: SiteRules;
  }) {
    this.#database = dependencies.database;
    this.#git = dependencies.git;
    this.#accounts = dependencies.accounts;
    this.#siteRules = dependencies.siteRules;
  }

  onCreated(listener: CreationListener): void {
    this.#listeners.push(listener);
  }

  /** @throws ForgeError `invalid`, `forbidden`, `name_in_use`, `not_found` where the owner is gone */
  async make(making: Making): Promise<RepositoryId> {
    const { wanted } = making;
    requireValid(wanted);
    requireSeenAfterwards(making);
    const id = await this.#database
      .transaction(async (tx) => {
        const intended = await insertIntent(tx, Date.now());
        const head = `refs/heads/${wanted.defaultBranch}`;
        await this.#git.create(intended, { head, objectFormat: wanted.objectFormat }, tx);
        // With a first commit to come, the repository appears along with that.
        if (!wanted.autoInit) await this.#announce(tx, making, intended);
        return intended;
      })
      .catch(rethrowNameInUse);
    if (wanted.autoInit) await this.#initialize(making, id);
    return id;
  }

  async #initialize(making: Making, id: RepositoryId): Promise<void> {
    const { viewer, owner, wanted } = making;
    try {
      const author = await this.#accounts.commitPerson(owner.kind === 'user' ? owner.id : viewer.accountId);
      await using session = await this.#git.write(id);
      const { commit, objects } = firstCommit(wanted, author);
      await session.writeObjects(objects);
      const update = { ref: `refs/heads/${wanted.defaultBranch}`, old: null, new: commit };
      await this.#git.commit(session, [update], {
        atomic: true,
        inTransaction: async (tx) => {
          await this.#announce(tx, making, id);
          await setPushed(tx, id, { at: Date.now(), isEmpty: false });
        },
      });
    } catch (error) {
      await this.#abandon(id);
      rethrowNameInUse(error);
    }
  }

  async #announce(tx: Tx, { viewer, owner, wanted }: Making, id: RepositoryId): Promise<void> {
    if (!(await deleteIntent(tx, id))) throw notFound('repository');
    const units = unitsOfNew(this.#siteRules);
    await insertRepository(tx, { id, ownerId: owner.id, wanted, units, at: Date.now() });
    if (owner.kind === 'organization') await giveToMaker(tx, viewer, id);
    const made = { repositoryId: id, makerId: viewer.accountId, owner };
    for (const listener of this.#listeners) await listener(tx, made);
    await insertEvent(tx, {
      kind: 'repository.created',
      actorId: viewer.accountId,
      repositoryId: id,
      payload: { name: wanted.name, private: wanted.isPrivate },
    });
  }

  async #abandon(id: RepositoryId): Promise<void> {
    await this.#database.transaction(async (tx) => {
      if (await deleteIntent(tx, id)) await this.#git.remove(id, tx);
    });
  }

  /** Clears away what is left of repositories whose making was cut off more than `graceMs` ago. */
  async sweepAbandoned(graceMs: number): Promise<void> {
    const abandoned = await listIntentsBefore(this.#database.reader, Date.now() - graceMs);
    for (const id of abandoned) await this.#abandon(id);
  }
}

/** Whoever makes a repository for an organization administers it, also where no team says so. */
async function giveToMaker(tx: Tx, viewer: SignedIn, id: RepositoryId): Promise<void> {
  const self = { ...viewer, publicOnly: false, limitedByToken: null };
  const held = await findRepositoryById(tx, self, id);
  if (held === undefined || reaches(held.level, 'admin')) return;
  const { accountId } = viewer;
  await setCollaboration(tx, { repositoryId: id, accountId, level: 'admin', at: Date.now() });
}

/** @throws ForgeError `forbidden` for a token that would not see what it makes */
function requireSeenAfterwards({ viewer, owner, wanted }: Making): void {
  if (isRepositoryLimited(viewer)) throw forbidden('the token is limited to other repositories');
  if (viewer.publicOnly && (wanted.isPrivate || owner.visibility !== 'public')) {
    throw forbidden('token scope is limited to public repositories');
  }
}

/** @throws ForgeError `invalid` */
function requireValid(wanted: NewRepository): void {
  const problem = repositoryNameProblem(wanted.name) ?? branchProblem(wanted.defaultBranch);
  if (problem !== undefined) throw invalid(problem);
}

function branchProblem(branch: string): string | undefined {
  if (branch.length > LIMITS.branchNameCharsMax)
    return `[DefaultBranch]: MaxSize(${LIMITS.branchNameCharsMax})`;
  const problem = branchNameProblem(branch);
  return problem === undefined ? undefined : `[DefaultBranch]: ${problem}`;
}

function rethrowNameInUse(error: unknown): never {
  // The owner was deleted meanwhile.
  if (isForeignKeyViolation(error)) throw notFound('account');
  if (!isUniqueViolation(error)) throw error;
  throw new ForgeError(
    { kind: 'name_in_use', what: 'The repository with the same name already exists.' },
    { cause: error },
  );
}
