import type { AuditEntry } from '../../base/audit/model.ts';

export interface AuditSettings {
  /** how long entries are kept, ms */
  readonly keptMs: number;
}

/** Which entries a list has. */
export interface AuditFilter {
  /** ms; only entries from this time on */
  readonly since?: number | undefined;
  /** ms; only entries up to this time */
  readonly until?: number | undefined;
  /** name of the actor at that time, in any case */
  readonly actor?: string | undefined;
  /** name of the target at that time, in any case; a repository with its owner */
  readonly target?: string | undefined;
  readonly action?: string | undefined;
  /** id of the account whose entries these are; absent: entries of the whole site */
  readonly ownerId?: number;
}

/** The place of an entry in a list. */
export interface AuditPosition {
  /** ms */
  readonly at: number;
  readonly id: number;
}

export interface AuditPage {
  readonly entries: readonly AuditEntry[];
  /** continues after this page; null: there is nothing after it */
  readonly next: AuditPosition | null;
}

/** What a list asks for. */
export interface AuditRequest {
  readonly filter: AuditFilter;
  /** absent: from the beginning */
  readonly after?: AuditPosition | undefined;
  readonly limit: number;
}
