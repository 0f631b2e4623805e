import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import { KEY_LIMITS } from './limits.ts';
import type { OwnedKey } from './model.ts';
import { findDeployKeyIn, findOwnedKey, setDeployKeyUsed, setKeyUsed } from './store/owners.ts';

/** Finds for whom a key signs in over SSH, and records the last use of keys. */
export class KeyOwners {
  readonly #database: Database;
  readonly #recording = new Map<string, Promise<void>>();

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @param by the fingerprint as `ssh-keygen -l` prints it, or the id of the key */
  find(by: { readonly fingerprint: string } | { readonly keyId: number }): Promise<OwnedKey | undefined> {
    return findOwnedKey(this.#database.reader, by);
  }

  /** Returns the user of a key; undefined for deploy keys, and for a key that was deleted. */
  async accountOf(keyId: number): Promise<number | undefined> {
    return (await this.find({ keyId }))?.accountId ?? undefined;
  }

  /** Returns the id of the row that gives a deploy key access to a repository. */
  async deployKeyIn(keyId: number, repositoryId: RepositoryId): Promise<number | undefined> {
    const found = await findDeployKeyIn(this.#database.reader, keyId, repositoryId);
    if (found !== undefined)
      this.#record(`deploy ${found.id}`, found.lastUsedAt, (now) => this.#setDeployKey(found.id, now));
    return found?.id;
  }

  /** Records that a key has signed in. */
  recordUse({ keyId, lastUsedAt }: OwnedKey): void {
    this.#record(`key ${keyId}`, lastUsedAt, (now) =>
      this.#database.transaction((tx) => setKeyUsed(tx, keyId, now)),
    );
  }

  #setDeployKey(id: number, now: number): Promise<void> {
    return this.#database.transaction((tx) => setDeployKeyUsed(tx, id, now));
  }

  /** The time is informational, so no client waits for this or fails with it. */
  #record(what: string, lastUsedAt: number | null, write: (now: number) => Promise<void>): void {
    const now = currentTimeMs();
    const isRecent = lastUsedAt !== null && now - lastUsedAt < KEY_LIMITS.keyUseLagMs;
    if (isRecent || this.#recording.has(what)) return;
    const recording = write(now)
      .catch(() => {})
      .finally(() => this.#recording.delete(what));
    this.#recording.set(what, recording);
  }

  /** Waits for background writes. */
  async waitForWrites(): Promise<void> {
    await Promise.all(this.#recording.values());
  }
}
