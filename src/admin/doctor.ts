import type { Jobs } from '../base/jobs/service.ts';
import type { GitStorage } from '../git/interface/storage.ts';
import type { Repositories } from '../hosting/repositories/service.ts';
import type { ObjectStorage } from '../storage/model.ts';
import { objectStoreProblems } from './check-objects.ts';
import { counted } from './counted.ts';
import { repositoryByPath } from './repository-by-path.ts';

interface Doctor {
  readonly git: Pick<GitStorage, 'refs' | 'upkeep'>;
  readonly jobs: Jobs;
  readonly objects: ObjectStorage;
  readonly repositories: Repositories;
  readonly print: (line: string) => void;
  /** `owner/name` of a repository whose hand-made ref changes to import first; null for none */
  readonly importRefs: string | null;
  /** whether to retry failed jobs instead of listing them */
  readonly retryJobs: boolean;
}

/**
 * Checks that the rows, the mirror on disk and the objects of every repository agree, and that git finds no fault in
 * them, and that the object store works. Lists failed jobs.
 *
 * @returns whether there is no problem
 */
export async function runDoctor(doctor: Doctor): Promise<boolean> {
  if (doctor.importRefs !== null) await importRefs(doctor, doctor.importRefs);
  if (doctor.retryJobs) doctor.print(`${counted(await doctor.jobs.retryFailed(), 'job')} will run again`);
  const failedJobs = doctor.retryJobs ? 0 : await countFailedJobs(doctor);
  const problems = (await countProblems(doctor)) + (await countObjectStoreProblems(doctor)) + failedJobs;
  doctor.print(problems === 0 ? 'everything agrees' : `${counted(problems, 'problem')} found`);
  return problems === 0;
}

async function countProblems({ git, repositories, print }: Doctor): Promise<number> {
  const ids = await repositories.listIds();
  const wikis = new Set(await repositories.listWikiIds());
  const known = new Set([...ids, ...wikis]);
  const stored = new Set(await git.refs.list());
  let problems = 0;
  const report = (line: string) => {
    problems += 1;
    print(line);
  };
  for (const id of stored) {
    if (!known.has(id)) report(`repository ${id}: git data without a repository`);
  }
  for (const id of known) {
    const name = `${wikis.has(id) ? 'wiki' : 'repository'} ${id}`;
    if (!stored.has(id)) {
      report(`${name}: no git data`);
      continue;
    }
    for (const problem of (await git.upkeep.verify(id)).problems) report(`${name}: ${problem}`);
  }
  const alsoWikis = wikis.size === 0 ? '' : ` and ${counted(wikis.size, 'wiki')}`;
  print(`checked ${counted(ids.length, 'repository', 'repositories')}${alsoWikis}`);
  return problems;
}

async function countObjectStoreProblems({ objects, print }: Doctor): Promise<number> {
  const problems = await objectStoreProblems(objects);
  for (const problem of problems) print(problem);
  return problems.length;
}

async function countFailedJobs({ jobs, print }: Doctor): Promise<number> {
  const failed = await jobs.listFailed();
  for (const { kind, key, lastError, failedAt } of failed) {
    const at = new Date(failedAt).toISOString();
    print(
      `job ${kind} ${key}: failed at ${at} after the last attempt (--retry-jobs runs it again): ${lastError}`,
    );
  }
  return failed.length;
}

async function importRefs({ git, repositories, print }: Doctor, path: string): Promise<void> {
  const id = await repositoryByPath(repositories, path);
  const imported = await git.upkeep.importRefs(id);
  for (const { ref, old, new: fresh } of imported)
    print(`${path}: ${ref} ${old ?? 'new'} -> ${fresh ?? 'deleted'}`);
  print(`${path}: imported ${counted(imported.length, 'ref')}`);
}
