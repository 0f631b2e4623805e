import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { INVITATION } from './actions.ts';
import { InvitationAnswer } from './present.ts';
import { CreateInvitationBody } from './schema.ts';
import type { SignUp } from './service.ts';

interface Dependencies {
  readonly signUp: SignUp;
  readonly addresses: Addresses;
}

export function invitationRoutes(app: App, { signUp, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'admin', addresses });

  api.list('/admin/invitations', INVITATION.list, {
    id: 'adminListInvitations',
    summary: 'List the invitations that still work, the newest first',
    answer: InvitationAnswer,
    handle: ({ paging }) => signUp.listInvitations(paging),
  });

  api.post('/admin/invitations', INVITATION.create, {
    id: 'adminCreateInvitation',
    summary: 'Invite the owner of an e-mail address to have an account',
    failures: ['not_found', 'already_exists'],
    body: CreateInvitationBody,
    status: 201,
    answer: InvitationAnswer,
    handle: ({ viewer, body }) => signUp.invite(viewer, { email: body.email, teamId: body.team_id ?? null }),
  });

  api.delete('/admin/invitations/:id', INVITATION.delete, {
    id: 'adminDeleteInvitation',
    summary: 'Take an invitation back',
    failures: ['not_found'],
    handle: ({ viewer, params }) => signUp.deleteInvitation(viewer, params.id),
  });
}
