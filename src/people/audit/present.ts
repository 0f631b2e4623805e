import { answerOf } from '../../api/operations/answers.ts';
import { wireValues } from '../../api/operations/values.ts';
import type { AuditEntry } from '../../base/audit/model.ts';
import { wireTime } from '../../http/time.ts';
import type { AuditPage } from './model.ts';
import { cursorOf } from './options.ts';
import { type AuditEntryRecord, type AuditPageRecord, AuditPageSchema } from './schema.ts';

export const AuditPageAnswer = answerOf(AuditPageSchema, presentPage);

function presentPage({ entries, next }: AuditPage): AuditPageRecord {
  return { entries: entries.map(presentAuditEntry), cursor: next === null ? null : cursorOf(next) };
}

export function presentAuditEntry(entry: AuditEntry): AuditEntryRecord {
  const { administratorId, credential, repositoryId, details } = entry;
  return {
    id: entry.id,
    created_at: wireTime(entry.at),
    action: entry.action,
    actor: { kind: entry.actorKind, id: entry.actorId, login: entry.actorName },
    administrator: administratorId === null ? null : { id: administratorId, login: entry.administratorName },
    credential: credential === null ? null : { kind: credential, id: entry.credentialId },
    address: entry.address,
    request_id: entry.requestId,
    target: { kind: entry.targetKind, id: entry.targetId, name: entry.targetName },
    repository: repositoryId === null ? null : { id: repositoryId, full_name: entry.repositoryName },
    details: wireDetails(details),
    logins: { ...entry.accountNames },
  };
}

function wireDetails({ former, new: after, ...others }: AuditEntry['details']): Record<string, unknown> {
  return {
    ...wireValues(others),
    ...(isValues(former) ? { former: wireValues(former) } : {}),
    ...(isValues(after) ? { new: wireValues(after) } : {}),
  };
}

function isValues(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
