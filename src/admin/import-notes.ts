import { BY_PASSWORD, viewerOf } from '../api/access/viewer.ts';
import { invalid, notFound } from '../base/core/failure.ts';
import type { OutboundClient } from '../base/outbound/client.ts';
import type { Credentials } from '../hosting/mirrors/model.ts';
import { forCaller } from '../hosting/mirrors/source.ts';
import type { ImportProgress, Remark } from '../notes/notebooks/import/model.ts';
import { NotesServer } from '../notes/notebooks/import/notes-server.ts';
import { openSource } from '../notes/notebooks/import/open.ts';
import type { NoteServerImport } from '../notes/notebooks/import/server-import.ts';
import type { NoteImport } from '../notes/notebooks/import/service.ts';
import type { Account } from '../people/accounts/model.ts';
import type { Accounts } from '../people/accounts/service.ts';
import { counted } from './counted.ts';
import { importAddressOf } from './import-address.ts';
import { ADMIN_LIMITS } from './limits.ts';

interface Tools {
  readonly accounts: Accounts;
  readonly noteImport: NoteImport;
  readonly print: (line: string) => void;
}

/**
 * Imports a folder, an archive or a file of notes into the notebook of a user, and reports what could not be taken.
 *
 * @returns whether everything was taken
 * @throws ForgeError `not_found`, `invalid`, and as `NoteImport.import`
 */
export async function importNotes(
  { accounts, noteImport, print }: Tools,
  { path, user, category = '' }: { path: string; user: string; category?: string },
): Promise<boolean> {
  const account = await userOf(accounts, user);
  const source = await openSource(path);
  try {
    const viewer = viewerOf(account, BY_PASSWORD);
    const onProgress = reporter(print);
    const progress = await noteImport.import(viewer, source, { category, onProgress });
    for (const line of reportOf(progress)) print(line);
    return progress.notTakenTotal === 0;
  } finally {
    await source.close();
  }
}

interface ServerTools {
  readonly accounts: Accounts;
  readonly outbound: OutboundClient;
  readonly noteServerImport: NoteServerImport;
  readonly print: (line: string) => void;
}

/**
 * Imports the notes of another server into the notebook of a user, and reports what could not be taken.
 *
 * @param from.url of the server, without credentials
 * @returns whether everything was taken
 * @throws ForgeError `not_found`, `invalid`, and as `NoteServerImport.import`
 */
export async function importNotesFrom(
  { accounts, outbound, noteServerImport, print }: ServerTools,
  { url: text, user, credentials }: { url: string; user: string; credentials: Credentials },
): Promise<boolean> {
  const account = await userOf(accounts, user);
  const url = importAddressOf(text);
  const { signal } = new AbortController();
  const server = new NotesServer(outbound, { url, credentials, signal });
  try {
    const viewer = viewerOf(account, BY_PASSWORD);
    const progress = await noteServerImport.import(viewer, server, reporter(print));
    for (const line of reportOf(progress)) print(line);
    return progress.notTakenTotal === 0;
  } catch (error) {
    throw forCaller(error);
  }
}

async function userOf(accounts: Accounts, user: string): Promise<Account> {
  const account = await accounts.findByName(user);
  if (account === undefined) throw notFound('account', { say: `there is no account ${user}` });
  if (account.kind !== 'user') throw invalid(`${account.name} is an organization, not a user`);
  return account;
}

/** Returns a function that prints the progress now and then. */
function reporter(print: (line: string) => void): (progress: ImportProgress) => void {
  let lastAt = performance.now();
  return ({ filesTotal, notes, changed, otherFiles, present, notTakenTotal, bytes }) => {
    if (performance.now() - lastAt < ADMIN_LIMITS.importReportMs) return;
    lastAt = performance.now();
    const done = counted(notes + changed + otherFiles + present + notTakenTotal, 'file');
    print(`${done}${filesTotal === null ? '' : ` of ${filesTotal}`}, ${mib(bytes)}`);
  };
}

function reportOf(progress: ImportProgress): readonly string[] {
  const { apps, notes, changed, copies, otherFiles, present, leftOut, creationTimes } = progress;
  const lines = [...apps].map((app) => `found notes of ${app}`);
  lines.push(`imported ${counted(notes, 'note')} and ${counted(otherFiles, 'other file')}`);
  if (changed > 0) lines.push(`changed ${counted(changed, 'note')} that were imported before`);
  if (copies > 0) lines.push(`new because they were changed here, too: ${counted(copies, 'note')}`);
  if (present > 0) lines.push(`there already: ${counted(present, 'file')}`);
  for (const [why, count] of leftOut)
    lines.push(`left out, because ${why}: ${counted(count, 'entry', 'entries')}`);
  if (creationTimes > 0) lines.push(`without its time of creation: ${counted(creationTimes, 'note')}`);
  const { incomplete, incompleteTotal, notTaken, notTakenTotal } = progress;
  lines.push(...remarkLines('taken in part', 'note', { remarks: incomplete, total: incompleteTotal }));
  return [...lines, ...remarkLines('not taken', 'file', { remarks: notTaken, total: notTakenTotal })];
}

function remarkLines(
  title: string,
  what: string,
  { remarks, total }: { remarks: readonly Remark[]; total: number },
): readonly string[] {
  if (total === 0) return [];
  const lines = remarks.map(({ name, why }) => `  ${name}: ${why}`);
  const rest = total - remarks.length;
  const more = rest === 0 ? [] : [`  and ${counted(rest, `more ${what}`)}`];
  return [`${title}: ${counted(total, what)}`, ...lines, ...more];
}

function mib(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
}
