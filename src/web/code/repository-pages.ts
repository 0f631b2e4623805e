import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { notFound } from '../../base/core/failure.ts';
import { ARCHIVE } from '../../code/archives/actions.ts';
import { sendArchive } from '../../code/archives/send.ts';
import type { Archives } from '../../code/archives/service.ts';
import { sendText } from '../../code/commits/send-text.ts';
import { CONTENTS } from '../../code/contents/actions.ts';
import { sendMedia } from '../../code/contents/raw/media.ts';
import { sendRaw } from '../../code/contents/raw/raw.ts';
import type { Languages } from '../../hosting/languages/service.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PULL } from '../../tracker/pulls/actions.ts';
import { PullTextQuery } from '../../tracker/pulls/diffs/schema.ts';
import type { PullDiffs } from '../../tracker/pulls/diffs/service.ts';
import { repositoryPath } from '../addresses.ts';
import { type FilePageTools, filePage } from './file-page.ts';
import { answerGo, isForGo } from './go-get.ts';
import { homePage } from './home-page.ts';
import { type MarkTools, markButtons, markForms } from './mark-parts.ts';
import { AtRef, GoQuery, InRepository, refAddressOf, repositoryOf } from './route-parts.ts';

interface Dependencies extends FilePageTools, MarkTools {
  readonly repositories: Repositories;
  readonly languages: Languages;
  readonly archives: Archives;
  readonly servesDirect: boolean;
  readonly pullDiffs: PullDiffs;
  readonly largeFiles: LargeFiles;
}

const Query = Type.Object(GoQuery);
const FileQuery = Type.Object({ ...Query.properties, display: Type.Optional(Type.String()) });

/** Registers the pages of repositories, and the addresses of their files. */
export function repositoryPages(app: App, dependencies: Dependencies): void {
  overviewPage(app, dependencies);
  markForms(app, dependencies);
  filePages(app, dependencies);
  archiveDownloads(app, dependencies);
  pullTexts(app, dependencies);
  goPackages(app, dependencies);
}

function overviewPage(app: App, dependencies: Dependencies): void {
  const { repositories, addresses } = dependencies;
  app.get(
    '/:owner/:repo',
    {
      config: { action: REPOSITORY.read },
      schema: { params: Type.Object(InRepository), querystring: Query },
    },
    async (request, reply) => {
      const path = repositoryOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const wikiOf = nameWithoutWiki(path.name);
      if (wikiOf !== undefined) {
        const named = await repositories.get(request.viewer, { ...path, name: wikiOf }, REPOSITORY.read);
        return reply.redirect(`${addresses.baseUrl}${repositoryPath(named.repository)}/wiki`, SEE_OTHER);
      }
      const permitted = await repositories.get(request.viewer, path, REPOSITORY.read);
      const acts = await markButtons(request, reply, permitted, dependencies);
      const page = await homePage(request.viewer, permitted, dependencies, acts);
      return sendPage(reply, { ...page, hasForm: isSignedIn(request.viewer) });
    },
  );
}

const SEE_OTHER = 303;

/** The address of a clone of a wiki is also that of a page. No repository has such a name. */
function nameWithoutWiki(name: string): string | undefined {
  return /\.wiki$/i.test(name) ? name.slice(0, -'.wiki'.length) : undefined;
}

function filePages(app: App, dependencies: Dependencies): void {
  const { reading, largeFiles } = dependencies;
  const schema = { params: AtRef, querystring: FileQuery };

  app.get(
    '/:owner/:repo/src/:kind/*',
    { config: { action: CONTENTS.readRaw }, schema },
    async (request, reply) => {
      if (isForGo(request.query)) return answerGo(request, reply, repositoryOf(request.params), dependencies);
      const location = await reading.locateAddress(
        request.viewer,
        repositoryOf(request.params),
        refAddressOf(request.params),
      );
      const showsSource = request.query.display === 'source';
      const look = await reading.look(location);
      return sendPage(
        reply,
        await filePage(request.viewer, location, look, { showsSource, ...dependencies }),
      );
    },
  );

  for (const route of ['raw', 'media']) {
    app.route({
      // HEAD is stated here: Fastify's own would open the file and discard its bytes.
      method: ['GET', 'HEAD'],
      url: `/:owner/:repo/${route}/:kind/*`,
      config: { action: CONTENTS.readRaw },
      schema,
      handler: async (request, reply) => {
        if (isForGo(request.query))
          return answerGo(request, reply, repositoryOf(request.params), dependencies);
        const location = await reading.locateRawAddress(
          request.viewer,
          repositoryOf(request.params),
          refAddressOf(request.params),
        );
        return route === 'raw'
          ? sendRaw(request, reply, { reading, location })
          : sendMedia(request, reply, { reading, files: largeFiles, location });
      },
    });
  }
}

function archiveDownloads(app: App, dependencies: Dependencies): void {
  const { archives } = dependencies;
  app.route({
    // HEAD is stated here: Fastify's own would build the archive and discard its bytes.
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/archive/*',
    config: { action: ARCHIVE.get },
    schema: { params: Type.Object({ ...InRepository, '*': Type.String() }), querystring: Query },
    handler: async (request, reply) => {
      const path = repositoryOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const location = await archives.locate(request.viewer, path, request.params['*']);
      return sendArchive(request, reply, { ...dependencies, location });
    },
  });
}

/** Registers the diffs and patches to which the records of pull requests link. */
function pullTexts(app: App, dependencies: Dependencies): void {
  const { pullDiffs } = dependencies;
  const params = Type.Object({ ...InRepository, number: Type.String(), diffType: Type.String() });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/pulls/:number.:diffType(^diff|patch$)',
    config: { action: PULL.read },
    schema: { params, querystring: Type.Object({ ...Query.properties, ...PullTextQuery }) },
    handler: async (request, reply) => {
      const repository = repositoryOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, repository, dependencies);
      const { number, diffType } = request.params;
      const format = diffType === 'patch' ? 'patch' : 'diff';
      const { binary = false } = request.query;
      const text = await pullDiffs.text(request.viewer, { repository, number }, { format, binary });
      return sendText(request, reply, text);
    },
  });
}

/** Answers the go command, which asks with the path of a package. It finds the package in the repository by itself. */
function goPackages(app: App, dependencies: Dependencies): void {
  const params = Type.Object({ ...InRepository, '*': Type.String() });
  app.get(
    '/:owner/:repo/*',
    { config: { action: REPOSITORY.read }, schema: { params, querystring: Query } },
    async (request, reply) => {
      if (!isForGo(request.query)) throw notFound('page');
      return answerGo(request, reply, repositoryOf(request.params), dependencies);
    },
  );
}
