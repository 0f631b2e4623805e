import type { Static } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import type { TreeMode } from '../../git/format/model.ts';
import type { FileContents } from '../contents/file-contents.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import { momentOf } from '../contents/options.ts';
import { KEY_LIMITS } from '../keys/limits.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import type { CreateCommitBody, CreateTreeBody, PersonSchema } from './schema.ts';
import type { NewCommitOptions, NewEntry, NewTree, StatedPerson } from './write.ts';

type SentEntry = Static<typeof CreateTreeBody>['tree'][number];

const TYPE_OF: Record<TreeMode, string> = {
  '100644': 'blob',
  '100755': 'blob',
  '120000': 'blob',
  '160000': 'commit',
  '040000': 'tree',
};
/** The forms of signatures that git writes. @see git-config(1), gpg.format */
const ARMOR = /^-----BEGIN (?:PGP SIGNATURE|PGP MESSAGE|SSH SIGNATURE|SIGNED MESSAGE)-----\r?\n/;

/** @throws ForgeError `invalid` */
export function newTreeOf(body: Static<typeof CreateTreeBody>, contents: FileContents): NewTree {
  const { base_tree: base, tree } = body;
  if (tree.length === 0) throw invalid('[Tree]: Required');
  if (tree.length > GIT_DATA_LIMITS.treeEntriesCreatedMax)
    throw invalid(`[Tree]: MaxSize(${GIT_DATA_LIMITS.treeEntriesCreatedMax})`);
  const written = new Set<string>();
  const entries = tree.map((sent) => {
    const entry = newEntryOf(sent, contents);
    if (entry.entry !== null && written.has(sent.path))
      throw invalid(`a path can be written once in a tree [path: ${sent.path}]`);
    if (entry.entry !== null) written.add(sent.path);
    return entry;
  });
  return { base: base === null || base === '' ? undefined : base, entries };
}

function newEntryOf(sent: SentEntry, contents: FileContents): NewEntry {
  const { path, mode, type, sha, content } = sent;
  const where = `[path: ${path}]`;
  if (sha === null && content === undefined) return { path, entry: null };
  if (mode === undefined) throw invalid(`an entry needs a mode ${where}`);
  if (type !== undefined && type !== TYPE_OF[mode])
    throw invalid(`type and mode do not fit together ${where}`);
  if (typeof sha === 'string' && content === undefined) return { path, entry: { mode, oid: sha } };
  if (content === undefined || sha !== undefined)
    throw invalid(`an entry has either sha or content ${where}`);
  if (mode === '040000' || mode === '160000') throw invalid(`only a file or symlink has content ${where}`);
  const sentContent = contents.at(content);
  if (!sentContent.isValid) throw invalid(`content is not valid Unicode ${where}`);
  return { path, entry: { mode, content: sentContent } };
}

/** @throws ForgeError `invalid`, `malformed` (a date) */
export function newCommitOf(body: Static<typeof CreateCommitBody>): NewCommitOptions {
  const { message, tree, parents = [], author, committer, signature = '' } = body;
  requireMessage(message);
  if (parents.length > GIT_DATA_LIMITS.parentsPerCommitMax)
    throw invalid(`[Parents]: MaxSize(${GIT_DATA_LIMITS.parentsPerCommitMax})`);
  return {
    message,
    tree,
    parents,
    author: author === undefined ? undefined : personOf(author),
    committer: committer === undefined ? undefined : personOf(committer),
    signature: signature === '' ? undefined : armored(signature),
  };
}

/** @throws ForgeError `invalid` */
export function requireMessage(message: string): void {
  if (message === '') throw invalid('[Message]: Required');
  if (message.length > CONTENTS_LIMITS.commitMessageCharsMax)
    throw invalid(`[Message]: MaxSize(${CONTENTS_LIMITS.commitMessageCharsMax})`);
  if (message.includes('\0')) throw invalid('[Message]: a message cannot hold a NUL');
  if (!message.isWellFormed()) throw invalid('[Message]: a message must be valid Unicode');
}

/** @throws ForgeError `malformed` (a date) */
export function personOf({ name, email, date }: Static<typeof PersonSchema>): StatedPerson {
  return { name, email, moment: momentOf(date) };
}

function armored(signature: string): string {
  if (signature.length > KEY_LIMITS.signatureCharsMax)
    throw invalid(`[Signature]: MaxSize(${KEY_LIMITS.signatureCharsMax})`);
  if (!ARMOR.test(signature)) throw invalid('[Signature]: not an armored OpenPGP, SSH or X.509 signature');
  return signature;
}
