import { Type } from 'typebox';
import type { SignedIn } from '../access/viewer.ts';
import { presentUser } from '../accounts/present.ts';
import { UsernameParams, UserSchema } from '../accounts/schema.ts';
import { pagingOf } from '../core/paging.ts';
import type { Addresses, App } from '../http/app.ts';
import { PagingQuery, setPagingHeaders } from '../http/paging.ts';
import { NO_CONTENT, reference } from '../http/shapes.ts';
import { ACCOUNT_REPOSITORIES } from '../repositories/actions.ts';
import { presentRepository } from '../repositories/present.ts';
import { RepositoryList, RepositoryParams } from '../repositories/schema.ts';
import { STAR, WATCH } from './actions.ts';
import type { Marks } from './marks.ts';
import { presentWatch } from './present.ts';
import { WatchInfoSchema } from './schema.ts';

const STAR_URL = '/user/starred/:owner/:repo';
const SUBSCRIPTION_URL = '/repos/:owner/:repo/subscription';
const UserList = Type.Array(reference(UserSchema));

interface Dependencies {
  readonly stars: Marks;
  readonly watching: Marks;
  readonly addresses: Addresses;
}

export function starRoutes(app: App, dependencies: Dependencies): void {
  ownStarRoutes(app, dependencies);
  markLists(app, dependencies, {
    kind: 'star',
    marks: dependencies.stars,
    own: { url: '/user/starred', summary: 'List the repositories you have starred, the latest first' },
    of: {
      url: '/users/:username/starred',
      summary: 'List the repositories that a user has starred and you may see',
    },
    people: {
      url: '/repos/:owner/:repo/stargazers',
      summary: 'List who has starred a repository',
    },
  });
  ownWatchRoutes(app, dependencies);
  markLists(app, dependencies, {
    kind: 'watch',
    marks: dependencies.watching,
    own: { url: '/user/subscriptions', summary: 'List the repositories you watch, the latest first' },
    of: {
      url: '/users/:username/subscriptions',
      summary: 'List the repositories that a user watches and you may see',
    },
    people: {
      url: '/repos/:owner/:repo/subscribers',
      summary: 'List who watches a repository',
    },
  });
}

function ownStarRoutes(app: App, { stars }: Dependencies): void {
  const schema = { tags: ['user'], params: RepositoryParams };
  app.get(
    STAR_URL,
    {
      config: { action: STAR.read },
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
    STAR_URL,
    {
      config: { action: STAR.change },
      schema: { ...schema, summary: 'Star a repository', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await stars.add(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );

  app.delete(
    STAR_URL,
    {
      config: { action: STAR.change },
      schema: { ...schema, summary: 'Take your star back', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await stars.remove(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}

function ownWatchRoutes(app: App, { watching, addresses }: Dependencies): void {
  const schema = { tags: ['repository'], params: RepositoryParams };
  const response = { 200: reference(WatchInfoSchema) };
  app.get(
    SUBSCRIPTION_URL,
    {
      config: { action: WATCH.read },
      schema: { ...schema, summary: 'Check whether you watch a repository: 404 if not', response },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const watched = await watching.require(request.viewer as SignedIn, { owner, name: repo });
      return presentWatch(watched, addresses);
    },
  );

  app.put(
    SUBSCRIPTION_URL,
    { config: { action: WATCH.change }, schema: { ...schema, summary: 'Watch a repository', response } },
    async (request) => {
      const { owner, repo } = request.params;
      const watched = await watching.add(request.viewer as SignedIn, { owner, name: repo });
      return presentWatch(watched, addresses);
    },
  );

  app.delete(
    SUBSCRIPTION_URL,
    {
      config: { action: WATCH.change },
      schema: { ...schema, summary: 'Watch a repository no more', response: NO_CONTENT },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      await watching.remove(request.viewer as SignedIn, { owner, name: repo });
      return reply.code(204).send();
    },
  );
}

/** Where marks of one kind are listed, and what each list is. */
interface MarkLists {
  readonly kind: 'star' | 'watch';
  readonly marks: Marks;
  readonly own: { readonly url: string; readonly summary: string };
  readonly of: { readonly url: string; readonly summary: string };
  readonly people: { readonly url: string; readonly summary: string };
}

function markLists(app: App, { addresses }: Dependencies, { kind, marks, own, of, people }: MarkLists): void {
  const querystring = Type.Object(PagingQuery);
  app.get(
    own.url,
    {
      config: { action: ACCOUNT_REPOSITORIES.listRepositories },
      schema: { tags: ['user'], summary: own.summary, querystring, response: { 200: RepositoryList } },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await marks.listOwn(request.viewer as SignedIn, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    of.url,
    {
      config: { action: ACCOUNT_REPOSITORIES.listRepositoriesOf },
      schema: {
        tags: ['user'],
        summary: of.summary,
        params: UsernameParams,
        querystring,
        response: { 200: RepositoryList },
      },
    },
    async (request, reply) => {
      const paging = pagingOf(request.query);
      const { items, total } = await marks.listOf(request.viewer, request.params.username, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((held) => presentRepository(held, request.viewer, addresses));
    },
  );

  app.get(
    people.url,
    {
      config: { action: kind === 'star' ? STAR.list : WATCH.list },
      schema: {
        tags: ['repository'],
        summary: people.summary,
        params: RepositoryParams,
        querystring,
        response: { 200: UserList },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const paging = pagingOf(request.query);
      const { items, total } = await marks.listPeople(request.viewer, { owner, name: repo }, paging);
      setPagingHeaders(request, reply, addresses, { paging, total });
      return items.map((account) => presentUser(account, request.viewer, addresses));
    },
  );
}
