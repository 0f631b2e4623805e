import { randomBytes } from 'node:crypto';
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { SEALING_KEY_BYTES, type SealingKey, sealingKeyOf } from '../base/core/sealing.ts';
import { ConfigError } from './config.ts';

/** Paths inside the data folder. */
export interface DataFolder {
  readonly database: string;
  readonly git: string;
  readonly objects: string;
  /** from which the server makes its keys */
  readonly secret: string;
  /** with which stored credentials are encrypted */
  readonly credentialKeys: string;
}

const SECRET_BYTES = 32;
/** Name of the file whose lock belongs to the server of a data folder. */
export const LOCK = 'server.lock';

/**
 * Creates the data folder and its parts if they are missing.
 *
 * @throws ConfigError if it cannot create or write them
 */
export function openDataFolder(folder: string): DataFolder {
  const paths = {
    database: join(folder, 'quire.db'),
    git: join(folder, 'git'),
    objects: join(folder, 'objects'),
    secret: join(folder, 'secret.key'),
    credentialKeys: join(folder, 'credentials.key'),
  };
  try {
    createFolder(folder);
    accessSync(folder, constants.W_OK | constants.X_OK);
    for (const part of [paths.git, paths.objects]) createFolder(part);
  } catch (error) {
    throw new ConfigError(`cannot write the data folder ${folder}: ${(error as Error).message}`);
  }
  return paths;
}

/**
 * Creates a folder and those above it if they are missing. Unlike `mkdirSync` with `recursive`, this ends where a file
 * system reports a folder as missing that it does not let anyone create, as `/proc` does.
 */
function createFolder(folder: string): void {
  try {
    // Other users of this machine must not read the data.
    mkdirSync(folder, { mode: 0o750 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST' && statSync(folder).isDirectory()) return;
    const parent = dirname(folder);
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    createFolder(parent);
    createFolder(folder);
  }
}

/**
 * Reads the secret of this server, random bytes that only its account can read. The server creates the file. A command
 * that finds none uses a secret of its own, because it signs nothing that lasts.
 *
 * @param options.ownsFolder whether this process holds the lock of the data folder
 */
export function readSecret(path: string, options: { ownsFolder: boolean }): Buffer {
  const stored = existsSync(path) ? readFileSync(path) : undefined;
  if (stored?.length === SECRET_BYTES) return stored;
  const secret = randomBytes(SECRET_BYTES);
  if (options.ownsFolder) writeSecret(path, secret);
  return secret;
}

/** A crash leaves the whole file or none. A rest of an earlier one is overwritten. */
function writeSecret(path: string, secret: string | Uint8Array): void {
  writeFileSync(`${path}.new`, secret, { mode: 0o600, flush: true });
  renameSync(`${path}.new`, path);
}

/**
 * Reads the keys with which stored credentials are encrypted: one for each line of the file, in base64. The server creates
 * the file. The first key encrypts, so a new key is put before the old ones.
 *
 * @param options.ownsFolder whether this process holds the lock of the data folder
 * @throws ConfigError
 */
export function readCredentialKeys(path: string, options: { ownsFolder: boolean }): readonly SealingKey[] {
  if (!existsSync(path)) {
    if (!options.ownsFolder) return [];
    writeSecret(path, `${randomBytes(SEALING_KEY_BYTES).toString('base64')}\n`);
  }
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .map((line) => line.trim());
  return credentialKeysOf(
    lines.filter((line) => line !== ''),
    path,
  );
}

/** @throws ConfigError, which does not repeat a key */
export function credentialKeysOf(texts: readonly string[], place: string): readonly SealingKey[] {
  return texts.map((text) => {
    const key = Buffer.from(text, 'base64');
    if (key.length === SEALING_KEY_BYTES) return sealingKeyOf(key);
    throw new ConfigError(`each key in ${place} must be ${SEALING_KEY_BYTES} bytes in base64`);
  });
}

/**
 * Locks the data folder, so that one server at a time uses it.
 *
 * @returns a function that releases the lock
 * @throws ConfigError if another server holds the lock
 */
export function lockDataFolder(folder: string): () => void {
  const unlock = tryLockDataFolder(folder);
  if (unlock !== undefined) return unlock;
  throw new ConfigError(
    `another server is running on the data folder ${folder}: stop it, or choose another --data`,
  );
}

/**
 * Locks the data folder unless another process has. The lock belongs to an open file, so the operating system releases it
 * when the process ends, in whatever way.
 *
 * @returns a function that releases the lock; undefined if another process has locked the folder
 */
export function tryLockDataFolder(folder: string): (() => void) | undefined {
  const lock = new DatabaseSync(join(folder, LOCK), { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
  } catch {
    lock.close();
    return undefined;
  }
  return () => lock.close();
}
