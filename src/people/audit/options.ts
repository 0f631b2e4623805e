import { invalid } from '../../base/core/failure.ts';
import { timeBoundOf } from '../../http/time.ts';
import { AUDIT_LIMITS } from './limits.ts';
import type { AuditFilter, AuditPosition, AuditRequest } from './model.ts';

interface AuditQueryValues {
  readonly since?: string | undefined;
  readonly until?: string | undefined;
  readonly actor?: string | undefined;
  readonly target?: string | undefined;
  readonly action?: string | undefined;
  readonly cursor?: string | undefined;
  readonly limit?: number | undefined;
}

const CURSOR = /^(\d{1,16})-(\d{1,16})$/;

/** @throws ForgeError `invalid` for a malformed time or cursor */
export function auditRequestOf(query: AuditQueryValues): AuditRequest {
  const { limit = 0 } = query;
  const { auditEntriesPerPageDefault, auditEntriesPerPageMax } = AUDIT_LIMITS;
  return {
    filter: auditFilterOf(query),
    after: positionOf(query.cursor),
    limit: limit > 0 ? Math.min(limit, auditEntriesPerPageMax) : auditEntriesPerPageDefault,
  };
}

/** @throws ForgeError `invalid` for a malformed time */
export function auditFilterOf(query: Omit<AuditQueryValues, 'cursor' | 'limit'>): AuditFilter {
  return {
    since: timeBoundOf(query, 'since'),
    until: timeBoundOf(query, 'until'),
    actor: named(query.actor),
    target: named(query.target),
    action: named(query.action),
  };
}

export function cursorOf({ at, id }: AuditPosition): string {
  return `${at}-${id}`;
}

function positionOf(cursor: string | undefined): AuditPosition | undefined {
  if (cursor === undefined || cursor === '') return undefined;
  const [, at, id] = CURSOR.exec(cursor) ?? [];
  if (at === undefined) throw invalid('unknown cursor: leave it out to read from the beginning');
  return { at: Number(at), id: Number(id) };
}

function named(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
