import { notFound } from '../core/failure.ts';
import type { GitStorage } from '../git/model.ts';
import type { Jobs } from '../jobs/service.ts';
import type { Repositories } from '../repositories/service.ts';

interface Doctor {
  readonly git: GitStorage;
  readonly jobs: Jobs;
  readonly repositories: Repositories;
  readonly print: (line: string) => void;
  /** `owner/name` of a repository whose hand-made refs are to be taken in first; null for none */
  readonly importRefs: string | null;
  /** tries again what was given up, instead of telling of it */
  readonly retryJobs: boolean;
}

/**
 * Checks every repository: that its rows, its mirror on disk, its objects and git's own check agree. Names the jobs that
 * were given up.
 *
 * @returns whether everything does
 */
export async function runDoctor(doctor: Doctor): Promise<boolean> {
  if (doctor.importRefs !== null) await importRefs(doctor, doctor.importRefs);
  if (doctor.retryJobs) doctor.print(`${await doctor.jobs.retryFailed()} jobs will be tried again`);
  const problems = (await countProblems(doctor)) + (doctor.retryJobs ? 0 : await countFailedJobs(doctor));
  doctor.print(
    problems === 0 ? 'everything agrees' : `${problems} ${problems === 1 ? 'problem' : 'problems'} found`,
  );
  return problems === 0;
}

async function countProblems({ git, repositories, print }: Doctor): Promise<number> {
  const known = new Set(await repositories.listIds());
  const stored = await git.list();
  let problems = 0;
  const tell = (line: string) => {
    problems += 1;
    print(line);
  };
  for (const id of stored) {
    if (!known.has(id)) tell(`repository ${id}: has git data, but no repository that it belongs to`);
  }
  for (const id of known) {
    if (!stored.includes(id)) {
      tell(`repository ${id}: has no git data`);
      continue;
    }
    for (const problem of (await git.verify(id)).problems) tell(`repository ${id}: ${problem}`);
  }
  print(`checked ${known.size} ${known.size === 1 ? 'repository' : 'repositories'}`);
  return problems;
}

async function countFailedJobs({ jobs, print }: Doctor): Promise<number> {
  const failed = await jobs.listFailed();
  for (const { kind, key, lastError, failedAt } of failed) {
    const at = new Date(failedAt).toISOString();
    print(`job ${kind} ${key}: given up at ${at}: ${lastError}`);
  }
  return failed.length;
}

async function importRefs({ git, repositories, print }: Doctor, path: string): Promise<void> {
  const [owner = '', name = ''] = path.split('/', 2);
  const id = await repositories.findId({ owner, name });
  if (id === undefined) throw notFound(`there is no repository ${path}`);
  const taken = await git.importRefs(id);
  for (const { ref, old, new: fresh } of taken)
    print(`${path}: ${ref} ${old ?? 'new'} -> ${fresh ?? 'deleted'}`);
  print(`${path}: took in ${taken.length} ${taken.length === 1 ? 'ref' : 'refs'}`);
}
