import type { Viewer } from '../../api/access/viewer.ts';
import { splitFrontMatter } from '../../base/core/text/yaml.ts';
import type { ContentsReader } from '../../code/contents/read.ts';
import type { StoredTree } from '../../git/format/stored-tree.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { ISSUE_TEMPLATE } from './actions.ts';
import { PLACES, readText } from './files.ts';

/** The case of the name does not matter, as in the reference. */
const NAME = 'pull_request_template.md';

/** The template of the text of a new pull request, from a file of the default branch. */
export class PullTemplates {
  readonly #reading: ContentsReader;

  constructor({ reading }: { reading: ContentsReader }) {
    this.#reading = reading;
  }

  /**
   * Reads the text that a new pull request begins with.
   *
   * @returns '' if there is no template
   * @throws ForgeError as `ContentsReader.locate`
   */
  async read(viewer: Viewer, repository: RepositoryPath): Promise<string> {
    const location = await this.#reading.locate(viewer, repository, '', undefined, ISSUE_TEMPLATE.read);
    if (location === undefined) return '';
    const { objects } = location.snapshot;
    const { tree } = await objects.readCommit(location.commit);
    return (await readTemplate(objects, await objects.openTree(tree))) ?? '';
  }
}

async function readTemplate(objects: ObjectReader, top: StoredTree): Promise<string | undefined> {
  for (const place of PLACES) {
    const folder = place === '' ? undefined : top.find(place);
    if (place !== '' && folder?.mode !== '040000') continue;
    const tree = folder === undefined ? top : await objects.openTree(folder.oid);
    const files = tree.entries.filter(({ mode }) => mode === '100644' || mode === '100755');
    const file = files.find(({ name }) => name.toLowerCase() === NAME);
    if (file === undefined) continue;
    const text = (await readText(objects, { ...file, path: file.name })) ?? '';
    return splitFrontMatter(text)?.content ?? text;
  }
  return undefined;
}
