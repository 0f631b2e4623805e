import type { Oid } from '../../git/format/model.ts';
import type { ObjectReader } from '../../git/interface/snapshot.ts';
import { COMMIT_NOTE_LIMITS } from './limits.ts';

export interface NotePath {
  /** in the tree of the notes */
  readonly path: string;
  /** the blob with the note; undefined without one */
  readonly oid: Oid | undefined;
}

/**
 * Finds the note on an object. Its path is the id of the object, from which git splits pairs of digits as folders when
 * there are many notes. A new note goes into the deepest of these folders that exists.
 *
 * @see git-notes(1)
 */
export async function findNotePath(objects: ObjectReader, tree: Oid, object: Oid): Promise<NotePath> {
  let folder = '';
  let rest = object;
  let at = tree;
  for (;;) {
    const entries = await objects.readTree(at);
    const note = entries.find(({ name, mode }) => name === rest && mode !== '040000' && mode !== '160000');
    if (note !== undefined) return { path: `${folder}${rest}`, oid: note.oid };
    const pair = rest.slice(0, 2);
    const below = entries.find(({ name, mode }) => name === pair && mode === '040000');
    const isCrowded = entries.length >= COMMIT_NOTE_LIMITS.notesPerFolderMax && rest.length > 2;
    if (below === undefined) return { path: `${folder}${isCrowded ? split(rest) : rest}`, oid: undefined };
    folder += `${pair}/`;
    rest = rest.slice(2);
    at = below.oid;
  }
}

function split(hex: string): string {
  return `${hex.slice(0, 2)}/${hex.slice(2)}`;
}
