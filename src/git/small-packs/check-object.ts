import type { GitObject, ObjectFormat, ObjectType, Oid, TreeEntry } from '../format/model.ts';
import { isObjectType, isOid } from '../format/object-format.ts';
import { parseTree } from '../format/stored-tree.ts';
import { encodeTree } from '../format/tree-format.ts';
import { newPathProblem } from '../format/tree-paths.ts';

/** Another object that an object names, with the type that it must have. */
export interface Link {
  readonly oid: Oid;
  readonly type: ObjectType;
}

/** What a well-formed object names. */
export interface CheckedObject {
  readonly links: readonly Link[];
  /** of a tree */
  readonly entries: readonly TreeEntry[];
}

/**
 * Checks an object more strictly than `git index-pack --strict` does.
 *
 * @returns undefined for every object that git rejects, and for some that it accepts: it decides about these
 * @throws MalformedObjectError, ForgeError `invalid` for some of these
 * @see git-fsck(1), FSCK MESSAGES
 */
export function checkObject(format: ObjectFormat, object: GitObject): CheckedObject | undefined {
  if (object.type === 'blob') return { links: [], entries: [] };
  if (object.type === 'tree') return checkTree(format, object.content);
  const text = Buffer.from(object.content).toString('latin1');
  return object.type === 'commit' ? checkCommit(format, text) : checkTag(format, text);
}

/** Without control characters, which make no difference to git but are rare. */
const PERSON = '[^\\0-\\x1f<>]+ <[^\\0-\\x1f<>]*> (?:0|[1-9][0-9]{0,10}) [+-][0-9]{4}\\n';
/** Fields after the committer, such as a signature. A line that begins with a space continues one. */
const FIELD = '(?!tree|parent|author|committer)[A-Za-z][A-Za-z0-9-]* [^\\0\\n]*\\n(?: [^\\0\\n]*\\n)*';
const MESSAGE = '\\n[^\\0]*';
const COMMIT = new RegExp(
  `^tree ([0-9a-f]+)\\n((?:parent [0-9a-f]+\\n)*)author ${PERSON}committer ${PERSON}(?:${FIELD})*${MESSAGE}$`,
);
const TAG = new RegExp(
  `^object ([0-9a-f]+)\\ntype ([a-z]+)\\ntag [^\\0-\\x1f]+\\ntagger ${PERSON}${MESSAGE}$`,
);
const PARENT_BYTES = 'parent \n'.length;

function checkCommit(format: ObjectFormat, text: string): CheckedObject | undefined {
  const [, tree = '', parentLines = ''] = COMMIT.exec(text) ?? [];
  const parents = [...parentLines.matchAll(/[0-9a-f]{40,}/g)].map(([oid]) => oid);
  if (![tree, ...parents].every((oid) => isOid(format, oid))) return undefined;
  if (parentLines.length !== parents.length * (tree.length + PARENT_BYTES)) return undefined;
  const links = parents.map((oid): Link => ({ oid, type: 'commit' }));
  return { links: [{ oid: tree, type: 'tree' }, ...links], entries: [] };
}

function checkTag(format: ObjectFormat, text: string): CheckedObject | undefined {
  const [, oid = '', type = ''] = TAG.exec(text) ?? [];
  if (!isOid(format, oid) || !isObjectType(type)) return undefined;
  return { links: [{ oid, type }], entries: [] };
}

/** @throws MalformedObjectError; ForgeError `invalid` */
function checkTree(format: ObjectFormat, content: Uint8Array): CheckedObject | undefined {
  const entries = parseTree(format, content);
  if (entries.some(isOdd)) return undefined;
  // Finds duplicate names, another order, and modes that are written otherwise.
  if (!encodeTree(format, entries).equals(content)) return undefined;
  return { links: entries.flatMap(linkOf), entries };
}

function isOdd({ name, oid }: TreeEntry): boolean {
  return newPathProblem(name) !== undefined || /^0+$/.test(oid);
}

/** Nothing has to be known about the commit of a submodule: it belongs to another repository. */
export function linkOf({ mode, oid }: TreeEntry): readonly Link[] {
  if (mode === '160000') return [];
  return [{ oid, type: mode === '040000' ? 'tree' : 'blob' }];
}
