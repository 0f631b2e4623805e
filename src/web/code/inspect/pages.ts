import { Type } from 'typebox';
import { isFailure, notFound } from '../../../base/core/failure.ts';
import { CONTENTS } from '../../../code/contents/actions.ts';
import type { ContentsInspector } from '../../../code/contents/inspect.ts';
import type { AddressedLocation } from '../../../code/contents/model.ts';
import type { ContentsReader } from '../../../code/contents/read.ts';
import type { FileFinder } from '../../../code/git-data/file-finder.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { filePath } from '../../addresses.ts';
import { sentence } from '../../forms/form-parts.ts';
import type { Highlighter } from '../../highlighting/highlighter.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { answerGo, isForGo } from '../go-get.ts';
import { AtRef, GoQuery, InRepository, refAddressOf, repositoryOf } from '../route-parts.ts';
import { blamePage } from './blame-page.ts';
import { findPage } from './find-page.ts';
import { searchPage } from './search-page.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly inspector: ContentsInspector;
  readonly fileFinder: FileFinder;
  readonly highlighter: Highlighter;
  readonly addresses: Addresses;
}

const SEE_OTHER = 303;
const SearchQuery = Type.Object({ ...GoQuery, q: Type.Optional(Type.String()) });

/** Registers the pages that find lines and files, and who changed them. */
export function inspectionPages(app: App, dependencies: Dependencies): void {
  blame(app, dependencies);
  search(app, dependencies);
  find(app, dependencies);
}

function blame(app: App, dependencies: Dependencies): void {
  const { reading } = dependencies;
  app.get(
    '/:owner/:repo/blame/:kind/*',
    { config: { action: CONTENTS.readRaw }, schema: { params: AtRef, querystring: Type.Object(GoQuery) } },
    async (request, reply) => {
      const { viewer, params } = request;
      const path = repositoryOf(params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const location = await reading.locateAddress(viewer, path, refAddressOf(params));
      const look = await reading.look(location);
      if (look.kind === 'folder')
        return reply.redirect(
          `${dependencies.addresses.baseUrl}${filePath('src', location, location.path)}`,
          SEE_OTHER,
        );
      return sendPage(reply, await blamePage(location, look, dependencies));
    },
  );
}

function search(app: App, dependencies: Dependencies): void {
  const { inspector } = dependencies;
  app.get(
    '/:owner/:repo/search',
    {
      config: { action: CONTENTS.readRaw },
      schema: { params: Type.Object(InRepository), querystring: SearchQuery },
    },
    async (request, reply) => {
      const { viewer, params, query } = request;
      const path = repositoryOf(params);
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      const { q: text = '' } = query;
      const opened = await inspector.open(viewer, path);
      const { found, problem } = await foundIn(inspector, opened.location, text);
      if (problem !== undefined) reply.code(422);
      return sendPage(reply, searchPage({ ...opened, text, found, problem }));
    },
  );
}

async function foundIn(inspector: ContentsInspector, location: AddressedLocation | undefined, text: string) {
  if (location === undefined || text === '') return { found: undefined, problem: undefined };
  try {
    return { found: await inspector.search(location, text), problem: undefined };
  } catch (error) {
    if (!isFailure(error, 'invalid')) throw error;
    return { found: undefined, problem: sentence(error.failure.what) };
  }
}

function find(app: App, dependencies: Dependencies): void {
  const { reading, fileFinder } = dependencies;
  app.get(
    '/:owner/:repo/find/:kind/*',
    { config: { action: CONTENTS.readRaw }, schema: { params: AtRef, querystring: SearchQuery } },
    async (request, reply) => {
      const { viewer, params, query } = request;
      const path = repositoryOf(params);
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      const location = await reading.locateAddress(viewer, path, refAddressOf(params));
      if (location.path !== '') throw notFound('page');
      const { q: text = '' } = query;
      const commit = { snapshot: location.snapshot, oid: location.commit };
      const found = await fileFinder.find(commit, text, WEB_LIMITS.foundFilesMax);
      return sendPage(reply, findPage(location, text, found));
    },
  );
}
