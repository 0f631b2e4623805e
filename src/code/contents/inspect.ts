import type { Viewer } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import type { BlamedLines, FoundLines } from '../../git/interface/blame.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { CONTENTS } from './actions.ts';
import { CONTENTS_LIMITS } from './limits.ts';
import type { AddressedLocation, ContentsLocation } from './model.ts';
import type { ContentsReader } from './read.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly git: Pick<GitStorage, 'history'>;
  readonly reading: ContentsReader;
}

/** Finds out where lines of files are, and where they come from. */
export class ContentsInspector {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Finds the commits that brought the lines of a file.
   *
   * @throws ForgeError as `History.blame`
   */
  blame({ snapshot, commit, path }: ContentsLocation): Promise<readonly BlamedLines[]> {
    return this.#use.git.history.blame({ snapshot, oid: commit }, path);
  }

  /**
   * Finds the default branch of a repository, to search its files.
   *
   * @returns the location is undefined if the branch has no commit
   * @throws ForgeError as `Repositories.get`
   */
  async open(viewer: Viewer, path: RepositoryPath) {
    const permitted = await this.#use.repositories.get(viewer, path, CONTENTS.readRaw);
    return { permitted, location: await this.#use.reading.openDefaultBranch(permitted) };
  }

  /**
   * Searches the files at a location for lines with a text.
   *
   * @throws ForgeError `invalid` for a text that is not one short line; as `History.searchFiles`
   */
  async search({ snapshot, commit }: AddressedLocation, text: string): Promise<FoundLines> {
    const { searchCharsMin, searchCharsMax } = CONTENTS_LIMITS;
    if (text.length < searchCharsMin || text.length > searchCharsMax)
      throw invalid(`search for ${searchCharsMin} to ${searchCharsMax} characters`);
    if (/[\0\r\n]/.test(text)) throw invalid('search for a text within one line');
    return this.#use.git.history.searchFiles({ snapshot, oid: commit }, text);
  }
}
