import { isSignedIn, type Viewer } from '../../../../api/access/viewer.ts';
import { ForgeError } from '../../../../base/core/failure.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import {
  readableKinds,
  requireTracker,
  type TrackerKinds,
} from '../../../../hosting/repositories/tracker.ts';
import type { Addresses } from '../../../../http/app.ts';
import type { IssueReference, Keyword, NamedRepository, References } from '../../../references/model.ts';
import { referencesInIssue, referencesInMarkdown, referencesInMessage } from '../../../references/parse.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_LIMITS } from '../../limits.ts';

/** An issue that a text names. It may not exist. */
export interface IssueTarget {
  /** null: the repository that the text belongs to */
  readonly repositoryId: RepositoryId | null;
  /** the kinds that the writer may read in another repository; `all` if `repositoryId` is null */
  readonly kinds: TrackerKinds;
  readonly number: number;
  readonly keyword?: Keyword | undefined;
}

type Place = Pick<IssueTarget, 'repositoryId' | 'kinds'>;

/** What a text refers to, in repositories whose issues its writer may read. */
export interface ReadText {
  readonly mentions: readonly string[];
  readonly teams: References['teams'];
  readonly issues: readonly IssueTarget[];
}

export const NO_REFERENCES: ReadText = { mentions: [], teams: [], issues: [] };

interface Dependencies {
  readonly repositories: Repositories;
  readonly addresses: Addresses;
}

/** Finds what texts refer to. Call it before a transaction. */
export class TextReader {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Reads the title and the Markdown of an issue or a pull request; without those that do not change. Returns nothing for
   * a caller who is not signed in, because the request will be rejected.
   */
  async issue(
    writer: Viewer,
    { title = '', body = '' }: { readonly title?: string | undefined; readonly body?: string | undefined },
  ): Promise<ReadText> {
    if (!isSignedIn(writer)) return NO_REFERENCES;
    return this.#resolved(writer, await referencesInIssue({ title, body }, this.#use.addresses));
  }

  /** Reads the Markdown of a comment or a review. Returns nothing for a caller who is not signed in, as `issue`. */
  async markdown(writer: Viewer, text: string): Promise<ReadText> {
    if (!isSignedIn(writer)) return NO_REFERENCES;
    return this.#resolved(writer, await referencesInMarkdown(text, this.#use.addresses));
  }

  /** Reads the message of a commit. */
  message(pusher: Viewer, text: string): Promise<ReadText> {
    return this.#resolved(pusher, referencesInMessage(text, this.#use.addresses));
  }

  async #resolved(viewer: Viewer, { mentions, teams, issues }: References): Promise<ReadText> {
    const byPath = new Map<string, Place | undefined>();
    const targets: IssueTarget[] = [];
    for (const { repository, number, keyword } of issues) {
      const place = await this.#placeOf(viewer, repository, byPath);
      if (place !== undefined) targets.push({ ...place, number, keyword });
    }
    return { mentions, teams, issues: targets };
  }

  async #placeOf(
    viewer: Viewer,
    path: IssueReference['repository'],
    known: Map<string, Place | undefined>,
  ): Promise<Place | undefined> {
    if (path === undefined) return { repositoryId: null, kinds: 'all' };
    const key = `${path.owner}/${path.name}`.toLowerCase();
    if (!known.has(key)) {
      if (known.size >= ISSUE_LIMITS.repositoriesReferredToMax) return undefined;
      known.set(key, await this.#findReadable(viewer, path));
    }
    return known.get(key);
  }

  /**
   * Finds a repository whose issues or pull requests the viewer may read, that is not archived, and whose owner has not
   * blocked the viewer: a reference adds an entry there.
   */
  async #findReadable(viewer: Viewer, path: NamedRepository): Promise<Place | undefined> {
    try {
      const permitted = await this.#use.repositories.get(viewer, path, ISSUE.read);
      const { id, archivedAt } = requireTracker(viewer, permitted, ISSUE.read);
      const kinds = readableKinds(permitted, ISSUE.read);
      return archivedAt === null && !permitted.isBlocked ? { repositoryId: id, kinds } : undefined;
    } catch (error) {
      if (error instanceof ForgeError) return undefined;
      throw error;
    }
  }
}
