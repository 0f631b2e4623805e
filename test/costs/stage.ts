import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Forge, startForge as start } from '../../testing/index.ts';
import { afterTest } from '../support/after-test.ts';
import { Person, startForge, TestForge } from '../support/forge/forge.ts';
import { git, temporaryFolder, workingCopy } from '../support/git/git.ts';
import { endJobs } from '../support/git/started-processes.ts';

const REPOSITORIES = 60;
const FOLDERS = 20;
const COMMITS = 10;
const ISSUES = 30;
const NOTES = 20;

/** With fixed times, objects that git makes are always the same. */
const TIME = '2024-05-01T12:00:00Z';
const AT_FIXED_TIME = { environment: { GIT_AUTHOR_DATE: TIME, GIT_COMMITTER_DATE: TIME } };

/** A forge with data of every kind, which starts again before each row of the table. */
export class Stage {
  readonly forge: TestForge;
  readonly ada: Person;
  /** working copy of `ada/engine` */
  readonly source: string;
  readonly #t: TestContext;

  constructor(t: TestContext, { forge, ada, source }: Pick<Stage, 'forge' | 'ada' | 'source'>) {
    this.#t = t;
    this.forge = forge;
    this.ada = ada;
    this.source = source;
  }

  folder(): Promise<string> {
    return temporaryFolder(this.#t);
  }

  /** Waits for work that goes on after the response. */
  async waitForWrites(): Promise<void> {
    const { authentication, archives } = this.forge.forge.running.services;
    await authentication.waitForWrites();
    await archives.idle();
  }
}

/** Commits what the folder has. */
export async function commit(folder: string, message: string): Promise<void> {
  await git(folder, ['add', '-A'], AT_FIXED_TIME);
  await git(folder, ['commit', '-q', '-m', message], AT_FIXED_TIME);
}

async function writeSource(source: string): Promise<void> {
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    await mkdir(join(source, `folder-${folder}`));
    await writeFile(join(source, `folder-${folder}`, 'file.txt'), `file ${folder}\n`);
  }
  await writeFile(join(source, '10kb.txt'), 'ten bytes\n'.repeat(1024));
  await writeFile(join(source, '100kb.txt'), 'ten bytes\n'.repeat(10 * 1024));
  await writeFile(join(source, '2mb.txt'), 'ten bytes\n'.repeat(200 * 1024));
  for (let number = 1; number <= COMMITS; number += 1) {
    await writeFile(join(source, 'README.md'), `version ${number}\n`);
    await commit(source, `Change ${number}`);
  }
  await git(source, ['branch', 'topic', 'HEAD~3']);
  await git(source, ['tag', 'v1', 'HEAD~2']);
}

async function fill(forge: TestForge, ada: Person, source: string): Promise<void> {
  for (let number = 0; number < REPOSITORIES; number += 1) await ada.repository(`repository-${number}`);
  await ada.repository('engine');
  await ada.repository('target', { auto_init: true });
  await ada.repository('large', { auto_init: true });
  await writeSource(source);
  await git(source, ['remote', 'add', 'origin', ada.remote('ada/engine')]);
  await git(source, ['push', '-q', 'origin', '--all']);
  await git(source, ['push', '-q', 'origin', '--tags']);
  for (let number = 1; number <= ISSUES; number += 1)
    await ada.post('/api/v1/repos/ada/engine/issues', { title: `Issue ${number}`, body: `text ${number}` });
  for (let number = 1; number <= 5; number += 1)
    await ada.post('/api/v1/repos/ada/engine/issues/1/comments', { body: `Comment ${number}` });
  await ada.post('/api/v1/orgs', { username: 'guild' });
  await ada.post('/api/v1/orgs/guild/repos', { name: 'shared' });
  const notes = '/index.php/apps/notes/api/v1/notes';
  const as = { name: ada.name, password: ada.password };
  for (let number = 1; number <= NOTES; number += 1)
    await forge.send('POST', notes, { as, json: { title: `Note ${number}`, content: `text ${number}` } });
}

/** Deletes work that waits: the next start would do it, at any time, and it fills caches. */
async function stopWithoutJobs({ running, stop }: Forge): Promise<void> {
  await running.followers.catchUp();
  await running.engines.database.transaction((tx) => tx.deleteFrom('jobs').execute());
  await stop();
}

/** Returns a function that starts the forge again, so that its caches are empty. No job runs then. */
export async function prepareStage(t: TestContext): Promise<() => Promise<Stage>> {
  const dataFolder = await temporaryFolder(t);
  const first = await startForge(t, { dataFolder });
  const ada = await first.account('ada');
  const source = await workingCopy(t);
  await fill(first, ada, source);
  await endJobs(first);
  await first.forge.running.followers.catchUp();
  await first.forge.stop();
  const [, , , databaseUrl] = first.flags;
  let running: Forge | undefined;
  afterTest(t, () => running?.stop());
  return async () => {
    if (running !== undefined) await stopWithoutJobs(running);
    running = await start({ dataFolder, ...(databaseUrl === undefined ? {} : { databaseUrl }) });
    await running.running.services.jobs.stop();
    // They read what pushes have brought, at any time.
    await running.running.followers.stop();
    const forge = new TestForge(running, databaseUrl);
    const remote = new Person(forge, ada).remote('ada/engine');
    await git(source, ['remote', 'set-url', 'origin', remote]);
    return new Stage(t, { forge, ada: new Person(forge, ada), source });
  };
}
