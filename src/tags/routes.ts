import { operationsOn } from '../access/operations.ts';
import type { Addresses, App } from '../http/app.ts';
import { namesVersion, requireMatch, strongTag, unlessKnown } from '../http/conditional.ts';
import type { StatusOf } from '../http/errors/wire.ts';
import { NOT_MODIFIED } from '../http/shapes.ts';
import { repositoryAddresses } from '../repositories/present.ts';
import { TAG } from './actions.ts';
import { TagAnswer, TagObjectAnswer } from './present.ts';
import { CreateTagBody } from './schema.ts';
import type { FoundTag, Tags } from './service.ts';

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
    summary: 'List tags by name',
    answer: TagAnswer,
    handle: ({ viewer, path, paging }) => tags.list(viewer, path, paging),
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
      const found = await tags.findObject(call.viewer, call.path, call.params.sha);
      const tag = strongTag([found.oid, repositoryAddresses(found.repository, addresses)]);
      return unlessKnown(call, tag, () => tags.readObject(found));
    },
  });
}

function changingRoutes(app: App, { tags, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post(TAGS_URL, TAG.create, {
    id: 'repoCreateTag',
    summary: 'Create a tag',
    failures: ['archived', 'invalid', 'conflict'],
    statusOf,
    body: CreateTagBody,
    status: 201,
    answer: TagAnswer,
    async handle({ viewer, path, body: { tag_name: name, message = '', target = '' } }) {
      await tags.create(viewer, path, { name, message, target });
      return tags.read(await tags.find(viewer, path, name));
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

/** The tag of everything that the answer shows. No object is read for it. */
function tagOf({ oid, name, repository }: FoundTag, addresses: Addresses): string {
  return strongTag([oid, name, repositoryAddresses(repository, addresses)]);
}
