import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Environment variable: names a file that exists as soon as `.ci/install-clients` has ended. */
const INSTALLED = 'QUIRE_TEST_INSTALLED';
const POLL_MS = 200;
const WAIT_MS_MAX = 10 * 60_000;

/** Text of a test file that uses what `.ci/` installs: a path in `.ci/`, or the S3 server. */
const USES_CLIENTS = /'\.ci\/|from '(?:\.\.\/)+support\/s3\.ts'/;

/** Whether a test file uses programs that `.ci/run` installs while other tests run. */
export function usesClients(file: string): boolean {
  return USES_CLIENTS.test(readFileSync(path.resolve(ROOT, file), 'utf8'));
}

/** Waits until the installation that the caller started, if any, has ended. */
export async function untilInstalled(signal: AbortSignal): Promise<void> {
  const file = process.env[INSTALLED];
  if (file === undefined) return;
  const giveUpAt = performance.now() + WAIT_MS_MAX;
  while (!existsSync(file) && !signal.aborted) {
    if (performance.now() > giveUpAt) throw new Error(`${INSTALLED}: ${file} is missing after 10 minutes`);
    await sleep(POLL_MS);
  }
}
