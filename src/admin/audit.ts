import type { AuditEntry } from '../base/audit/model.ts';
import { invalid } from '../base/core/failure.ts';
import type { AuditFilter } from '../people/audit/model.ts';
import { presentAuditEntry } from '../people/audit/present.ts';
import type { AuditLog } from '../people/audit/service.ts';
import { ADMIN_LIMITS } from './limits.ts';
import { timeOf } from './times.ts';

/** Conditions as an operator types them. */
export interface AuditFlags {
  readonly since?: string;
  readonly until?: string;
  readonly actor?: string;
  readonly target?: string;
  readonly action?: string;
  /** number of entries */
  readonly limit?: string;
}

/** Prints entries of the audit log, the newest first, one a line. */
export async function listAudit(
  { auditLog, print }: { auditLog: AuditLog; print: (line: string) => void },
  flags: AuditFlags,
): Promise<void> {
  const limit = limitOf(flags.limit);
  const { entries } = await auditLog.list({ filter: filterOf(flags), limit });
  for (const entry of entries) print(lineOf(entry));
}

/** Prints entries of the audit log as JSON, the oldest first, one a line, however many there are. */
export async function exportAudit(
  { auditLog, printForSure }: { auditLog: AuditLog; printForSure: (line: string) => Promise<void> },
  flags: AuditFlags,
): Promise<void> {
  for await (const entry of auditLog.export(filterOf(flags)))
    await printForSure(JSON.stringify(presentAuditEntry(entry)));
}

function lineOf(entry: AuditEntry): string {
  const { at, action, actorKind, actorName, actorId, targetKind, targetName, targetId, address } = entry;
  const actor = actorName ?? (actorId === null ? actorKind : `${actorKind} ${actorId}`);
  const by =
    entry.administratorId === null ? '' : ` (by ${entry.administratorName ?? entry.administratorId})`;
  const target = `${targetKind} ${targetName ?? targetId ?? ''}`.trim();
  const place = entry.repositoryName === null ? '' : ` in ${entry.repositoryName}`;
  return [new Date(at).toISOString(), action, `${actor}${by}`, `${target}${place}`, address ?? '-'].join(
    '\t',
  );
}

/** @throws ForgeError `invalid` */
function filterOf({ since, until, actor, target, action }: AuditFlags): AuditFilter {
  return { since: timeOf('since', since), until: timeOf('until', until), actor, target, action };
}

function limitOf(text: string | undefined): number {
  if (text === undefined) return ADMIN_LIMITS.auditEntriesListedDefault;
  const limit = Number(text);
  const { auditEntriesListedMax: most } = ADMIN_LIMITS;
  if (!/^\d{1,6}$/.test(text) || limit < 1 || limit > most)
    throw invalid(`--limit must be a number from 1 to ${most}: use "quire audit export" for more`);
  return limit;
}
