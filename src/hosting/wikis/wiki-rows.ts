import { actorKindOf, SYSTEM } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Tx } from '../../base/database/database.ts';
import { insertEvent } from '../../base/events/store.ts';
import { branchNameOf, branchRef } from '../../git/format/ref-names.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { sourceOf } from '../repositories/refs/push-rules.ts';
import type { ObjectsWriter, Pushed, PushedFacts, PushedRows } from '../repositories/refs/pushed-rows.ts';
import type { Repositories } from '../repositories/service.ts';
import { addWikiBytes, setWikiBranch } from '../repositories/writes.ts';
import { WIKI } from './actions.ts';
import { pushableOf, requireEditor } from './authorize.ts';
import { WIKI_REFS_CHANGED } from './events.ts';
import { hasHeadBranch } from './store.ts';

interface Dependencies {
  readonly git: Pick<GitStorage, 'refs'>;
  readonly repositories: Repositories;
}

/** The rows of pushes to wikis: those of the repositories that have the wikis. */
export class WikiRows implements PushedRows {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** @throws ForgeError `not_found` (the repository or its wiki is gone or hidden), `forbidden` */
  async authorizeAgain(tx: Tx, { repository, origin, pusher }: ObjectsWriter): Promise<PushedFacts> {
    const { id } = repository;
    // A copy belongs to no repository yet, and no one sees it. The transaction that publishes the repository adopts it.
    if (origin.kind === 'creation') return { ...repository, isEmpty: false };
    const repositoryId = await this.#use.repositories.findIdByWiki(tx, id);
    if (repositoryId === undefined) throw notFound('wiki');
    const isMirror = origin.kind === 'mirror';
    const viewer = isMirror ? SYSTEM : pusher;
    const permitted = await this.#use.repositories.lock(tx, viewer, repositoryId, WIKI.read);
    if (!isMirror) requireEditor(viewer, permitted);
    // HEAD follows in `recordPush`, whether or not this is the first push.
    return { ...pushableOf(permitted.repository, id), isEmpty: false };
  }

  /**
   * Lets HEAD of a wiki point to the branch of the settings as soon as that exists. If the first push has another branch,
   * the settings name that one.
   */
  async recordPush(tx: Tx, { repository }: ObjectsWriter, { moved, newBytes }: Pushed): Promise<void> {
    const { id, defaultBranch } = repository;
    await addWikiBytes(tx, id, newBytes);
    const { refs } = this.#use.git;
    const created = moved.filter(({ old, new: oid }) => old === null && oid !== null);
    const [first] = created.flatMap(({ ref }) => branchNameOf(ref) ?? []);
    if (first === undefined || (await refs.switchHead(id, branchRef(defaultBranch), tx))) return;
    if (await hasHeadBranch(tx, id)) return;
    await refs.setHead(id, branchRef(first), tx);
    const repositoryId = await this.#use.repositories.findIdByWiki(tx, id);
    if (repositoryId !== undefined) await setWikiBranch(tx, repositoryId, first);
  }

  async announce(
    tx: Tx,
    { repository: { id }, origin, pusher }: ObjectsWriter,
    moved: readonly RefUpdate[],
  ): Promise<void> {
    const repositoryId = await this.#use.repositories.findIdByWiki(tx, id);
    if (repositoryId === undefined) return;
    await insertEvent(tx, WIKI_REFS_CHANGED, {
      actorId: pusher.accountId,
      repositoryId,
      actorKind: origin.kind === 'mirror' ? 'mirror' : actorKindOf(pusher),
      payload: { updates: moved, via: sourceOf(origin).via },
    });
  }
}
