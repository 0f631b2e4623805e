import type { Oid, TreeEntry } from '../../git/format/model.ts';
import type { StoredTree } from '../../git/format/stored-tree.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { ISSUE_TEMPLATE_LIMITS } from './limits.ts';

/** Folders that have templates; '' for the root of the repository. */
export const PLACES = ['', '.forgejo', '.gitea', '.github', '.gitlab', 'docs'];
const FOLDERS = ['ISSUE_TEMPLATE', 'issue_template'];

export interface TemplateFile {
  /** from the root of the repository */
  readonly path: string;
  readonly name: string;
  readonly oid: Oid;
}

/** Lists the files in all folders of templates, in the order of the folders. No link is followed. */
export async function listTemplateFiles(objects: ObjectReader, root: Oid): Promise<readonly TemplateFile[]> {
  const files: TemplateFile[] = [];
  const top = await objects.openTree(root);
  for (const place of PLACES) {
    const parent = place === '' ? top : await folderIn(objects, top, place);
    for (const folder of FOLDERS) {
      const within = place === '' ? folder : `${place}/${folder}`;
      const tree = await folderIn(objects, parent, folder);
      for (const entry of tree?.entries ?? []) {
        if (isFile(entry)) files.push({ path: `${within}/${entry.name}`, name: entry.name, oid: entry.oid });
      }
    }
  }
  return files;
}

async function folderIn(
  objects: ObjectReader,
  parent: StoredTree | undefined,
  name: string,
): Promise<StoredTree | undefined> {
  const found = parent?.find(name);
  return found?.mode === '040000' ? objects.openTree(found.oid) : undefined;
}

function isFile({ mode }: TreeEntry): boolean {
  return mode === '100644' || mode === '100755';
}

export function isTemplate({ name }: TemplateFile): boolean {
  return /\.(?:md|ya?ml)$/.test(name) && !name.startsWith('config.');
}

/** Returns the file that configures new issues: the first one. */
export function configAmong(files: readonly TemplateFile[]): TemplateFile | undefined {
  return files.find(({ name }) => name === 'config.yaml' || name === 'config.yml');
}

/** Reads a file; undefined if it is too large. */
export async function readText(objects: ObjectReader, { oid }: TemplateFile): Promise<string | undefined> {
  const { sizeBytes = 0 } = (await objects.info(oid)) ?? {};
  if (sizeBytes > ISSUE_TEMPLATE_LIMITS.issueTemplateBytesMax) return undefined;
  const bytes = await objects.readBlob(oid, { blobBytesMax: ISSUE_TEMPLATE_LIMITS.issueTemplateBytesMax });
  return Buffer.from(bytes).toString('utf8');
}
