import { listOf } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { ACTIVITY } from './actions.ts';
import { dayOf } from './options.ts';
import { ActivityAnswer, ContributionsAnswer } from './present.ts';
import { DayQuery, UserFeedQuery } from './schema.ts';
import type { Activities } from './service.ts';

interface Dependencies {
  readonly activities: Activities;
  readonly addresses: Addresses;
}

export function activityRoutes(app: App, { activities, addresses }: Dependencies): void {
  const repositoryApi = operationsOn(app, { tag: 'repository', addresses });
  const organizationApi = operationsOn(app, { tag: 'organization', addresses });
  const userApi = operationsOn(app, { tag: 'user', addresses });

  repositoryApi.list('/repos/:owner/:repo/activities/feeds', ACTIVITY.listIn, {
    id: 'repoListActivityFeeds',
    isTagged: true,
    summary: 'List what was done in a repository, the latest first',
    failures: ['invalid'],
    query: DayQuery,
    answer: ActivityAnswer,
    handle: ({ viewer, path, query, paging }) =>
      activities.ofRepository(viewer, path, { day: dayOf(query), paging }),
  });

  organizationApi.list('/orgs/:org/activities/feeds', ACTIVITY.listOfOrganization, {
    id: 'orgListActivityFeeds',
    isTagged: true,
    summary: 'List what was done in the repositories of an organization, the latest first',
    failures: ['invalid'],
    query: DayQuery,
    answer: ActivityAnswer,
    handle: ({ viewer, params, query, paging }) =>
      activities.ofOrganization(viewer, params.org, { day: dayOf(query), paging }),
  });

  organizationApi.list('/teams/:id/activities/feeds', ACTIVITY.listOfTeam, {
    id: 'orgListTeamActivityFeeds',
    isTagged: true,
    summary: 'List what was done in the repositories of a team, the latest first',
    failures: ['invalid'],
    query: DayQuery,
    answer: ActivityAnswer,
    handle: ({ viewer, params, query, paging }) =>
      activities.ofTeam(viewer, params.id, { day: dayOf(query), paging }),
  });

  userApi.list('/users/:username/activities/feeds', ACTIVITY.listOf, {
    id: 'userListActivityFeeds',
    isTagged: true,
    summary:
      'List what a user did, and what was done in the repositories that the user watches, the latest first',
    failures: ['not_found', 'invalid'],
    query: UserFeedQuery,
    answer: ActivityAnswer,
    handle: ({ viewer, params, query, paging }) =>
      activities.ofUser(viewer, params.username, {
        day: dayOf(query),
        paging,
        onlyPerformed: query['only-performed-by'] === true,
      }),
  });

  userApi.get('/users/:username/heatmap', ACTIVITY.readHeatmap, {
    id: 'userGetHeatmapData',
    isTagged: true,
    summary: 'Count what a user did in each quarter of an hour of the last year',
    failures: ['not_found'],
    answer: listOf(ContributionsAnswer),
    handle: ({ viewer, params }) => activities.heatmap(viewer, params.username),
  });
}
