import assert from 'node:assert/strict';
import { mkdir, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import { importNotes } from '../../../src/admin/import-notes.ts';
import { printable } from '../../../src/base/core/text/text.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import { NotesApp } from '../../support/forge/notes.ts';
import { temporaryFolder } from '../../support/git/git.ts';
import { type ZipEntry, zipOf } from './zip.ts';

export interface Importing {
  readonly t: TestContext;
  readonly forge: TestForge;
  readonly ada: Person;
  readonly app: NotesApp;
  /** Imports into ada's notebook. @returns whether all was taken, and the report */
  import_(path: string, category?: string): Promise<string>;
}

/** Modification time of the files of `folderWith`, in seconds. */
export const TIME = 1_500_000_000;

/** Collects what a command prints, except its progress: whether that is printed depends on the speed of the machine. */
export function printTo(lines: string[]): (line: string) => void {
  return (line) => {
    const [, done, of] = /^(\d+) files?(?: of (\d+))?, [\d.]+ MiB$/.exec(line) ?? [];
    if (done === undefined) lines.push(printable(line));
    else assert.ok(of === undefined || Number(done) <= Number(of), line);
  };
}

/** Runs each rule with a user of its own; all of them share a server. */
export async function checkRules(
  t: TestContext,
  forge: TestForge,
  rules: readonly (readonly [name: string, check: (given: Importing) => Promise<void>])[],
): Promise<void> {
  for (const [index, [name, check]] of rules.entries()) {
    const ada = await forge.account(`ada${index}`);
    const lines: string[] = [];
    const tools = {
      ...forge.forge.running.services,
      print: printTo(lines),
    };
    const import_ = async (path: string, category = '') => {
      lines.length = 0;
      const isAll = await importNotes(tools, { path, user: ada.name, category });
      return [isAll, ...lines].join('\n');
    };
    await t.test(name, (each) => check({ t: each, forge, ada, app: new NotesApp(forge, ada), import_ }));
  }
}

export async function folderWith(
  t: TestContext,
  files: Readonly<Record<string, string | Buffer>>,
): Promise<string> {
  const folder = await temporaryFolder(t);
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), content);
    await utimes(join(folder, name), TIME, TIME);
  }
  return folder;
}

export async function archiveOf(t: TestContext, name: string, entries: readonly ZipEntry[]): Promise<string> {
  const path = join(await temporaryFolder(t), name);
  await writeFile(path, zipOf(entries));
  return path;
}
