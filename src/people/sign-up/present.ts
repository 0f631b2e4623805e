import { answerOf } from '../../api/operations/answers.ts';
import { wireTime } from '../../http/time.ts';
import type { Invitation } from './model.ts';
import { type InvitationRecord, InvitationSchema } from './schema.ts';

function presentInvitation({
  id,
  email,
  teamId,
  inviterId,
  createdAt,
  endsAt,
  url,
}: Invitation): InvitationRecord {
  return {
    id,
    email,
    team_id: teamId,
    inviter_id: inviterId,
    created_at: wireTime(createdAt),
    expires_at: wireTime(endsAt),
    ...(url === undefined ? {} : { url }),
  };
}

export const InvitationAnswer = answerOf(InvitationSchema, presentInvitation);
