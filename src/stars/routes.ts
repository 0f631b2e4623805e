import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { presentUser } from '../accounts/present.ts';
import { UsernameParams, UserSchema } from '../accounts/schema.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference, shareShapes } from '../http/shapes.ts';
import { presentRepository } from '../repositories/present.ts';
import { REPOSITORY_SHAPES, RepositoryList, RepositoryParams } from '../repositories/schema.ts';
import { presentWatch } from './present.ts';
import { WatchInfoSchema } from './schema.ts';
import type { Stars } from './stars.ts';
import type { Watching } from './watching.ts';

const STAR = '/user/starred/:owner/:repo';
const SUBSCRIPTION = '/repos/:owner/:repo/subscription';
const UserList = Type.Array(reference(UserSchema));

interface Dependencies {
  readonly stars: Stars;
  readonly watching: Watching;
  readonly addresses: Addresses;
}

export function starRoutes(app: App, dependencies: Dependencies): void {
  shareShapes(app, [...REPOSITORY_SHAPES, WatchInfoSchema]);
  ownStarRoutes(app, dependencies);
  starLists(app, dependencies);
  ownWatchRoutes(app, dependencies);
  watchLists(app, dependencies);
}

function ownStarRoutes(app: App, { stars }: Dependencies): void {
  const schema = { tags: ['user'], params: RepositoryParams };
  app.get(
    STAR,
    {
      config: { action: 'star.read' },
      schema: {
        ...schema,
        summary: 'Check whether you have starred a repository: 204 or 404',
        response: NO_CONTENT,
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await stars.require(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );

  app.put(
    STAR,
    {
      config: { action: 'star.change' },
      schema: { ...schema, summary: 'Star a repository', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await stars.add(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );

  app.delete(
    STAR,
    {
      config: { action: 'star.change' },
      schema: { ...schema, summary: 'Take your star back', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await stars.remove(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}

function starLists(app: App, { stars, addresses }: Dependencies): void {
  app.get(
    '/user/starred',
    {
      config: { action: 'account.list-repositories' },
      schema: {
        tags: ['user'],
        summary: 'List the repositories you have starred, the latest first',
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await stars.listOwn(request.viewer as SignedIn, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/users/:username/starred',
    {
      config: { action: 'account.list-repositories-of' },
      schema: {
        tags: ['user'],
        summary: 'List the repositories that a user has starred and you may see',
        params: UsernameParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await stars.listOf(request.viewer, request.params.username, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/repos/:owner/:repo/stargazers',
    {
      config: { action: 'star.list' },
      schema: {
        tags: ['repository'],
        summary: 'List who has starred a repository',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: UserList },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await stars.listStargazers(request.viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );
}

function ownWatchRoutes(app: App, { watching, addresses }: Dependencies): void {
  const schema = { tags: ['repository'], params: RepositoryParams };
  const response = { 200: reference(WatchInfoSchema) };
  app.get(
    SUBSCRIPTION,
    {
      config: { action: 'watch.read' },
      schema: { ...schema, summary: 'Check whether you watch a repository: 404 if not', response },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const watched = await watching.require(request.viewer as SignedIn, { owner, name: repo });
      return presentWatch(watched, addresses);
    },
  );

  app.put(
    SUBSCRIPTION,
    { config: { action: 'watch.change' }, schema: { ...schema, summary: 'Watch a repository', response } },
    async (request) => {
      const { owner, repo } = request.params;
      const watched = await watching.add(request.viewer as SignedIn, { owner, name: repo });
      return presentWatch(watched, addresses);
    },
  );

  app.delete(
    SUBSCRIPTION,
    {
      config: { action: 'watch.change' },
      schema: { ...schema, summary: 'Watch a repository no more', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await watching.remove(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}

function watchLists(app: App, { watching, addresses }: Dependencies): void {
  app.get(
    '/user/subscriptions',
    {
      config: { action: 'account.list-repositories' },
      schema: {
        tags: ['user'],
        summary: 'List the repositories you watch, the latest first',
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await watching.listOwn(request.viewer as SignedIn, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/users/:username/subscriptions',
    {
      config: { action: 'account.list-repositories-of' },
      schema: {
        tags: ['user'],
        summary: 'List the repositories that a user watches and you may see',
        params: UsernameParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await watching.listOf(request.viewer, request.params.username, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    '/repos/:owner/:repo/subscribers',
    {
      config: { action: 'watch.list' },
      schema: {
        tags: ['repository'],
        summary: 'List who watches a repository',
        params: RepositoryParams,
        querystring: Type.Object(PagingQuery),
        response: { 200: UserList },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await watching.listWatchers(request.viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );
}
