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

/** Younger than any file of the data folder. */
const NO_GRACE_MS = -1;

/** Lines of `quire doctor` about a dead server's data. No ref was changed manually, so it must report none. */
export function askBeforeStart(site: Site): Promise<readonly Problem[]> {
  return withEngines(site, async (opened) => {
    const lines = await askDoctor(opened, `${OWNER}/${REPOSITORY}`);
    const lost = lines.some((line) => line.endsWith('imported 0 refs')) ? [] : asProblems('lost', lines);
    return [...lost, ...asProblems('doctor', aboutRepositories(lines))];
  });
}

/** Lines of `quire doctor` after a stop, and leftovers after a sweep: neither files nor problems. */
export function askAndSweep(
  site: Site,
  options: { asks: boolean; hadProblems: boolean },
): Promise<readonly Problem[]> {
  return withEngines(site, async (opened) => {
    const before = options.asks ? aboutRepositories(await askDoctor(opened, null)) : [];
    await opened.repositories.sweepAbandoned(NO_GRACE_MS);
    await opened.git.sweep(NO_GRACE_MS);
    const left = (await leftovers(site)).map((path) => `a sweep leaves ${path}`);
    const isOpen = options.hadProblems || before.length > 0;
    const after = isOpen ? aboutRepositories(await askDoctor(opened, null)) : [];
    return [...asProblems('doctor', before), ...asProblems('unswept', [...left, ...after])];
  });
}

async function askDoctor(opened: Opened, importRefs: string | null): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = (line: string) => lines.push(line);
  const isSound = await runDoctor({ ...opened, print, importRefs, retryJobs: false });
  // Its findings name themselves.
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

/** Opens the data as the server does, while no server runs. */
async function withEngines<T>(site: Site, work: (opened: Opened) => Promise<T>): Promise<T> {
  const { location } = site;
  const databaseUrl = location.kind === 'url' ? { databaseUrl: location.url } : {};
  const config = readConfig({ data: site.dataFolder, ...databaseUrl }, { PATH: process.env.PATH });
  const engines = await openEngines(config);
  try {
    return await work({ ...createServices(engines, addressesOf('http://127.0.0.1')), ...engines });
  } finally {
    await engines.close();
  }
}
