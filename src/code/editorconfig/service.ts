import type { Viewer } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { textOfPath } from '../../git/format/name-bytes.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { readFileAt } from '../../git/trees/read-file.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { ContentsLocation } from '../contents/model.ts';
import type { ContentsReader } from '../contents/read.ts';
import { EDITORCONFIG } from './actions.ts';
import { definitionOf, type EditorConfigDefinition } from './definition.ts';
import { EDITORCONFIG_LIMITS } from './limits.ts';

const FILE = '.editorconfig';

/** Definitions of the `.editorconfig` in the root of a repository. */
export class EditorConfigs {
  readonly #reading: ContentsReader;

  constructor({ reading }: { reading: ContentsReader }) {
    this.#reading = reading;
  }

  /**
   * Authorizes the request and resolves its ref.
   *
   * @param filePath of a file that need not exist
   * @throws ForgeError as `ContentsReader.locate`
   */
  async locate(
    viewer: Viewer,
    repository: RepositoryPath,
    asked: { filePath: string; ref: string | undefined },
  ): Promise<ContentsLocation> {
    const { filePath, ref } = asked;
    const location = await this.#reading.locate(viewer, repository, filePath, ref, EDITORCONFIG.read);
    if (location === undefined) throw notFound('ref');
    return location;
  }

  /** @throws ForgeError `not_found` if there is no usable file, or no section of it matches; `invalid` */
  async read({ snapshot, commit, path: asked }: ContentsLocation): Promise<EditorConfigDefinition> {
    const path = textOfPath(asked);
    if (path === '' || path.length > GIT_LIMITS.treePathBytesMax) throw notFound('path');
    const { objects } = snapshot;
    const { tree } = await objects.readCommit(commit);
    const content = await readFileAt(objects, tree, FILE, EDITORCONFIG_LIMITS.editorConfigBytesMax);
    if (content === undefined) throw notFound('file');
    const definition = await definitionOf(content.toString('utf8'), path);
    if (definition === undefined) throw notFound('definition');
    return definition;
  }
}
