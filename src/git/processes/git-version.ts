import { NO_REPOSITORY } from '../folders/repository-layout.ts';
import { gitSearchPath, runGit } from './child.ts';

const OLDEST = [2, 39] as const;

/** This machine has no usable git; the message is for the operator. */
export class GitUnusableError extends Error {
  override readonly name = 'GitUnusableError';
}

/** Answers by search path. A process that starts several servers asks once. */
const known = new Map<string, Promise<string>>();

/**
 * Checks that git can be run and is new enough.
 *
 * @returns its version, such as `2.39.5`
 * @throws GitUnusableError
 */
export function requireGit(): Promise<string> {
  const path = gitSearchPath();
  const asked = known.get(path) ?? readUsableVersion();
  known.set(path, asked);
  // The operator may install git, and the process ask again.
  asked.catch(() => known.delete(path));
  return asked;
}

async function readUsableVersion(): Promise<string> {
  const version = readVersion(await askVersion());
  if (version !== undefined && !isOlder(version)) return version.text;
  const found = version?.text ?? 'one that does not report its version';
  throw new GitUnusableError(`git ${OLDEST.join('.')} or newer is needed; this machine has ${found}`);
}

async function askVersion(): Promise<string> {
  try {
    const { stdout } = await runGit(
      { args: ['version'], gitDir: NO_REPOSITORY },
      { slots: null, deadlineMs: 10_000 },
    );
    return stdout.toString();
  } catch (cause) {
    throw new GitUnusableError('git cannot be run: install git, or put it on the PATH', { cause });
  }
}

interface Version {
  readonly text: string;
  readonly major: number;
  readonly minor: number;
}

export function readVersion(answer: string): Version | undefined {
  const found = /^git version ((\d+)\.(\d+)[^\s]*)/.exec(answer);
  if (found === null) return undefined;
  return { text: found[1] ?? '', major: Number(found[2]), minor: Number(found[3]) };
}

export function isOlder(version: Version): boolean {
  const [major, minor] = OLDEST;
  return version.major < major || (version.major === major && version.minor < minor);
}
