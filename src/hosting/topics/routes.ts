import { Type } from 'typebox';
import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { TOPIC } from './actions.ts';
import { TopicAnswer } from './present.ts';
import { FoundTopicsSchema, TopicNames, TopicOptionsBody } from './schema.ts';
import type { Topics } from './service.ts';

const TOPICS_URL = '/repos/:owner/:repo/topics';

interface Dependencies {
  readonly topics: Topics;
  readonly addresses: Addresses;
}

export function topicRoutes(app: App, { topics, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.list('/topics/search', TOPIC.search, {
    id: 'topicSearch',
    summary: 'Search for topics of repositories that you may see',
    query: { q: Type.Optional(Type.String()) },
    answer: TopicAnswer,
    envelope: { shape: FoundTopicsSchema, around: (found) => ({ topics: found }) },
    handle: ({ viewer, query, paging }) => topics.search(viewer, query.q ?? '', paging),
  });

  api.list(TOPICS_URL, TOPIC.list, {
    id: 'repoListTopics',
    summary: 'List the topics of a repository',
    answer: asIs(Type.String()),
    envelope: { shape: TopicNames, around: (names) => ({ topics: names }) },
    handle: ({ viewer, path, paging }) => topics.list(viewer, path, paging),
  });

  api.put(TOPICS_URL, TOPIC.change, {
    id: 'repoUpdateTopics',
    summary: 'Replace the topics of a repository',
    body: TopicOptionsBody,
    handle: ({ viewer, path, body }) => topics.replace(viewer, path, body.topics),
  });

  api.put(`${TOPICS_URL}/:topic`, TOPIC.change, {
    id: 'repoAddTopic',
    summary: 'Add a topic to a repository',
    failures: ['invalid'],
    handle: ({ viewer, path, params }) => topics.add(viewer, path, params.topic),
  });

  api.delete(`${TOPICS_URL}/:topic`, TOPIC.change, {
    id: 'repoDeleteTopic',
    summary: 'Remove a topic from a repository',
    failures: ['invalid'],
    handle: ({ viewer, path, params }) => topics.remove(viewer, path, params.topic),
  });
}
