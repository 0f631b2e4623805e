import { runDoctor } from '../../src/admin/doctor.ts';
import { createServices, type Engines, openEngines } from '../../src/app/compose.ts';
import { readConfig } from '../../src/app/config.ts';
import type { Services } from '../../src/app/features.ts';
import { addressesOf } from '../../src/http/app.ts';
import { leftovers } from './checks.ts';
import { OWNER, REPOSITORY } from './clients/client.ts';
import type { Problem } from './counts.ts';
import type { Site } from './server-process.ts';

type Opened = Engines & Services;

/** A grace period that is over for every file. */
const NO_GRACE_MS = -1;

/** Runs `quire doctor` on the data of a killed server. No ref was changed manually, so it must import none. */
export function inspectBeforeStart(site: Site): Promise<readonly Problem[]> {
  return withEngines(site, { ownsFolder: false }, async (opened) => {
    const lines = await doctorLines(opened, `${OWNER}/${REPOSITORY}`);
    const lost = lines.some((line) => line.endsWith('imported 0 refs')) ? [] : asProblems('lost', lines);
    return [...lost, ...asProblems('doctor', aboutRepositories(lines))];
  });
}

/** Runs `quire doctor` and a sweep after a server stopped. The sweep must leave neither files nor problems. */
export function inspectAndSweep(
  site: Site,
  options: { inspects: boolean; hadProblems: boolean },
): Promise<readonly Problem[]> {
  return withEngines(site, { ownsFolder: true }, async (opened) => {
    const before = options.inspects ? aboutRepositories(await doctorLines(opened, null)) : [];
    await opened.repositories.creation.sweepAbandoned(NO_GRACE_MS);
    await opened.git.upkeep.sweep(NO_GRACE_MS);
    const left = (await leftovers(site)).map((path) => `a sweep left ${path}`);
    const needsCheck = options.hadProblems || before.length > 0;
    const after = needsCheck ? aboutRepositories(await doctorLines(opened, null)) : [];
    return [...asProblems('doctor', before), ...asProblems('unswept', [...left, ...after])];
  });
}

async function doctorLines(opened: Opened, importRefs: string | null): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const isSound = await runDoctor({ ...opened, print, importRefs, retryJobs: false });
  // A failed check must count even if no line names its repository.
  if (!isSound && aboutRepositories(lines).length === 0)
    lines.push(`repository unknown: ${lines.join('; ')}`);
  return lines;
}

function aboutRepositories(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => line.startsWith('repository '));
}

function asProblems(kind: Problem['kind'], texts: readonly string[]): readonly Problem[] {
  return texts.map((text) => ({ kind, text }));
}

/** Opens the data while no server runs: as the server does, or as a command. */
async function withEngines<T>(
  site: Site,
  as: { ownsFolder: boolean },
  work: (opened: Opened) => Promise<T>,
): Promise<T> {
  const { location } = site;
  const databaseUrl = location.kind === 'url' ? { databaseUrl: location.url } : {};
  const config = readConfig({ data: site.dataFolder, ...databaseUrl }, { PATH: process.env.PATH });
  const addresses = addressesOf('http://127.0.0.1');
  const engines = await openEngines(config, { ...as, addresses });
  try {
    return await work({ ...createServices(engines, addresses), ...engines });
  } finally {
    await engines.close();
  }
}
