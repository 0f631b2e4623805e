import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Skipped } from '../model.ts';
import { type Answer, basicAuthorization, type Forge } from './forge.ts';
import { runGit } from './git.ts';
import { notebookStream } from './history.ts';

export const NOTES_PATH = '/index.php/apps/notes/api/v1/notes';
/** The default repository for notes. */
const REPOSITORY = 'Notes';
const INDEXED_WITHIN_MS = 120_000;
const ASK_AGAIN_MS = 50;

export interface Note {
  readonly id: number;
  readonly title: string;
  readonly content: string;
}

/** The notes of the account, all from one push. */
export interface Notebook {
  readonly headers: Readonly<Record<string, string>>;
  readonly notes: readonly Note[];
  /** from the end of the push to the first complete list */
  readonly firstListMs: number;
}

/**
 * Fills the account's notebook.
 *
 * @throws Skipped if the server has no notes API, or the account has notes already
 */
export async function fillNotebook(
  forge: Forge,
  folder: string,
  count: number,
  bytesEach?: number,
): Promise<Notebook> {
  const headers = { authorization: basicAuthorization(forge.login, forge.password ?? forge.token) };
  const before = await forge.ask('GET', NOTES_PATH, { headers });
  if (before.status !== 200) throw new Skipped(`GET ${NOTES_PATH} returns ${before.status}`);
  if (notesOf(before).length > 0) throw new Skipped('the account already has notes');
  await pushNotes(forge, folder, notebookStream(count, bytesEach));
  const pushedAt = performance.now();
  const notes = await wholeList(forge, headers, count);
  return { headers, notes, firstListMs: performance.now() - pushedAt };
}

async function pushNotes(forge: Forge, folder: string, notes: Iterable<string>): Promise<void> {
  const { status, body } = await forge.ask('GET', forge.repositoryPath(REPOSITORY));
  if (status !== 200) throw new Skipped(`there is no repository ${REPOSITORY} to push notes to`);
  const { default_branch: branch } = JSON.parse(body.toString()) as { default_branch: string };
  const bare = join(folder, 'from-notes');
  await runGit(['init', '-q', '--bare', '-b', 'main', bare]);
  await runGit(['-C', bare, 'fast-import', '--quiet'], notes);
  await runGit(['-C', bare, 'push', '--quiet', '--force', forge.remoteOf(REPOSITORY), `main:${branch}`]);
}

/** While the server reads a notebook, it responds with 503. */
async function wholeList(
  forge: Forge,
  headers: Readonly<Record<string, string>>,
  count: number,
): Promise<readonly Note[]> {
  const giveUpAt = performance.now() + INDEXED_WITHIN_MS;
  for (;;) {
    const answer = await forge.ask('GET', NOTES_PATH, { headers });
    if (answer.status === 200) {
      const notes = notesOf(answer);
      if (notes.length !== count) throw new Error(`the list has ${notes.length} notes instead of ${count}`);
      return notes;
    }
    if (answer.status !== 503 || performance.now() > giveUpAt) {
      throw new Error(`GET ${NOTES_PATH} returns ${answer.status} ${answer.body.subarray(0, 200)}`);
    }
    await sleep(ASK_AGAIN_MS);
  }
}

export function notesOf({ body }: Answer): readonly Note[] {
  return JSON.parse(body.toString()) as Note[];
}
