import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import type { Database, Db } from '../../base/database/database.ts';
import type { PermittedRepository, Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { ReleaseAccess } from './access.ts';
import { RELEASE } from './actions.ts';
import { RELEASE_LIMITS } from './limits.ts';
import type { Release, ReleaseFilter, ReleaseKey } from './model.ts';
import { seesDrafts } from './rules.ts';
import { listAssets, listAssetsOf } from './store/assets.ts';
import { type AuthoredRelease, findLatestRelease, findShownRelease, listReleases } from './store/releases.ts';

interface Dependencies {
  readonly database: Database;
  readonly releaseAccess: ReleaseAccess;
}

/** Reads releases. Only people who may write them see drafts. */
export class Releases {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /** Lists releases, the newest first. @throws ForgeError as `ReleaseAccess.get` */
  async list(
    viewer: Viewer,
    path: RepositoryPath,
    filter: ReleaseFilter,
    paging: Paging,
  ): Promise<Page<Release>> {
    return (await this.page(viewer, path, filter, paging)).page;
  }

  /** As `list`, with the repository. */
  async page(
    viewer: Viewer,
    path: RepositoryPath,
    filter: ReleaseFilter,
    paging: Paging,
  ): Promise<{ readonly repository: Repository; readonly page: Page<Release> }> {
    const permitted = await this.#permitted(viewer, path);
    const page = await this.pageOf(this.#use.database.reader, viewer, permitted, filter, paging);
    return { repository: permitted.repository, page };
  }

  /** As `list`, of a repository that was looked up for the viewer. */
  async pageOf(
    db: Db,
    viewer: Viewer,
    permitted: PermittedRepository,
    filter: ReleaseFilter,
    paging: Paging,
  ): Promise<Page<Release>> {
    const { repository } = permitted;
    const showsDrafts = seesDrafts(viewer, permitted);
    const isImpossible =
      filter.text.length > RELEASE_LIMITS.releaseSearchCharsMax || !isStorableText(filter.text);
    if (isImpossible || (filter.isDraft === true && !showsDrafts)) return { items: [], total: 0 };
    const seen = showsDrafts ? filter : { ...filter, isDraft: false };
    const { items, total } = await listReleases(
      db,
      viewer,
      { repositoryId: repository.id, filter: seen },
      paging,
    );
    const assets = await listAssetsOf(
      db,
      items.map(({ id }) => id),
    );
    return {
      items: items.map((each) => ({ ...each, repository, assets: assets.get(each.id) ?? [] })),
      total,
    };
  }

  /** @throws ForgeError as `ReleaseAccess.get`; `not_found`, also for a draft that the viewer does not see */
  async get(viewer: Viewer, path: RepositoryPath, id: number): Promise<Release> {
    return this.shown(this.#use.database.reader, viewer, await this.#permitted(viewer, path), { id });
  }

  /** @throws ForgeError as `get`; `not_found` for a draft and for a tag without a release */
  async getByTag(viewer: Viewer, path: RepositoryPath, tag: string): Promise<Release> {
    const permitted = await this.#permitted(viewer, path);
    const release = await this.shown(this.#use.database.reader, viewer, permitted, { tag });
    if (release.isDraft) throw notFound('release');
    return release;
  }

  /** Finds the newest release that is neither a draft nor a prerelease. @throws ForgeError as `get` */
  async latest(viewer: Viewer, path: RepositoryPath): Promise<Release> {
    const { repository } = await this.#permitted(viewer, path);
    const db = this.#use.database.reader;
    return this.#whole(db, repository, await findLatestRelease(db, viewer, repository.id));
  }

  /**
   * Finds a release in a repository that was looked up for the viewer.
   *
   * @throws ForgeError `not_found`, also for a draft that the viewer does not see
   */
  async shown(db: Db, viewer: Viewer, permitted: PermittedRepository, key: ReleaseKey): Promise<Release> {
    const { repository } = permitted;
    const isPossible = 'id' in key ? Number.isSafeInteger(key.id) : isStorableText(key.tag);
    const found = isPossible ? await findShownRelease(db, viewer, repository.id, key) : undefined;
    const isHidden = found?.isDraft === true && !seesDrafts(viewer, permitted);
    return this.#whole(db, repository, isHidden ? undefined : found);
  }

  #permitted(viewer: Viewer, path: RepositoryPath): Promise<PermittedRepository> {
    return this.#use.releaseAccess.get(viewer, path, RELEASE.read);
  }

  async #whole(
    db: Db,
    repository: PermittedRepository['repository'],
    found: AuthoredRelease | undefined,
  ): Promise<Release> {
    if (found === undefined) throw notFound('release');
    return { ...found, repository, assets: await listAssets(db, found.id) };
  }
}
