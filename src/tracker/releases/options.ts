import type { Static } from 'typebox';
import type { ReleaseFields, ReleaseFilter } from './model.ts';
import type { CreateReleaseBody, EditReleaseBody } from './schema.ts';

/** @returns the fields of a new release; an empty target is the default branch */
export function newReleaseOf(body: Static<typeof CreateReleaseBody>): ReleaseFields {
  return {
    tag: body.tag_name,
    target: body.target_commitish ?? '',
    title: body.name ?? '',
    body: body.body ?? '',
    isDraft: body.draft ?? false,
    isPrerelease: body.prerelease ?? false,
    hidesArchives: body.hide_archive_links ?? false,
  };
}

/** Returns the fields that a request changes. Clients that change other fields send empty texts. */
export function releaseEditOf(body: Static<typeof EditReleaseBody>): Partial<ReleaseFields> {
  const texts = {
    tag: body.tag_name,
    target: body.target_commitish,
    title: body.name,
    body: body.body,
  };
  const flags = {
    isDraft: body.draft,
    isPrerelease: body.prerelease,
    hidesArchives: body.hide_archive_links,
  };
  const stated = Object.entries({ ...texts, ...flags }).filter(
    ([, value]) => value !== undefined && value !== '',
  );
  return Object.fromEntries(stated);
}

export function releaseFilterOf(query: {
  readonly draft?: boolean;
  readonly 'pre-release'?: boolean;
  readonly q?: string;
}): ReleaseFilter {
  return { isDraft: query.draft, isPrerelease: query['pre-release'], text: (query.q ?? '').trim() };
}
