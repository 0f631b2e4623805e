import { isRepositoryLimited, type Viewer } from '../../api/access/viewer.ts';
import type { AuditEntry } from '../../base/audit/model.ts';
import { deleteOldEntries, recordAudit } from '../../base/audit/store.ts';
import { forbidden } from '../../base/core/failure.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database } from '../../base/database/database.ts';
import { formerValues } from '../../base/events/model.ts';
import { requireSeesPrivate } from '../accounts/emails.ts';
import { AUDIT_LIMITS } from './limits.ts';
import type { AuditFilter, AuditPage, AuditPosition, AuditRequest, AuditSettings } from './model.ts';
import { listEntries } from './store.ts';

const SETTINGS_CHANGED = 'settings.changed';

interface Dependencies {
  readonly database: Database;
  readonly auditSettings: AuditSettings;
}

/** Who did what from where: sign-ins, credentials, permissions, visibility, deletions and administration. */
export class AuditLog {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Lists the entries of the whole site, for site administrators.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data
   */
  async listAll(viewer: Viewer, request: AuditRequest): Promise<AuditPage> {
    requireSeesPrivate(viewer);
    return listEntries(this.#use.database.reader, request);
  }

  /**
   * Lists the entries of an account and of its repositories: for the user, or for an owner of the organization. Where other
   * people work is left out.
   *
   * @throws ForgeError `forbidden` for a token that is limited to public data or to named repositories
   */
  async listOf(viewer: Viewer, ownerId: number, request: AuditRequest): Promise<AuditPage> {
    requireSeesPrivate(viewer);
    if (isRepositoryLimited(viewer)) throw forbidden('the token is limited to named repositories');
    const filter = { ...request.filter, ownerId };
    const page = await listEntries(this.#use.database.reader, { ...request, filter });
    return { ...page, entries: page.entries.map((entry) => withoutPlace(viewer, entry)) };
  }

  /** Reads all entries of a filter, the oldest first, a bounded number at once. Without authorization. */
  async *export(filter: AuditFilter): AsyncGenerator<AuditEntry> {
    const { auditEntriesExportedAtOnceMax: limit } = AUDIT_LIMITS;
    for (let after: AuditPosition | undefined; ; ) {
      const page = await listEntries(this.#use.database.reader, { filter, after, limit }, 'oldest');
      yield* page.entries;
      if (page.next === null) return;
      after = page.next;
    }
  }

  /** Lists entries, the newest first, without authorization. */
  list(request: AuditRequest): Promise<AuditPage> {
    return listEntries(this.#use.database.reader, request);
  }

  /** Records the settings of a server that starts, if they differ from those of the start before. */
  async recordSettings(settings: Readonly<Record<string, string>>): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const last = await listEntries(tx, { filter: { action: SETTINGS_CHANGED }, limit: 1 });
      const known = last.entries[0]?.details.settings as Readonly<Record<string, string>> | undefined;
      const changed = Object.keys({ ...known, ...settings }).filter(
        (name) => known?.[name] !== settings[name],
      );
      if (changed.length === 0) return;
      const change = known && {
        changed,
        former: formerValues(known, changed),
        new: formerValues(settings, changed),
      };
      await recordAudit(tx, {
        action: SETTINGS_CHANGED,
        actorId: null,
        actorKind: 'system',
        target: { kind: 'site', id: null, name: null },
        ownerId: null,
        repositoryId: null,
        details: { ...change, settings },
      });
    });
  }

  /** Deletes the entries that are older than the setting says. */
  async deleteOld(): Promise<void> {
    const before = currentTimeMs() - this.#use.auditSettings.keptMs;
    while (await this.#use.database.transaction((tx) => deleteOldEntries(tx, before)));
  }
}

/** An owner learns what was done, and not from where other people or site administrators work. */
function withoutPlace({ accountId }: Viewer, entry: AuditEntry): AuditEntry {
  const isOwn = entry.actorId === accountId && entry.administratorId === null;
  if (isOwn || entry.actorKind === 'anonymous') return entry;
  return { ...entry, address: null, requestId: null, credentialId: null };
}
