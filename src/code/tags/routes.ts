import { operationsOn } from '../../api/operations/operations.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { namesVersion, requireMatch, strongTag, unlessKnown } from '../../http/conditional.ts';
import type { StatusOf } from '../../http/errors/wire.ts';
import { NOT_MODIFIED } from '../../http/shapes.ts';
import { personOf } from '../git-data/options.ts';
import { stateOf } from '../verification/model.ts';
import { TAG } from './actions.ts';
import { TagAnswer, TagObjectAnswer } from './present.ts';
import { CreateTagBody, CreateTagObjectBody } from './schema.ts';
import type { FoundTag, FoundTags, Tags } from './service.ts';

const TAGS_URL = '/repos/:owner/:repo/tags';
/** A name may have slashes. */
const TAG_URL = `${TAGS_URL}/*` as const;

interface Dependencies {
  readonly tags: Tags;
  readonly addresses: Addresses;
}

/** On this wire, changing a protected tag is a 422. */
const statusOf: StatusOf = (failure) =>
  failure.kind === 'forbidden' && failure.reason === 'protected' ? 422 : undefined;

export function tagRoutes(app: App, dependencies: Dependencies): void {
  readingRoutes(app, dependencies);
  changingRoutes(app, dependencies);
}

function readingRoutes(app: App, { tags, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.list(TAGS_URL, TAG.read, {
    id: 'repoListTags',
    isTagged: true,
    summary: 'List tags by name',
    answer: TagAnswer,
    async handle({ viewer, path, paging }) {
      const list = await tags.list(viewer, path, paging);
      return { total: list.total, tag: listTagOf(list, addresses), read: () => tags.readAll(list) };
    },
  });

  api.get(TAG_URL, TAG.read, {
    id: 'repoGetTag',
    otherwise: NOT_MODIFIED,
    summary: 'Get a tag',
    answer: TagAnswer,
    async handle(call) {
      const found = await tags.find(call.viewer, call.path, call.params['*']);
      return unlessKnown(call, tagOf(found, addresses), () => tags.read(found));
    },
  });

  api.get('/repos/:owner/:repo/git/tags/:sha', TAG.read, {
    id: 'GetAnnotatedTag',
    otherwise: NOT_MODIFIED,
    summary: 'Get an annotated tag by its id',
    answer: TagObjectAnswer,
    async handle(call) {
      const found = await tags.getObject(call.viewer, call.path, call.params.sha);
      const { tag, repository, verification } = found;
      const shown = [tag.oid, repositoryAddresses(repository, addresses), stateOf(verification)];
      return unlessKnown(call, strongTag(shown), () => found);
    },
  });
}

function changingRoutes(app: App, { tags, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(TAGS_URL, TAG.create, {
    id: 'repoCreateTag',
    summary: 'Create a tag',
    failures: ['archived', 'invalid', 'conflict', 'precondition_failed'],
    statusOf,
    body: CreateTagBody,
    status: 201,
    answer: TagAnswer,
    async handle({ viewer, path, request, body: { tag_name: name, message = '', target = '' } }) {
      const seen = namesVersion(request)
        ? await tags.list(viewer, path, pagingOf({}), TAG.create)
        : undefined;
      if (seen !== undefined) requireMatch(request, listTagOf(seen, addresses));
      await tags.create(viewer, path, { name, message, target }, seen);
      return tags.read(await tags.find(viewer, path, name));
    },
  });

  api.post('/repos/:owner/:repo/git/tags', TAG.create, {
    id: 'repoCreateGitTag',
    summary: 'Create an annotated tag that no ref reaches yet',
    failures: ['archived', 'invalid'],
    body: CreateTagObjectBody,
    status: 201,
    answer: TagObjectAnswer,
    async handle({ viewer, path, body: { tag: name, message, object, type = 'commit', tagger } }) {
      const person = tagger === undefined ? undefined : personOf(tagger);
      return tags.createObject(viewer, path, { name, message, object, type, tagger: person });
    },
  });

  api.delete(TAG_URL, TAG.delete, {
    id: 'repoDeleteTag',
    summary: 'Delete a tag',
    failures: ['archived', 'conflict', 'invalid', 'precondition_failed'],
    statusOf,
    async handle({ viewer, path, params, request }) {
      const seen = namesVersion(request) ? await tags.find(viewer, path, params['*'], TAG.delete) : undefined;
      if (seen !== undefined) requireMatch(request, tagOf(seen, addresses));
      return tags.delete(viewer, path, params['*'], seen?.oid);
    },
  });
}

/** The tag of a page of the list. No object is read for it. */
function listTagOf({ repository, refs, total }: FoundTags, addresses: Addresses): string {
  return strongTag([refs, total, repositoryAddresses(repository, addresses)]);
}

/** The tag of everything that the answer shows. No object is read for it. */
function tagOf({ oid, name, repository }: FoundTag, addresses: Addresses): string {
  return strongTag([oid, name, repositoryAddresses(repository, addresses)]);
}
