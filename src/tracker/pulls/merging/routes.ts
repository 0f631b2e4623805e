import { operationsOn } from '../../../api/operations/operations.ts';
import { UPDATE_STYLES } from '../../../hosting/repositories/units.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { noBody } from '../../../http/shapes.ts';
import { PULL } from '../actions.ts';
import { PULL_URL } from '../urls.ts';
import { mergeWishOf } from './options.ts';
import { MergeBody, UpdateQuery } from './schema.ts';
import type { PullMerges } from './service.ts';
import type { PullUpdates } from './update.ts';

interface Dependencies {
  readonly merges: PullMerges;
  readonly updates: PullUpdates;
  readonly addresses: Addresses;
}

export function mergeRoutes(app: App, { merges, updates, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(`${PULL_URL}/merge`, PULL.merge, {
    id: 'repoMergePullRequest',
    summary: 'Merge a pull request',
    failures: ['archived', 'conflict', 'invalid', 'method_not_allowed'],
    body: MergeBody,
    status: 200,
    otherwise: { 201: noBody('The merge is scheduled') },
    async handle({ viewer, path, params, body, reply }) {
      const named = { repository: path, number: params.number };
      const done = await merges.merge(viewer, named, mergeWishOf(body));
      return reply.code(done === 'merged' ? 200 : 201).send();
    },
  });

  api.delete(`${PULL_URL}/merge`, PULL.merge, {
    id: 'repoCancelScheduledAutoMerge',
    summary: 'Cancel the scheduled merge of a pull request',
    failures: ['archived'],
    handle: ({ viewer, path, params }) => merges.cancel(viewer, { repository: path, number: params.number }),
  });

  api.post(`${PULL_URL}/update`, PULL.merge, {
    id: 'repoUpdatePullRequest',
    summary: 'Bring the commits of the base into the head of a pull request',
    failures: ['archived', 'conflict', 'invalid', 'too_large'],
    query: UpdateQuery,
    status: 200,
    async handle({ viewer, path, params, query, reply }) {
      const style = UPDATE_STYLES.find((each) => each === query.style);
      await updates.update(viewer, { repository: path, number: params.number }, style);
      return reply.code(200).send();
    },
  });
}
