import { answerOf } from '../../../api/operations/answers.ts';
import type { Operations } from '../../../api/operations/operations.ts';
import { presentUser, UserAnswer } from '../../../people/accounts/present.ts';
import { COLLABORATOR, REPOSITORY } from '../actions.ts';
import { collaborationLevelOf } from '../creation/options.ts';
import { AddCollaboratorBody, CollaboratorPermissionSchema } from '../schema.ts';
import type { Repositories } from '../service.ts';

const COLLABORATORS_URL = '/repos/:owner/:repo/collaborators';
const COLLABORATOR_URL = `${COLLABORATORS_URL}/:collaborator` as const;

interface Dependencies {
  readonly repositories: Repositories;
}

export function collaboratorRoutes(api: Operations, dependencies: Dependencies): void {
  readingRoutes(api, dependencies);
  changingRoutes(api, dependencies);
  assignableRoutes(api, dependencies);
}

function readingRoutes(api: Operations, { repositories: { collaborators } }: Dependencies): void {
  api.list(COLLABORATORS_URL, COLLABORATOR.list, {
    id: 'repoListCollaborators',
    summary: 'List the collaborators of a repository',
    answer: UserAnswer,
    async handle({ viewer, path, paging }) {
      const { items, total } = await collaborators.list(viewer, path, paging);
      return { items: items.map(({ account }) => account), total };
    },
  });

  api.get(COLLABORATOR_URL, COLLABORATOR.list, {
    id: 'repoCheckCollaborator',
    summary: 'Check whether a user is a collaborator: 204 or 404',
    handle: ({ viewer, path, params }) => collaborators.getLevel(viewer, path, params.collaborator),
  });

  api.get(`${COLLABORATOR_URL}/permission`, COLLABORATOR.readPermission, {
    id: 'repoGetRepoPermissions',
    summary: 'Get what a user may do with a repository, from all sources',
    answer: PermissionAnswer,
    handle: ({ viewer, path, params }) => collaborators.getPermission(viewer, path, params.collaborator),
  });
}

type FoundPermission = Awaited<ReturnType<Repositories['collaborators']['getPermission']>>;

const PermissionAnswer = answerOf(
  CollaboratorPermissionSchema,
  ({ account, level }: FoundPermission, viewer, addresses) => ({
    permission: level,
    role_name: level,
    user: presentUser(account, viewer, addresses),
  }),
);

function changingRoutes(api: Operations, { repositories: { collaborators } }: Dependencies): void {
  api.put(COLLABORATOR_URL, COLLABORATOR.change, {
    id: 'repoAddCollaborator',
    summary: 'Add a collaborator, or change what a collaborator may do',
    body: AddCollaboratorBody,
    async handle({ viewer, path, params, body }) {
      const level = collaborationLevelOf(body.permission);
      await collaborators.set(viewer, path, params.collaborator, level);
    },
  });

  api.delete(COLLABORATOR_URL, COLLABORATOR.change, {
    id: 'repoDeleteCollaborator',
    summary: 'Remove a collaborator',
    handle: ({ viewer, path, params }) => collaborators.remove(viewer, path, params.collaborator),
  });
}

function assignableRoutes(api: Operations, { repositories }: Dependencies): void {
  api.list('/repos/:owner/:repo/assignees', REPOSITORY.listAssignable, {
    id: 'repoGetAssignees',
    summary: 'List the users to whom an issue or a pull request can be assigned',
    answer: UserAnswer,
    handle: ({ viewer, path, paging }) => repositories.people.listAssignees(viewer, path, paging),
  });

  api.list('/repos/:owner/:repo/reviewers', REPOSITORY.listAssignable, {
    id: 'repoGetReviewers',
    summary: 'List the users who can be asked for a review',
    answer: UserAnswer,
    handle: ({ viewer, path, paging }) => repositories.people.listReviewers(viewer, path, paging),
  });
}
