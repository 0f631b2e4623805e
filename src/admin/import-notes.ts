import { BY_PASSWORD, viewerOf } from '../access/viewer.ts';
import type { Accounts } from '../accounts/service.ts';
import { invalid, notFound } from '../core/failure.ts';
import { LIMITS } from '../core/limits.ts';
import type { ImportProgress, ImportSource } from '../notes/import/model.ts';
import { openSource } from '../notes/import/open.ts';
import type { NoteImport } from '../notes/import/service.ts';
import { counted } from './counted.ts';

interface Tools {
  readonly accounts: Accounts;
  readonly noteImport: NoteImport;
  readonly print: (line: string) => void;
}

/**
 * Imports a folder or a zip archive of notes into the notebook of a user, and reports what could not be taken.
 *
 * @returns whether everything was taken
 * @throws ForgeError `not_found`, `invalid`, and as `NoteImport.import`
 */
export async function importNotes(
  { accounts, noteImport, print }: Tools,
  { path, user, category = '' }: { path: string; user: string; category?: string },
): Promise<boolean> {
  const account = await accounts.findByName(user);
  if (account === undefined) throw notFound(`there is no account ${user}`);
  if (account.kind !== 'user') throw invalid(`${account.name} is an organization, not a user`);
  const source = await openSource(path);
  try {
    const viewer = viewerOf(account, BY_PASSWORD);
    const onProgress = reporter(source, print);
    const progress = await noteImport.import(viewer, source, { category, onProgress });
    for (const line of reportOf(progress)) print(line);
    return progress.notTakenTotal === 0;
  } finally {
    await source.close();
  }
}

/** Returns a function that prints the progress now and then. */
function reporter(
  { filesTotal }: ImportSource,
  print: (line: string) => void,
): (progress: ImportProgress) => void {
  let lastAt = performance.now();
  return ({ notes, otherFiles, present, notTakenTotal, bytes }) => {
    if (performance.now() - lastAt < LIMITS.importReportMs) return;
    lastAt = performance.now();
    const done = counted(notes + otherFiles + present + notTakenTotal, 'file');
    print(`${done}${filesTotal === null ? '' : ` of ${filesTotal}`}, ${mib(bytes)}`);
  };
}

function reportOf(progress: ImportProgress): readonly string[] {
  const { notes, otherFiles, present, hidden, notTaken, notTakenTotal } = progress;
  const lines = [`imported ${counted(notes, 'note')} and ${counted(otherFiles, 'other file')}`];
  if (present > 0) lines.push(`there already: ${counted(present, 'file')}`);
  if (hidden > 0) lines.push(`left out, because hidden: ${counted(hidden, 'entry', 'entries')}`);
  if (notTakenTotal === 0) return lines;
  lines.push(`not taken: ${counted(notTakenTotal, 'file')}`);
  for (const { name, why } of notTaken) lines.push(`  ${printable(name)}: ${printable(why)}`);
  const rest = notTakenTotal - notTaken.length;
  return rest === 0 ? lines : [...lines, `  and ${counted(rest, 'more file')}`];
}

/** Replaces characters that would control the terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, '?');
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
