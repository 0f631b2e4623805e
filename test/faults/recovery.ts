import { createServices, openEngines } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import { addressesOf } from '../../src/http/app.ts';
import type { Cleanup } from '../support/process.ts';
import {
  bareFolder,
  cloneProblems,
  fsckProblems,
  leftovers,
  listingProblems,
  mirrorProblems,
  subjectsOf,
} from './checks.ts';
import { SHARED_BRANCH } from './clients/api-clients.ts';
import { type Client, OWNER, REPOSITORY, type Target } from './clients/client.ts';
import type { Problem } from './counts.ts';
import type { Ledger } from './ledger.ts';
import { readRows, untoldMoves } from './rows.ts';
import { runCommand, type Site } from './server-process.ts';

/** What `quire doctor` says of a dead server's data. Nobody changed a ref by hand, so it must not look as if. */
export async function askDoctorBeforeStart(cleanup: Cleanup, site: Site): Promise<readonly Problem[]> {
  const words = ['doctor', '--import-refs', `${OWNER}/${REPOSITORY}`];
  const { output } = await runCommand(cleanup, site, words);
  const lines = asKind('doctor', linesAboutRepositories(output));
  if (/took in 0 refs/.test(output)) return lines;
  return [...lines, { kind: 'lost', text: `refs are taken in: ${output}` }];
}

export interface Recovered {
  readonly site: Site;
  readonly target: Target;
  readonly ledger: Ledger;
  readonly clients: readonly Client[];
  /** an empty folder */
  readonly clone: string;
}

/** What a server that was started again says and does, with nobody's help. */
export async function* checkRunning(recovered: Recovered): AsyncGenerator<Problem> {
  const { site, target, ledger, clone } = recovered;
  const before = await readRows(site.location, REPOSITORY);
  yield* asKind('lost', [...ledger.lostRefs(before), ...untoldMoves(before)]);
  // All at once: whatever a new server has to put right, several ask for first.
  yield* (await Promise.all(recovered.clients.map((client) => comeBack(client, target)))).flat();

  const rows = await readRows(site.location, REPOSITORY);
  yield* asKind('lost', [...ledger.lostRefs(rows), ...untoldMoves(rows)]);
  yield* asKind('other', await cloneProblems(clone, target, rows));
  yield* asKind('lost', ledger.lostCommits(SHARED_BRANCH, await subjectsOf(clone, SHARED_BRANCH)));
  const bare = bareFolder(site, rows.id);
  yield* asKind('other', await mirrorProblems(bare, rows));
  yield* asKind('fsck', await fsckProblems(bare));
  yield* asKind('other', await listingProblems(target, { clone, branch: SHARED_BRANCH, path: 'own' }));
}

async function comeBack(client: Client, target: Target): Promise<readonly Problem[]> {
  const before = (await client.lost?.(target)) ?? [];
  try {
    await client.retry(target);
  } catch (error) {
    return asKind('other', [...before, String(error)]);
  }
  return asKind('lost', [...before, ...((await client.lost?.(target)) ?? [])]);
}

/** What `quire doctor` says after a server was stopped. */
export async function askDoctor(cleanup: Cleanup, site: Site): Promise<readonly Problem[]> {
  return asKind('doctor', await doctor(cleanup, site));
}

/** After a sweep there are neither leftovers nor problems, where there were any. */
export async function checkSwept(
  cleanup: Cleanup,
  site: Site,
  hadProblems: boolean,
): Promise<readonly Problem[]> {
  await sweep(site);
  const left = (await leftovers(site)).map((path) => `a sweep leaves ${path}`);
  return asKind('unswept', [...left, ...(hadProblems ? await doctor(cleanup, site) : [])]);
}

async function doctor(cleanup: Cleanup, site: Site): Promise<readonly string[]> {
  const { code, output } = await runCommand(cleanup, site, ['doctor']);
  const lines = linesAboutRepositories(output);
  return code === 0 || lines.length > 0 ? lines : [`doctor ends with ${code}: ${output}`];
}

function linesAboutRepositories(output: string): readonly string[] {
  return output.split('\n').filter((line) => line.startsWith('repository '));
}

/** As the server does it now and then, with no mercy for what is young. */
async function sweep(site: Site): Promise<void> {
  const { location } = site;
  const config = readConfig(
    { data: site.dataFolder, ...(location.kind === 'url' ? { databaseUrl: location.url } : {}) },
    { PATH: process.env.PATH },
  );
  const engines = await openEngines(config);
  try {
    const { repositories } = createServices(engines, addressesOf('http://127.0.0.1'));
    await repositories.sweepAbandoned(-1);
    await engines.git.sweep(-1);
  } finally {
    await engines.close();
  }
}

function asKind(kind: Problem['kind'], texts: readonly string[]): readonly Problem[] {
  return texts.map((text) => ({ kind, text }));
}
