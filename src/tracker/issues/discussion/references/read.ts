import { isSignedIn, type Viewer } from '../../../../api/access/viewer.ts';
import { ForgeError } from '../../../../base/core/failure.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import type { Repositories } from '../../../../hosting/repositories/service.ts';
import { requireTracker } from '../../../../hosting/repositories/tracker.ts';
import type { Addresses } from '../../../../http/app.ts';
import type { IssueReference, Keyword, NamedRepository, References } from '../../../references/model.ts';
import { referencesInMarkdown, referencesInMessage } from '../../../references/parse.ts';
import { ISSUE } from '../../actions.ts';
import { ISSUE_LIMITS } from '../../limits.ts';

/** An issue that a text names. It may not exist. */
export interface IssueTarget {
  /** null: the repository that the text belongs to */
  readonly repositoryId: RepositoryId | null;
  readonly number: number;
  readonly keyword?: Keyword | undefined;
}

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
   * Reads the Markdown of an issue or of a comment. Returns nothing for a caller who is not signed in, because the
   * request will be rejected.
   */
  async markdown(writer: Viewer, text: string): Promise<ReadText> {
    if (!isSignedIn(writer)) return NO_REFERENCES;
    return this.#resolved(writer, await referencesInMarkdown(text, this.#use.addresses));
  }

  /** Reads the message of a commit. */
  message(pusher: Viewer, text: string): Promise<ReadText> {
    return this.#resolved(pusher, referencesInMessage(text, this.#use.addresses));
  }

  async #resolved(viewer: Viewer, { mentions, teams, issues }: References): Promise<ReadText> {
    const byPath = new Map<string, RepositoryId | undefined>();
    const targets: IssueTarget[] = [];
    for (const { repository, number, keyword } of issues) {
      const id = await this.#idOf(viewer, repository, byPath);
      if (id !== undefined) targets.push({ repositoryId: id, number, keyword });
    }
    return { mentions, teams, issues: targets };
  }

  async #idOf(
    viewer: Viewer,
    path: IssueReference['repository'],
    known: Map<string, RepositoryId | undefined>,
  ): Promise<RepositoryId | null | undefined> {
    if (path === undefined) return null;
    const key = `${path.owner}/${path.name}`.toLowerCase();
    if (!known.has(key)) {
      if (known.size >= ISSUE_LIMITS.repositoriesReferredToMax) return undefined;
      known.set(key, await this.#findReadable(viewer, path));
    }
    return known.get(key);
  }

  /** Returns the id of a repository if the viewer may read its issues and it is not archived. */
  async #findReadable(viewer: Viewer, path: NamedRepository): Promise<RepositoryId | undefined> {
    try {
      const permitted = await this.#use.repositories.get(viewer, path, ISSUE.read);
      const { id, archivedAt } = requireTracker(viewer, permitted, ISSUE.read);
      return archivedAt === null ? id : undefined;
    } catch (error) {
      if (error instanceof ForgeError) return undefined;
      throw error;
    }
  }
}
