import type { SignedIn } from '../../api/access/viewer.ts';
import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { EventKind } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { OutboundError } from '../../base/outbound/model.ts';
import type { PermittedRepository, RepositoryPath } from '../repositories/model.ts';
import { requireNotArchived } from '../repositories/refs/push-rules.ts';
import type { Repositories } from '../repositories/service.ts';
import { PUSH_MIRROR } from './actions.ts';
import { PUSH_MIRROR_CREATED, PUSH_MIRROR_DELETED } from './events.ts';
import { PUSH_MIRROR_LIMITS } from './limits.ts';
import type { PushMirror, ShownPushMirror, WantedPushMirror } from './model.ts';
import type { PushMirrorRecords } from './records.ts';
import { countPushMirrors, deletePushMirror, findPushMirror, listPushMirrors } from './store.ts';
import type { PushMirrorSync } from './sync.ts';

interface Dependencies {
  readonly database: Database;
  readonly outbound: OutboundClient;
  readonly repositories: Repositories;
  readonly pushMirrorRecords: PushMirrorRecords;
  readonly pushMirrorSync: PushMirrorSync;
}

/** Repositories on other servers to which a repository pushes its changes. Its administrators see and change them. */
export class PushMirrors {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError as `Repositories.get` */
  async list(viewer: SignedIn, path: RepositoryPath, paging: Paging): Promise<Page<ShownPushMirror>> {
    const { repository } = await this.#use.repositories.get(viewer, path, PUSH_MIRROR.read);
    const page = await listPushMirrors(this.#use.database.reader, repository.id, paging);
    return { ...page, items: page.items.map((mirror) => shown(mirror, repository)) };
  }

  /** @throws ForgeError as `Repositories.get`, and `not_found` for a missing push mirror */
  async get(viewer: SignedIn, path: RepositoryPath, name: string): Promise<ShownPushMirror> {
    const { repository } = await this.#use.repositories.get(viewer, path, PUSH_MIRROR.read);
    const found = await findPushMirror(this.#use.database.reader, repository.id, name);
    if (found === undefined) throw missing();
    return shown(found, repository);
  }

  /**
   * @param read reads what is wanted from the request of a caller who may add it
   * @throws ForgeError as `Repositories.get`; `archived`; `bad_request` if this site does not connect to the target;
   *   `invalid` for too many; the errors of `read`
   */
  async create(
    viewer: SignedIn,
    path: RepositoryPath,
    read: () => WantedPushMirror,
  ): Promise<ShownPushMirror> {
    const { repository } = await this.#use.repositories.get(viewer, path, PUSH_MIRROR.change);
    requireNotArchived(repository);
    const wanted = read();
    await this.#requireAllowed(wanted.url);
    return this.#change(viewer, repository, async (tx) => {
      if ((await countPushMirrors(tx, repository.id)) >= PUSH_MIRROR_LIMITS.pushMirrorsPerRepositoryMax)
        throw invalid(
          `a repository has at most ${PUSH_MIRROR_LIMITS.pushMirrorsPerRepositoryMax} push mirrors`,
        );
      const created = await this.#use.pushMirrorRecords.add(tx, repository.id, wanted);
      if (created.intervalMs > 0) await this.#use.pushMirrorSync.enqueue(tx, repository.owner.id);
      await announce(tx, viewer, PUSH_MIRROR_CREATED, created);
      return shown(created, repository);
    });
  }

  /** The target may be out of reach now, so only a denial is an error. Each update checks it again. */
  async #requireAllowed(url: URL): Promise<void> {
    try {
      await this.#use.outbound.requireAllowed(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.failure === 'denied')
        throw new ForgeError({ kind: 'bad_request', what: `[RemoteAddress]: ${error.message}` });
    }
  }

  /** @throws ForgeError as `get`, and `archived` */
  async delete(viewer: SignedIn, path: RepositoryPath, name: string): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, PUSH_MIRROR.change);
    await this.#change(viewer, repository, async (tx) => {
      const found = await findPushMirror(tx, repository.id, name);
      if (found === undefined) throw missing();
      await deletePushMirror(tx, found.id);
      await announce(tx, viewer, PUSH_MIRROR_DELETED, found);
    });
  }

  /**
   * Requests an update of all push mirrors of a repository, which begins soon.
   *
   * @throws ForgeError as `Repositories.get`, and `archived`
   */
  async sync(viewer: SignedIn, path: RepositoryPath): Promise<void> {
    const { repository } = await this.#use.repositories.get(viewer, path, PUSH_MIRROR.change);
    await this.#change(viewer, repository, (tx) => this.#use.pushMirrorSync.request(tx, repository.id));
  }

  async #change<T>(
    viewer: SignedIn,
    { id }: PermittedRepository['repository'],
    change: (tx: Tx) => Promise<T>,
  ): Promise<T> {
    const { database, repositories } = this.#use;
    return database.transaction(async (tx) => {
      requireNotArchived((await repositories.lock(tx, viewer, id, PUSH_MIRROR.change)).repository);
      return change(tx);
    });
  }
}

function shown(mirror: PushMirror, { name }: { readonly name: string }): ShownPushMirror {
  return { ...mirror, repositoryName: name };
}

function missing(): ForgeError {
  return notFound('push mirror');
}

async function announce(
  tx: Tx,
  viewer: SignedIn,
  kind: EventKind<{ readonly name: string; readonly address: string }>,
  { repositoryId, name, address }: PushMirror,
): Promise<void> {
  const about = { actorId: viewer.accountId, repositoryId };
  await insertEvent(tx, kind, { ...about, payload: { name, address } });
}
