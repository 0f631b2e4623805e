import type { SignedIn } from '../../api/access/viewer.ts';
import { conflict, invalid, notFound } from '../../base/core/failure.ts';
import { type Page, pagingOf } from '../../base/core/paging.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import type { Protections } from '../../code/protection/service.ts';
import type { PermittedRepository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { LOST_RACE, untilNoRaceIsLost } from '../../hosting/repositories/refs/lost-races.ts';
import { addToRepositoryCounts } from '../../hosting/repositories/writes.ts';
import { type ReleaseAccess, requireStored } from './access.ts';
import { RELEASE } from './actions.ts';
import type { AssetCollection } from './assets/collection.ts';
import { RELEASE_LIMITS } from './limits.ts';
import type { Release, ReleaseFields, ReleaseKey, StoredRelease } from './model.ts';
import { changedFields, recordCreation, recordDeletion, recordEdit } from './record.ts';
import { validRelease } from './rules.ts';
import type { Releases } from './service.ts';
import { countReleases, deleteRelease, findRelease, insertRelease, setRelease } from './store/releases.ts';
import type { ReleaseTags } from './tags.ts';

const CHANGING = 'the releases of this repository keep changing: try again';
const FIRST_PAGE = { isDraft: undefined, isPrerelease: undefined, text: '' };

/** Reports that a release has changed since it was read for an edit. */
class Overtaken extends Error {}

interface Dependencies {
  readonly database: Database;
  readonly releaseAccess: ReleaseAccess;
  readonly releases: Releases;
  readonly releaseTags: ReleaseTags;
  readonly protections: Protections;
  readonly assetCollection: AssetCollection;
}

/** Creates, edits and deletes releases. A release that is published has a tag from the same transaction on. */
export class ReleaseChanges {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * @param requireCurrent throws if the caller does not accept the list as it is
   * @throws ForgeError as `ReleaseAccess.open` and `ReleaseTags.withTag`; `invalid`; `conflict` if the tag has a release
   *   or a draft
   */
  async create(
    viewer: SignedIn,
    path: RepositoryPath,
    wanted: ReleaseFields,
    requireCurrent?: (firstPage: Page<Release>) => void,
  ): Promise<Release> {
    const { repository } = await this.#use.releaseAccess.open(viewer, path, RELEASE.create);
    if (repository.isEmpty) throw invalid('the repository is empty: push a commit first');
    const fields = validRelease({ ...wanted, target: wanted.target || repository.defaultBranch });
    const write = async (tx: Tx): Promise<Release> => {
      const permitted = await this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.create);
      if (requireCurrent !== undefined) requireCurrent(await this.#firstPage(tx, viewer, permitted));
      await requireFree(tx, repository.id, fields.tag);
      const { releasesPerRepositoryMax: countMax } = RELEASE_LIMITS;
      if ((await countReleases(tx, repository.id)) >= countMax)
        throw invalid(`a repository has at most ${countMax} releases: delete one first`);
      const at = currentTimeMs();
      const about = {
        repositoryId: repository.id,
        authorId: viewer.accountId,
        createdAt: at,
        publishedAt: at,
      };
      const created = await insertRelease(tx, { ...fields, ...about });
      await count(tx, undefined, created);
      const shown = await this.#use.releases.shown(tx, viewer, permitted, { id: created.id });
      await recordCreation({ tx, actor: viewer }, created);
      return shown;
    };
    return untilNoRaceIsLost(CHANGING, () =>
      this.#write(viewer, repository, { fields, needsTag: !fields.isDraft }, write),
    );
  }

  /**
   * @param requireCurrent throws if the caller does not accept the release as it is
   * @throws ForgeError as `create`, and `not_found`; `forbidden` if the tag that a release loses is protected from the viewer
   */
  async edit(
    viewer: SignedIn,
    path: RepositoryPath,
    { id, edit }: { readonly id: number; readonly edit: Partial<ReleaseFields> },
    requireCurrent: (current: Release) => void,
  ): Promise<Release> {
    const { repository } = await this.#use.releaseAccess.open(viewer, path, RELEASE.change);
    const { reader } = this.#use.database;
    return untilNoRaceIsLost(CHANGING, async () => {
      const before = await requireStored(reader, repository.id, { id });
      const fields = validRelease({ ...before, ...edit });
      const needsTag = !fields.isDraft && (before.isDraft || before.tag !== fields.tag);
      const write = async (tx: Tx): Promise<Release> => {
        const permitted = await this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.change);
        const current = await this.#use.releases.shown(tx, viewer, permitted, { id });
        requireCurrent(current);
        if (changedFields(before, current).length > 0) throw new Overtaken();
        if (changedFields(current, fields).length === 0) return current;
        if (!current.isDraft && (fields.isDraft || fields.tag !== current.tag))
          await this.#use.protections.requireMayChangeTag(tx, viewer, repository.id, current.tag);
        if (fields.tag !== current.tag) await requireFree(tx, repository.id, fields.tag);
        const publishedAt = fields.isDraft === current.isDraft ? current.publishedAt : currentTimeMs();
        const after = { ...current, ...fields, publishedAt };
        await setRelease(tx, id, after);
        await count(tx, current, after);
        await recordEdit({ tx, actor: viewer }, current, after);
        return after;
      };
      return this.#write(viewer, repository, { fields, needsTag }, write).catch((error: unknown) => {
        if (error instanceof Overtaken) return LOST_RACE;
        throw error;
      });
    });
  }

  /**
   * Deletes a release or a draft. Its tag stays.
   *
   * @throws ForgeError as `ReleaseAccess.open`; `not_found`; `forbidden` if the tag of a release is protected from the
   *   viewer
   */
  async delete(
    viewer: SignedIn,
    path: RepositoryPath,
    key: ReleaseKey,
    requireCurrent: (current: Release) => void,
  ): Promise<void> {
    const { repository } = await this.#use.releaseAccess.open(viewer, path, RELEASE.delete);
    if ('tag' in key && !isStorableText(key.tag)) throw notFound('release');
    await this.#use.database.transaction(async (tx) => {
      const permitted = await this.#use.releaseAccess.lock(tx, viewer, repository.id, RELEASE.delete);
      const current = await this.#use.releases.shown(tx, viewer, permitted, key);
      requireCurrent(current);
      if (!current.isDraft)
        await this.#use.protections.requireMayChangeTag(tx, viewer, repository.id, current.tag);
      await this.#use.assetCollection.release(tx, { releaseId: current.id });
      await deleteRelease(tx, current.id);
      await count(tx, current, undefined);
      await recordDeletion({ tx, actor: viewer }, current);
    });
  }

  #write(
    viewer: SignedIn,
    repository: PermittedRepository['repository'],
    { fields, needsTag }: { readonly fields: ReleaseFields; readonly needsTag: boolean },
    write: (tx: Tx) => Promise<Release>,
  ): Promise<Release | typeof LOST_RACE> {
    if (!needsTag) return this.#use.database.transaction(write);
    return this.#use.releaseTags.withTag(viewer, repository, fields, write);
  }

  #firstPage(tx: Tx, viewer: SignedIn, permitted: PermittedRepository): Promise<Page<Release>> {
    return this.#use.releases.pageOf(tx, viewer, permitted, FIRST_PAGE, pagingOf({}));
  }
}

/** @throws ForgeError `conflict` */
async function requireFree(tx: Tx, repositoryId: number, tag: string): Promise<void> {
  const found = await findRelease(tx, repositoryId, { tag });
  if (found === undefined) return;
  throw conflict(`the tag ${tag} has a ${found.isDraft ? 'draft of a release' : 'release'} already`);
}

/** Counts the release in its repository. Drafts do not count. */
async function count(
  tx: Tx,
  before: StoredRelease | undefined,
  after: StoredRelease | undefined,
): Promise<void> {
  const id = (after ?? before)?.repositoryId;
  const releases = counted(after) - counted(before);
  if (id !== undefined && releases !== 0) await addToRepositoryCounts(tx, [id], { releases });
}

function counted(release: StoredRelease | undefined): 0 | 1 {
  return release === undefined || release.isDraft ? 0 : 1;
}
