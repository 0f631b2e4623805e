import type { Viewer } from '../../api/access/viewer.ts';
import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { Session } from './model.ts';
import { type SessionRecord, SessionSchema } from './schema.ts';

/** A session, and whether the request came with it. */
export interface ListedSession {
  readonly session: Session;
  readonly isCurrent: boolean;
}

export function listed(session: Session, { source }: Viewer): ListedSession {
  return { session, isCurrent: source?.kind === 'session' && source.sessionId === session.id };
}

function presentSession({ session, isCurrent }: ListedSession): SessionRecord {
  return {
    id: session.id,
    is_current: isCurrent,
    is_remembered: session.isRemembered,
    proofs: [...session.proofs],
    user_agent: session.userAgent,
    address: session.address,
    created_at: wireTime(session.createdAt),
    proved_at: wireTime(session.provedAt),
    last_seen_at: wireTime(session.seenAt),
    expires_at: wireTime(session.endsAt),
  };
}

export const SessionAnswer = answerOf(SessionSchema, presentSession);
