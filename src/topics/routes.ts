import { Type } from 'typebox';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { RepositoryParams } from '../repositories/schema.ts';
import { TOPIC } from './actions.ts';
import { presentTopic } from './present.ts';
import {
  FoundTopicsSchema,
  TopicNamesSchema,
  TopicOptionsBody,
  TopicParams,
  TopicSearchQuery,
} from './schema.ts';
import type { Topics } from './service.ts';

const TOPICS_URL = '/repos/:owner/:repo/topics';
const TOPIC_URL = `${TOPICS_URL}/:topic`;
const tags = ['repository'];

interface Dependencies {
  readonly topics: Topics;
  readonly addresses: Addresses;
}

export function topicRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  changingRoutes(app, dependencies);
}

function readingRoutes(app: App, { topics, addresses }: Dependencies): void {
  app.get(
    '/topics/search',
    {
      config: { action: TOPIC.search },
      schema: {
        tags,
        summary: 'Search for topics of repositories that you may see',
        querystring: TopicSearchQuery,
        response: { 200: FoundTopicsSchema },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await topics.search(request.viewer, request.query.q ?? '', paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return { topics: items.map(presentTopic) };
    },
  );

  app.get(
    TOPICS_URL,
    {
      config: { action: TOPIC.list },
      schema: {
        tags,
        summary: 'List the topics of a repository',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: reference(TopicNamesSchema) },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await topics.list(request.viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return { topics: [...items] };
    },
  );
}

function changingRoutes(app: App, { topics }: Dependencies): void {
  app.put(
    TOPICS_URL,
    {
      config: { action: TOPIC.change },
      schema: {
        tags,
        summary: 'Give a repository these topics and no others',
        params: RepositoryParams,
        body: TopicOptionsBody,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await topics.replace(request.viewer, { owner, name: repo }, request.body.topics ?? []);
      return reply.code(204).send();
    },
  );

  app.put(
    TOPIC_URL,
    {
      config: { action: TOPIC.change },
      schema: {
        tags,
        summary: 'Give a repository one more topic',
        params: TopicParams,
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { owner, repo, topic } = request.params;
      await topics.add(request.viewer, { owner, name: repo }, topic);
      return reply.code(204).send();
    },
  );

  app.delete(
    TOPIC_URL,
    {
      config: { action: TOPIC.change },
      schema: { tags, summary: 'Take a topic from a repository', params: TopicParams, response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo, topic } = request.params;
      await topics.remove(request.viewer, { owner, name: repo }, topic);
      return reply.code(204).send();
    },
  );
}
