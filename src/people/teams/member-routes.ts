import type { Operations } from '../../api/operations/operations.ts';
import { UserAnswer } from '../accounts/present.ts';
import { TEAM } from './actions.ts';
import type { Teams } from './service.ts';

export function teamMemberRoutes(api: Operations, { teams: { members } }: { teams: Teams }): void {
  api.list('/teams/:id/members', TEAM.listMembers, {
    id: 'orgListTeamMembers',
    summary: 'List the members of a team',
    answer: UserAnswer,
    handle: ({ viewer, params, paging }) => members.list(viewer, params.id, paging),
  });

  api.get('/teams/:id/members/:username', TEAM.listMembers, {
    id: 'orgListTeamMember',
    summary: 'Get a member of a team',
    answer: UserAnswer,
    handle: ({ viewer, params }) => members.getMember(viewer, params.id, params.username),
  });

  api.put('/teams/:id/members/:username', TEAM.changeMembers, {
    id: 'orgAddTeamMember',
    summary: 'Add a user to a team',
    failures: ['invalid'],
    handle: ({ viewer, params }) => members.add(viewer, params.id, params.username),
  });

  api.delete('/teams/:id/members/:username', TEAM.changeMembers, {
    id: 'orgRemoveTeamMember',
    summary: 'Remove a user from a team',
    failures: ['invalid'],
    handle: ({ viewer, params }) => members.remove(viewer, params.id, params.username),
  });
}
