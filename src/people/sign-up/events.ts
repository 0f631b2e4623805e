import { defineEvent } from '../../base/events/model.ts';

export const INVITATION_CREATED = defineEvent<{ invitationId: number }>('invitation.created');
export const INVITATION_DELETED = defineEvent<{ invitationId: number }>('invitation.deleted');
