import { SYSTEM } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import { withoutEndSlashes } from '../../base/core/text/text.ts';
import type { Tx } from '../../base/database/database.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { BRANCHES, branchRef } from '../../git/format/ref-names.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { RemoteError } from '../../git/remote/model.ts';
import type { RemoteRepository } from '../../git/remote/remote-repository.ts';
import type { PublicAccount } from '../../people/accounts/model.ts';
import { DEFAULT_BRANCH, type Repository } from '../repositories/model.ts';
import { type Pushes, type PushResult, WHY_REJECTED } from '../repositories/refs/pushes.ts';
import { pushableOf } from '../wikis/authorize.ts';
import type { Wikis } from '../wikis/service.ts';
import { type CopyPlan, copySource, defaultBranchOf } from './copy.ts';
import type { Copying, Mirror, Source } from './model.ts';
import { COPIED_REFS, failureOfSource, mayPass, openSource } from './source.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs' | 'writes' | 'transfers'>;
  readonly outbound: OutboundClient;
  readonly wikis: Wikis;
  readonly wikiPushes: Pushes;
}

/** The copy of a repository, and the owner that it gets. */
interface CopiedWith extends Pick<Copying, 'wanted' | 'objectFormat' | 'signal' | 'progress'> {
  readonly owner: PublicAccount;
}

/** The copy of a wiki that no repository has yet. Disposal removes it unless a repository has adopted it. */
export interface StagedWiki extends AsyncDisposable {
  /** Gives it to a repository, in the transaction that publishes the repository. */
  adopt(tx: Tx, id: RepositoryId): Promise<void>;
}

/** Copies the wikis of repositories on other servers. */
export class WikiCopies {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Copies the wiki of a repository that is being copied.
   *
   * @returns undefined if the source has no wiki. If the wiki cannot be used, also adds the reason to what is left out
   * @throws RemoteError, OutboundError, ForgeError `busy` if another attempt may succeed; the reason of the signal
   */
  async stage(copying: CopiedWith): Promise<StagedWiki | undefined> {
    const { wanted, signal, progress } = copying;
    try {
      return await this.#stage(copying);
    } catch (error) {
      signal.throwIfAborted();
      const why = failureOfSource(error);
      if (why === undefined || mayPass(error)) throw error;
      if (!isAbsent(error)) progress.leftOut.push(`the wiki of ${wanted.name}: ${why}`);
      return undefined;
    }
  }

  async #stage({ wanted, owner, objectFormat, signal }: CopiedWith): Promise<StagedWiki | undefined> {
    const { git, wikis, wikiPushes } = this.#use;
    const remote = await this.#open(wanted.source, signal);
    const listed = await remote.listRefs(COPIED_REFS);
    const [first] = [...listed.refs.keys()].filter((ref) => ref.startsWith(BRANCHES));
    if (first === undefined) return undefined;
    if (listed.objectFormat !== objectFormat)
      throw invalid('it has another object format than the repository');
    const branch = defaultBranchOf(listed) ?? DEFAULT_BRANCH;
    await using begun = new AsyncDisposableStack();
    const about = { owner, name: wanted.name, isPrivate: wanted.isPrivate ?? false };
    const pending = begun.use(await wikis.beginCopy({ objectFormat, branch }, about));
    const { pushable } = pending;
    await copySource(git, {
      id: pushable.id,
      remote,
      prunes: false,
      listed,
      move: async (session, { updates }) => {
        const origin = { kind: 'creation', via: 'api' } as const;
        const push = { repository: pushable, origin, pusher: SYSTEM, updates, atomic: true };
        requireMoved(await wikiPushes.push(session, push));
      },
    });
    const staged = begun.move();
    return {
      adopt: (tx, id) => pending.adopt(tx, id),
      [Symbol.asyncDispose]: () => staged.disposeAsync(),
    };
  }

  /**
   * Updates the wiki of a mirror, if it has one. A wiki that the source no longer shows stays as it is.
   *
   * @throws RemoteError, OutboundError, ForgeError; the reason of the signal
   */
  async update(repository: Repository, { source, prunes }: Mirror, signal: AbortSignal): Promise<void> {
    const { wikiId: id } = repository;
    if (id === null) return;
    let remote: RemoteRepository;
    try {
      remote = await this.#open(source, signal);
    } catch (error) {
      if (isAbsent(error)) return;
      throw error;
    }
    await copySource(this.#use.git, {
      id,
      remote,
      prunes,
      move: (session, plan) => this.#follow(session, plan, { repository, id }),
    });
  }

  async #follow(
    session: WriteSession,
    { updates, defaultBranch }: CopyPlan,
    { repository, id }: { readonly repository: Repository; readonly id: RepositoryId },
  ): Promise<void> {
    if (updates.length === 0) return;
    const facts = pushableOf(repository, id);
    const results = await this.#use.wikiPushes.push(session, {
      // The old branch may be deleted if the source has another one.
      repository: { ...facts, defaultBranch: defaultBranch ?? facts.defaultBranch },
      origin: { kind: 'mirror' },
      pusher: SYSTEM,
      updates,
      atomic: false,
      alsoInTransaction: async (tx) => {
        if (defaultBranch !== null) await this.#use.git.refs.switchHead(id, branchRef(defaultBranch), tx);
      },
    });
    requireMoved(results);
  }

  #open({ url, credentials }: Source, signal: AbortSignal): Promise<RemoteRepository> {
    const source = { url: wikiAddressOf(url), credentials, largeFiles: null };
    return openSource(this.#use.outbound, source, signal);
  }
}

/** Returns the address of the wiki of a repository, which has the same form on all servers that have wikis. */
export function wikiAddressOf(url: URL): URL {
  const wiki = new URL(url);
  wiki.pathname = `${withoutEndSlashes(url.pathname).replace(/\.git$/, '')}.wiki.git`;
  return wiki;
}

function isAbsent(error: unknown): boolean {
  return error instanceof RemoteError && error.isAbsent;
}

/** @throws RemoteError, ForgeError the first reason why a ref has not moved */
function requireMoved(results: readonly PushResult[]): void {
  for (const result of results) {
    if (result.outcome === 'denied') throw result.denial;
    if (result.outcome === 'rejected') throw new RemoteError(`${result.ref}: ${WHY_REJECTED[result.cause]}`);
  }
}
