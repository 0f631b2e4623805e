import type { Viewer } from '../../api/access/viewer.ts';
import { invalid, notFound } from '../../base/core/failure.ts';
import { offsetOf, type Page, type Paging } from '../../base/core/paging.ts';
import { createSizedCache } from '../../base/core/sized-cache.ts';
import type { Oid } from '../../git/format/model.ts';
import { branchRef } from '../../git/format/ref-names.ts';
import type { ObjectReader, Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import type { WikiSettings } from '../../hosting/repositories/units.ts';
import { WIKI } from '../../hosting/wikis/actions.ts';
import type { Wikis } from '../../hosting/wikis/service.ts';
import { lastOf } from '../contents/entries.ts';
import type { LastCommits } from '../contents/last-commits/service.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';
import type { Asides, FoundPage, ListedPage, OpenWiki, Revisions, WikiPage } from './model.ts';
import { FOOTER, fileOfTitle, SIDEBAR } from './names.ts';
import { type PageFile, PageIndex } from './page-index.ts';

const NOTHING = new Uint8Array();

interface Dependencies {
  readonly wikis: Wikis;
  readonly git: Pick<GitStorage, 'refs' | 'history'>;
  readonly lastCommits: LastCommits;
}

/** Reads the pages of wikis, at the tips of their branches. */
export class WikiReader {
  readonly #use: Dependencies;
  /** by the ids of trees */
  readonly #indexes = createSizedCache<Oid, PageIndex>({
    sizeMax: WIKI_PAGE_LIMITS.pagesCachedMax,
    entrySizeMax: WIKI_PAGE_LIMITS.entriesMax + 1,
    sizeOf: ({ pages }) => pages.length + 1,
  });

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Opens the wiki of a repository for reading.
   *
   * @returns `open` is undefined for a wiki without a commit
   * @throws ForgeError as `Wikis.get`; `invalid` for a wiki with too many files
   */
  async open(
    viewer: Viewer,
    path: RepositoryPath,
  ): Promise<{ readonly repository: Repository; readonly open: OpenWiki | undefined }> {
    const { permitted, settings, id } = await this.#use.wikis.get(viewer, path, WIKI.read);
    const { repository } = permitted;
    if (id === null) return { repository, open: undefined };
    const snapshot = await this.#use.git.refs.open(id);
    const commit = tipOf(snapshot, settings);
    if (commit === undefined) return { repository, open: undefined };
    const { tree } = await snapshot.objects.readCommit(commit);
    const index = await this.indexOf(snapshot.objects, tree);
    return { repository, open: { repository, snapshot, commit, index } };
  }

  /** Returns the pages in a tree. @throws ForgeError `invalid` if it has too many entries */
  async indexOf(objects: ObjectReader, tree: Oid): Promise<PageIndex> {
    const known = this.#indexes.get(tree);
    if (known !== undefined) return known;
    const { rootBytesMax } = WIKI_PAGE_LIMITS;
    if (((await objects.info(tree))?.sizeBytes ?? 0) > rootBytesMax)
      throw invalid(
        `the names in the root of this wiki have more than ${rootBytesMax} bytes: use git to read it`,
      );
    const opened = await objects.openTree(tree);
    // Another request may have made it meanwhile, and making it takes long.
    const index = this.#indexes.get(tree) ?? new PageIndex(opened);
    this.#indexes.set(tree, index);
    return index;
  }

  /**
   * Finds a page by its address.
   *
   * @throws ForgeError as `open`; `not_found`
   */
  async find(viewer: Viewer, path: RepositoryPath, address: string): Promise<FoundPage> {
    const { open } = await this.open(viewer, path);
    const page = open?.index.find(address);
    if (open === undefined || page === undefined) throw notFound('wiki page');
    return { ...open, page };
  }

  /**
   * Opens the files of a wiki, also those that are no pages.
   *
   * @throws ForgeError as `open`; `not_found` for a wiki without a commit
   */
  async openFiles(viewer: Viewer, path: RepositoryPath): Promise<OpenWiki> {
    const { open } = await this.open(viewer, path);
    if (open === undefined) throw notFound('file');
    return open;
  }

  /** @throws ForgeError as `find`; `too_large`, `busy` */
  async read(viewer: Viewer, path: RepositoryPath, address: string): Promise<WikiPage> {
    const found = await this.find(viewer, path, address);
    const { snapshot, commit, page } = found;
    const [content, [listed], commitCount, asides] = await Promise.all([
      snapshot.objects.readBlob(page.blob, { blobBytesMax: WIKI_PAGE_LIMITS.pageReadBytesMax }),
      this.#describe(found, [page]),
      this.#use.git.history.countCommits(rangeOf(snapshot, commit, page)),
      this.asidesOf(found),
    ]);
    if (listed === undefined) throw notFound('wiki page');
    return { ...listed, content, commitCount, ...asides };
  }

  /** Reads the sidebar and the footer of a wiki. They are empty if there is none, or it is too large. */
  async asidesOf({ snapshot: { objects }, index }: OpenWiki): Promise<Asides> {
    const [sidebar, footer] = await Promise.all([
      readAside(objects, index, SIDEBAR),
      readAside(objects, index, FOOTER),
    ]);
    return { sidebar, footer };
  }

  /**
   * Lists the pages of a wiki, in the order of its tree.
   *
   * @throws ForgeError as `open`; `busy`
   */
  async list(viewer: Viewer, path: RepositoryPath, paging: Paging): Promise<Page<ListedPage>> {
    const { open } = await this.open(viewer, path);
    if (open === undefined) return { items: [], total: 0 };
    const { pages } = open.index;
    const offset = offsetOf(paging);
    const items = await this.#describe(open, pages.slice(offset, offset + paging.limit));
    return { items, total: pages.length };
  }

  /**
   * Lists the commits that changed the file of a page, newest first.
   *
   * @param page number, from 1
   * @throws ForgeError as `find`; `busy`
   */
  async revisions(viewer: Viewer, path: RepositoryPath, address: string, page: number): Promise<Revisions> {
    const found = await this.find(viewer, path, address);
    const { snapshot } = found;
    const range = rangeOf(snapshot, found.commit, found.page);
    const limit = WIKI_PAGE_LIMITS.revisionsPerPage;
    const { history } = this.#use.git;
    const [oids, total] = await Promise.all([
      history.listCommits(range, { limit, offset: offsetOf({ page, limit }) }),
      history.countCommits(range),
    ]);
    const commits = await Promise.all(oids.map((oid) => snapshot.objects.readCommit(oid)));
    return { commits, total };
  }

  /** Adds the last commit of each page, which are found together. */
  async #describe(
    { repository, snapshot, commit }: OpenWiki,
    pages: readonly PageFile[],
  ): Promise<readonly ListedPage[]> {
    if (pages.length === 0) return [];
    const names = pages.map(({ file }) => file);
    const last = await this.#use.lastCommits.find(snapshot, commit, '', names);
    const oids = new Set(names.map((name) => lastOf(last, name).oid));
    const read = await Promise.all([...oids].map((oid) => snapshot.objects.readCommit(oid)));
    const commits = new Map(read.map((each) => [each.oid, each]));
    return pages.flatMap(({ title, address, file }) => {
      const lastCommit = commits.get(lastOf(last, file).oid);
      return lastCommit === undefined ? [] : [{ repository, title, address, lastCommit }];
    });
  }
}

/**
 * Returns the newest commit of a wiki. If the branch of the settings does not exist yet, it is the one of the branch that
 * the wiki has instead.
 */
export function tipOf(snapshot: Snapshot, { branch }: Pick<WikiSettings, 'branch'>): Oid | undefined {
  return snapshot.ref(branchRef(branch)) ?? snapshot.ref(snapshot.head);
}

function rangeOf(snapshot: Snapshot, oid: Oid, { file }: PageFile) {
  return { head: { snapshot, oid }, without: [], path: file };
}

/** Reads a page that is shown beside all others. @returns nothing for a missing one, and for one that is too large */
async function readAside(objects: ObjectReader, index: PageIndex, title: string): Promise<Uint8Array> {
  const wanted = fileOfTitle(title);
  const page = index.pages.find(({ file }) => file === wanted);
  const info = page === undefined ? undefined : await objects.info(page.blob);
  const blobBytesMax = WIKI_PAGE_LIMITS.asideBytesMax;
  if (page === undefined || info === undefined || info.sizeBytes > blobBytesMax) return NOTHING;
  return objects.readBlob(page.blob, { blobBytesMax });
}
