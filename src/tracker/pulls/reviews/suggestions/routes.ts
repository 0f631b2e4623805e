import { Type } from 'typebox';
import { answerOf } from '../../../../api/operations/answers.ts';
import { operationsOn } from '../../../../api/operations/operations.ts';
import { repositoryAddresses } from '../../../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../../../http/app.ts';
import { PULL } from '../../actions.ts';
import { PULL_URL } from '../../urls.ts';
import type { AppliedSuggestions, Suggestions } from './service.ts';

const ApplyBody = Type.Object(
  {
    comments: Type.Array(Type.Integer(), { description: 'ids of comments with one suggestion each' }),
    message: Type.Optional(Type.String({ description: 'of the commit' })),
  },
  { $id: 'ApplySuggestionsOption' },
);

const AppliedSchema = Type.Object(
  { sha: Type.String(), html_url: Type.String(), branch: Type.String() },
  { $id: 'AppliedSuggestions' },
);

const AppliedAnswer = answerOf(
  AppliedSchema,
  ({ sha, branch, repository }: AppliedSuggestions, _viewer, addresses) => ({
    sha,
    html_url: `${repositoryAddresses(repository, addresses).htmlUrl}/commit/${sha}`,
    branch,
  }),
);

interface Dependencies {
  readonly suggestions: Suggestions;
  readonly addresses: Addresses;
}

/** An operation of this server: the reference has it only as a page. */
export function suggestionRoutes(app: App, { suggestions, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(`${PULL_URL}/suggestions`, PULL.review, {
    id: 'repoApplyPullSuggestions',
    summary: 'Make a commit of what comments suggest',
    failures: ['archived', 'conflict', 'invalid'],
    body: ApplyBody,
    status: 201,
    answer: AppliedAnswer,
    handle: ({ viewer, path, params, body }) =>
      suggestions.apply(
        viewer,
        { repository: path, number: params.number },
        { commentIds: body.comments, message: body.message ?? '' },
      ),
  });
}
