import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { Viewer } from '../../api/access/viewer.ts';
import { type Answer, listOf } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { notFound } from '../../base/core/failure.ts';
import { type Paging, pagingOf } from '../../base/core/paging.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { namesVersion, requireMatch, strongTag, unlessKnown } from '../../http/conditional.ts';
import { PagingQuery, setPagingHeaders } from '../../http/paging.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { REF } from './actions.ts';
import type { FoundRef, FoundRefs, NamedRef } from './model.ts';
import { RefAnswer } from './present.ts';
import { CreateRefBody, MoveRefBody } from './schema.ts';
import type { Refs } from './service.ts';

const GIT_URL = '/repos/:owner/:repo/git';
const REFS_URL = `${GIT_URL}/refs` as const;
/** A name has slashes. */
const REF_URL = `${REFS_URL}/*` as const;
const FAILURES = ['archived', 'invalid', 'conflict'] as const;

interface Dependencies {
  readonly refs: Refs;
  readonly addresses: Addresses;
}

export function refRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  changingRoutes(app, dependencies);
}

/** URLs leave out the first part of a full name. */
function fullName(inUrl: string): string {
  return `refs/${inUrl}`;
}

const ListAnswer = listOf(RefAnswer);

type OneOrMany = NamedRef | readonly NamedRef[];

/** One ref if the name in the URL is its whole name; otherwise the refs whose names begin with it. */
const OneOrManyAnswer: Answer<OneOrMany> = {
  shape: Type.Union([RefAnswer.shape, ListAnswer.shape]),
  present: (found, viewer, addresses) =>
    'name' in found
      ? RefAnswer.present(found, viewer, addresses)
      : ListAnswer.present(found, viewer, addresses),
};

function readingRoutes(app: App, { refs, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  /** Finds a page of the refs with these beginnings of names, of which there must be one unless `mayBeEmpty`. */
  const pageOf = async (
    { viewer, path, paging }: { viewer: Viewer; path: RepositoryPath; paging: Paging },
    prefix: string,
    { mayBeEmpty }: { mayBeEmpty: boolean },
  ) => {
    const found = await refs.list(viewer, path, prefix, paging);
    if (found.total === 0 && !mayBeEmpty) throw notFound('ref');
    return found;
  };
  const unread = (found: FoundRefs) => ({
    total: found.total,
    tag: listTag(found, addresses),
    read: () => refs.readAll(found),
  });

  api.list(REFS_URL, REF.read, {
    id: 'repoListAllGitRefs',
    isTagged: true,
    summary: 'List refs by name',
    answer: RefAnswer,
    handle: async (call) => unread(await pageOf(call, fullName(''), { mayBeEmpty: false })),
  });

  api.get(REF_URL, REF.read, {
    id: 'repoListGitRefs',
    otherwise: NOT_MODIFIED,
    summary: 'Get a ref by its name, or list the refs whose names begin with it',
    query: PagingQuery,
    answer: OneOrManyAnswer,
    async handle(call) {
      const prefix = fullName(call.params['*']);
      const paging = pagingOf(call.query);
      const found = await pageOf({ ...call, paging }, prefix, { mayBeEmpty: false });
      const [only] = found.refs;
      if (only !== undefined && found.total === 1 && `${prefix}${only.name}` === prefix) {
        const ref = { ...found, name: prefix, oid: only.oid };
        return unlessKnown<OneOrMany>(call, tagOf(ref, addresses), () => refs.read(ref));
      }
      setPagingHeaders(call.request, call.reply, addresses, { paging, total: found.total });
      return unlessKnown<OneOrMany>(call, listTag(found, addresses), () => refs.readAll(found));
    },
  });

  api.list(`${GIT_URL}/matching-refs/*`, REF.read, {
    id: 'repoListMatchingGitRefs',
    isTagged: true,
    summary: 'List the refs whose names begin with a text',
    answer: RefAnswer,
    handle: async (call) => unread(await pageOf(call, fullName(call.params['*']), { mayBeEmpty: true })),
  });

  api.get(`${GIT_URL}/ref/*`, REF.read, {
    id: 'repoGetGitRef',
    otherwise: NOT_MODIFIED,
    summary: 'Get a ref by its name',
    answer: RefAnswer,
    async handle(call) {
      const found = await refs.find(call.viewer, call.path, fullName(call.params['*']));
      return unlessKnown(call, tagOf(found, addresses), () => refs.read(found));
    },
  });
}

function changingRoutes(app: App, { refs, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  /** Returns where the request has seen the ref, by its `If-Match`; undefined without one. */
  const seen = async (call: ChangeCall, action: typeof REF.move | typeof REF.delete) => {
    if (!namesVersion(call.request)) return undefined;
    const found = await refs.find(call.viewer, call.path, fullName(call.params['*']), action);
    requireMatch(call.request, tagOf(found, addresses));
    return found.oid;
  };

  /** Returns the first page of all refs that the request has seen, by its `If-Match`; undefined without one. */
  const seenList = async ({ viewer, path, request }: Omit<ChangeCall, 'params'>) => {
    if (!namesVersion(request)) return undefined;
    const found = await refs.list(viewer, path, fullName(''), pagingOf({}), REF.create);
    requireMatch(request, listTag(found, addresses));
    return found;
  };

  api.post(REFS_URL, REF.create, {
    id: 'repoCreateGitRef',
    summary: 'Create a ref',
    failures: [...FAILURES, 'precondition_failed'],
    body: CreateRefBody,
    status: 201,
    answer: RefAnswer,
    async handle(call) {
      const { ref: name, sha: oid } = call.body;
      return refs.create(call.viewer, call.path, { name, oid, seen: await seenList(call) });
    },
  });

  api.patch(REF_URL, REF.move, {
    id: 'repoUpdateGitRef',
    summary: 'Move a ref',
    failures: [...FAILURES, 'precondition_failed'],
    body: MoveRefBody,
    answer: RefAnswer,
    async handle(call) {
      const { sha: oid, force: isForced = false } = call.body;
      const name = fullName(call.params['*']);
      const move = { name, oid, isForced, seen: await seen(call, REF.move) };
      const moved = await refs.move(call.viewer, call.path, move);
      call.reply.header('etag', tagOf(moved, addresses));
      return moved;
    },
  });

  api.delete(REF_URL, REF.delete, {
    id: 'repoDeleteGitRef',
    summary: 'Delete a ref',
    failures: [...FAILURES, 'precondition_failed'],
    async handle(call) {
      const name = fullName(call.params['*']);
      return refs.delete(call.viewer, call.path, { name, seen: await seen(call, REF.delete) });
    },
  });
}

interface ChangeCall {
  readonly viewer: Viewer;
  readonly path: RepositoryPath;
  readonly params: { readonly '*': string };
  readonly request: FastifyRequest;
}

/** The tag of everything that the answer shows. No object is read for it: its type follows from its id. */
function tagOf({ repository, name, oid }: Omit<FoundRef, 'snapshot'>, addresses: Addresses): string {
  return strongTag([name, oid, repositoryAddresses(repository, addresses)]);
}

/** The tag of a page of the list. No object is read for it. */
function listTag({ repository, prefix, refs, total }: FoundRefs, addresses: Addresses): string {
  return strongTag([prefix, refs, total, repositoryAddresses(repository, addresses)]);
}
