import type { SignedIn, Viewer } from '../../api/access/viewer.ts';
import { ForgeError, notFound } from '../../base/core/failure.ts';
import { isPlainLine } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { EventKind, FormerValues } from '../../base/events/model.ts';
import { insertEvent } from '../../base/events/store.ts';
import type { Oid } from '../../git/format/model.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import type { WriteSession } from '../../git/interface/writes.ts';
import { buildCommit, type CommitEdit, signatureAt } from '../../git/trees/commit-builder.ts';
import type { Repository, RepositoryPath } from '../../hosting/repositories/model.ts';
import { LOST_RACE, untilNoRaceIsLost } from '../../hosting/repositories/refs/lost-races.ts';
import type { Pushable } from '../../hosting/repositories/refs/push-rules.ts';
import type { BranchWriter, BuiltChange } from '../../hosting/repositories/refs/write-branch.ts';
import { WIKI } from '../../hosting/wikis/actions.ts';
import { pushableOf } from '../../hosting/wikis/authorize.ts';
import { WIKI_PAGE_CREATED, WIKI_PAGE_DELETED, WIKI_PAGE_EDITED } from '../../hosting/wikis/events.ts';
import type { PendingWiki, Wiki } from '../../hosting/wikis/model.ts';
import { WikiAppearedError, type Wikis } from '../../hosting/wikis/service.ts';
import type { Accounts } from '../../people/accounts/service.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';
import type { PageChange } from './model.ts';
import { addressOfTitle, fileOfTitle } from './names.ts';
import { badRequest } from './options.ts';
import { type PageFile, PageIndex } from './page-index.ts';
import { tipOf, type WikiReader } from './read.ts';

type PageEvent = typeof WIKI_PAGE_CREATED | typeof WIKI_PAGE_EDITED | typeof WIKI_PAGE_DELETED;

interface Dependencies {
  readonly wikis: Wikis;
  readonly wikiBranches: BranchWriter;
  readonly wikiReader: WikiReader;
  readonly accounts: Accounts;
}

/** What a change does to the files of a wiki; undefined: nothing has to change. */
interface PagePlan {
  readonly edits: readonly CommitEdit[];
  readonly message: string;
  readonly kind: PageEvent;
  readonly title: string;
  readonly address: string;
  /** of a page that gets another one */
  readonly titleBefore?: string;
}

/** A change of a wiki by a user. */
interface PageWrite {
  readonly viewer: SignedIn;
  readonly wiki: Wiki;
  /** of the wiki, or of the one that becomes it */
  readonly pushable: Pushable;
  /** for a wiki that the first commit makes */
  readonly publish?: PendingWiki['publish'];
}

/** Plans a change on the pages as they are in the attempt. */
type Planner<T> = (index: PageIndex, objects: Pick<ObjectReader, 'info'>) => Promise<Planned<T>>;

interface Planned<T> {
  readonly plan: PagePlan | undefined;
  readonly result: T;
}

const EMPTY = new PageIndex({ entries: [], size: 0 });
const NO_OBJECTS = { info: async () => undefined };

/** Changes the pages of wikis: each request is one commit. */
export class WikiWriter {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Creates a page, and the wiki with its first page.
   *
   * @returns the address of the page
   * @throws ForgeError as `Wikis.get` and `BranchWriter.write`; `bad_request` if a page has this title, or one that differs
   *   only in letter case
   */
  create(
    viewer: SignedIn,
    path: RepositoryPath,
    change: PageChange & { readonly title: string },
  ): Promise<string> {
    const { title, content = new Uint8Array(), message } = change;
    return this.#change(viewer, path, async (index) => {
      requireFree(index, title, undefined);
      if (index.entriesCount >= WIKI_PAGE_LIMITS.entriesMax)
        throw badRequest(`a wiki has at most ${WIKI_PAGE_LIMITS.entriesMax} pages`);
      const address = addressOfTitle(title);
      const edits = [{ kind: 'put', path: fileOfTitle(title), mode: '100644', content }] as const;
      const plan = { edits, message: message || `Add "${title}"`, kind: WIKI_PAGE_CREATED, title, address };
      return { plan, result: address };
    });
  }

  /**
   * Changes the content of a page, its title, or both in one commit. A change that changes nothing makes no commit.
   *
   * @returns the address of the page afterwards
   * @throws ForgeError as `create`; `not_found`; `too_large` if the page keeps a content that the API cannot return
   */
  edit(viewer: SignedIn, path: RepositoryPath, address: string, change: PageChange): Promise<string> {
    return this.#change(viewer, path, async (index, objects) => {
      const page = requirePage(index, address);
      const { title = page.title, content, message } = change;
      // The answer has the content, so a page whose content cannot be returned is not changed first.
      if (content === undefined) await requireReadable(objects, page);
      const isRenamed = title !== page.title;
      if (isRenamed) requireFree(index, title, page.file);
      const file = isRenamed ? fileOfTitle(title) : page.file;
      const after = isRenamed ? addressOfTitle(title) : page.address;
      const mode = '100644';
      const edits: CommitEdit[] = [];
      if (file !== page.file) edits.push({ kind: 'remove', path: page.file });
      if (content !== undefined) edits.push({ kind: 'put', path: file, mode, content });
      else if (file !== page.file) edits.push({ kind: 'put', path: file, mode, oid: page.blob });
      const about = { title, address: after, ...(isRenamed ? { titleBefore: page.title } : {}) };
      const plan = { edits, message: message || `Update "${title}"`, kind: WIKI_PAGE_EDITED, ...about };
      return { plan: edits.length === 0 ? undefined : plan, result: after };
    });
  }

  /** @throws ForgeError as `Wikis.get` and `BranchWriter.write`; `not_found` */
  async delete(viewer: SignedIn, path: RepositoryPath, address: string): Promise<void> {
    await this.#change(viewer, path, async (index) => {
      const page = requirePage(index, address);
      const edits = [{ kind: 'remove', path: page.file }] as const;
      // A name that git has pushed may stand for a title that no message can have.
      const name = isPlainLine(page.title) ? page.title : page.file;
      const message = `Delete page "${name}"`;
      return { plan: { edits, message, kind: WIKI_PAGE_DELETED, ...page }, result: undefined };
    });
  }

  /**
   * Looks up the wiki that a request changes, before its body is read.
   *
   * @throws ForgeError as `Wikis.get`; `archived`, `forbidden` (a mirror)
   */
  async find(viewer: Viewer, path: RepositoryPath): Promise<Wiki> {
    const found = await this.#use.wikis.get(viewer, path, WIKI.beginEdit);
    this.#use.wikis.requireOpen(found.permitted.repository);
    return found;
  }

  /** Makes a change on the newest version of a wiki. Starts again if another request makes the wiki first. */
  #change<T>(viewer: SignedIn, path: RepositoryPath, planner: Planner<T>): Promise<T> {
    return untilNoRaceIsLost('this wiki keeps changing: try again', async () => {
      const wiki = await this.find(viewer, path);
      const { repository } = wiki.permitted;
      if (wiki.id !== null)
        return this.#write({ viewer, wiki, pushable: pushableOf(repository, wiki.id) }, planner);
      // A page that would not be made needs no wiki.
      await planner(EMPTY, NO_OBJECTS);
      await using pending = await this.#use.wikis.begin(repository);
      const { pushable, publish } = pending;
      return await this.#write({ viewer, wiki, pushable, publish }, planner).catch(asLostRace);
    });
  }

  /** Writes one commit. If another writer was faster, plans it again. */
  async #write<T>({ viewer, wiki, pushable, publish }: PageWrite, planner: Planner<T>): Promise<T> {
    const { accounts, wikiBranches } = this.#use;
    const person = await accounts.commitPerson(viewer.accountId);
    return wikiBranches.write<T>({
      repository: pushable,
      branch: wiki.settings.branch,
      pusher: viewer,
      origin: { kind: 'api' },
      build: async (session) => {
        const parent = tipOf(session.base, wiki.settings) ?? null;
        const { plan, result } = await planner(await this.#indexAt(session, parent), session.objects);
        if (plan === undefined) return { commit: null, result };
        const at = signatureAt(person, currentTimeMs());
        const commit = await buildCommit(session, {
          parents: parent === null ? [] : [parent],
          edits: plan.edits,
          author: at,
          committer: at,
          message: `${plan.message}\n`,
        });
        return {
          ...builtOf(viewer, wiki.permitted.repository, plan, commit.oid),
          result,
          ...(publish === undefined ? {} : { alsoInTransaction: publish }),
        };
      },
    });
  }

  async #indexAt(session: WriteSession, parent: Oid | null): Promise<PageIndex> {
    if (parent === null) return EMPTY;
    const { tree } = await session.objects.readCommit(parent);
    return this.#use.wikiReader.indexOf(session.objects, tree);
  }
}

function asLostRace(error: unknown): typeof LOST_RACE {
  if (error instanceof WikiAppearedError) return LOST_RACE;
  throw error;
}

function builtOf(
  viewer: SignedIn,
  { id }: Repository,
  { kind, title, address, message, titleBefore }: PagePlan,
  commit: Oid,
): Pick<BuiltChange<unknown>, 'commit' | 'afterRules'> {
  const former: { former?: FormerValues } =
    titleBefore === undefined ? {} : { former: { page: titleBefore } };
  return {
    commit,
    afterRules: (tx) =>
      insertEvent(tx, kind as EventKind<NonNullable<PageEvent['payload']>>, {
        actorId: viewer.accountId,
        repositoryId: id,
        payload: { page: title, address, comment: message, commit },
        ...former,
      }),
  };
}

/** @throws ForgeError `not_found` */
function requirePage(index: PageIndex, address: string): PageFile {
  const page = index.find(address);
  if (page === undefined) throw notFound('wiki page');
  return page;
}

/** @throws ForgeError `too_large` */
async function requireReadable(objects: Pick<ObjectReader, 'info'>, { blob }: PageFile): Promise<void> {
  const { pageReadBytesMax } = WIKI_PAGE_LIMITS;
  if (((await objects.info(blob))?.sizeBytes ?? 0) <= pageReadBytesMax) return;
  const what = `this page has more than ${pageReadBytesMax} bytes: use git to change it`;
  throw new ForgeError({ kind: 'too_large', what });
}

/** @throws ForgeError `bad_request` */
function requireFree(index: PageIndex, title: string, except: string | undefined): void {
  const page = index.findSimilar(title, { except });
  if (page !== undefined) throw badRequest(`a wiki page with this title exists already: ${page.title}`);
}
