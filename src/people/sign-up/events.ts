import { defineEvent } from '../../base/events/model.ts';

export const INVITATION_CREATED = defineEvent<{ invitationId: number }>('invitation.created', {
  audit: { target: 'invitation', id: 'invitationId', isForSite: true },
});
export const INVITATION_DELETED = defineEvent<{ invitationId: number }>('invitation.deleted', {
  audit: { target: 'invitation', id: 'invitationId', isForSite: true },
});
