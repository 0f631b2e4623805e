import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { notFound } from '../../base/core/failure.ts';
import { ARCHIVE } from '../../code/archives/actions.ts';
import { sendArchive } from '../../code/archives/send.ts';
import type { Archives } from '../../code/archives/service.ts';
import type { Compare } from '../../code/commits/compare.ts';
import { comparedNamesOf, splitFormat } from '../../code/commits/model.ts';
import { sendText } from '../../code/commits/send-text.ts';
import type { CommitTexts } from '../../code/commits/texts.ts';
import { CONTENTS } from '../../code/contents/actions.ts';
import { sendMedia } from '../../code/contents/raw/media.ts';
import { sendRaw } from '../../code/contents/raw/raw.ts';
import type { Languages } from '../../hosting/languages/service.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { App } from '../../http/app.ts';
import { sendPage } from '../../http/pages/page.ts';
import { PULL } from '../../tracker/pulls/actions.ts';
import { PullTextQuery } from '../../tracker/pulls/diffs/schema.ts';
import type { PullDiffs } from '../../tracker/pulls/diffs/service.ts';
import { repositoryPath } from '../addresses.ts';
import { WEB_LIMITS } from '../limits.ts';
import { comparisonPage } from './comparison-page.ts';
import { type FilePageTools, filePage } from './file-page.ts';
import { answerGo, isForGo } from './go-get.ts';
import { homePage } from './home-page.ts';
import { commitPage } from './repository-page.ts';

interface Dependencies extends FilePageTools {
  readonly repositories: Repositories;
  readonly languages: Languages;
  readonly archives: Archives;
  readonly servesDirect: boolean;
  readonly compare: Compare;
  readonly commitTexts: CommitTexts;
  readonly pullDiffs: PullDiffs;
  readonly largeFiles: LargeFiles;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const At = Type.Object({ ...InRepository, kind: Type.String(), '*': Type.String() });
const Query = Type.Object({ 'go-get': Type.Optional(Type.String()) });
const FileQuery = Type.Object({ ...Query.properties, display: Type.Optional(Type.String()) });

/** Registers the pages of repositories, and the addresses of their files. */
export function repositoryPages(app: App, dependencies: Dependencies): void {
  overviewPage(app, dependencies);
  filePages(app, dependencies);
  commitPages(app, dependencies);
  archiveDownloads(app, dependencies);
  comparisonPages(app, dependencies);
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
      const path = pathOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const wikiOf = nameWithoutWiki(path.name);
      if (wikiOf !== undefined) {
        const named = await repositories.get(request.viewer, { ...path, name: wikiOf }, REPOSITORY.read);
        return reply.redirect(`${addresses.baseUrl}${repositoryPath(named.repository)}/wiki`, SEE_OTHER);
      }
      const permitted = await repositories.get(request.viewer, path, REPOSITORY.read);
      return sendPage(reply, await homePage(request.viewer, permitted, dependencies));
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
  const schema = { params: At, querystring: FileQuery };
  const addressOf = ({ params }: FastifyRequest) => {
    const { kind, '*': refAndPath } = params as { kind: string; '*': string };
    return { kind, refAndPath };
  };

  app.get(
    '/:owner/:repo/src/:kind/*',
    { config: { action: CONTENTS.readRaw }, schema },
    async (request, reply) => {
      if (isForGo(request.query)) return answerGo(request, reply, pathOf(request.params), dependencies);
      const location = await reading.locateAddress(
        request.viewer,
        pathOf(request.params),
        addressOf(request),
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
        if (isForGo(request.query)) return answerGo(request, reply, pathOf(request.params), dependencies);
        const location = await reading.locateRawAddress(
          request.viewer,
          pathOf(request.params),
          addressOf(request),
        );
        return route === 'raw'
          ? sendRaw(request, reply, { reading, location })
          : sendMedia(request, reply, { reading, files: largeFiles, location });
      },
    });
  }
}

function commitPages(app: App, dependencies: Dependencies): void {
  const { reading, commitTexts } = dependencies;
  const params = Type.Object({ ...InRepository, sha: Type.String() });
  app.get(
    '/:owner/:repo/commit/:sha',
    { config: { action: CONTENTS.readRaw }, schema: { params, querystring: Query } },
    async (request, reply) => {
      const path = pathOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const split = splitFormat(request.params.sha);
      if (split !== undefined)
        return sendText(request, reply, await commitTexts.ofCommit(request.viewer, path, split));
      const address = { kind: 'commit', refAndPath: request.params.sha };
      const location = await reading.locateAddress(request.viewer, path, address);
      const commit = await location.snapshot.objects.readCommit(location.commit);
      return sendPage(reply, commitPage(location, commit));
    },
  );
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
      const path = pathOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const location = await archives.locate(request.viewer, path, request.params['*']);
      return sendArchive(request, reply, { ...dependencies, location });
    },
  });
}

/** Registers the pages of comparisons, their diffs and their patches. */
function comparisonPages(app: App, dependencies: Dependencies): void {
  const { compare, commitTexts, addresses } = dependencies;
  const params = Type.Object({ ...InRepository, '*': Type.String() });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/compare/*',
    config: { action: CONTENTS.readRaw },
    schema: { params, querystring: Query },
    handler: async (request, reply) => {
      const path = pathOf(request.params);
      if (isForGo(request.query)) return answerGo(request, reply, path, dependencies);
      const basehead = request.params['*'];
      const split = splitFormat(basehead);
      if (split !== undefined)
        return sendText(request, reply, await commitTexts.between(request.viewer, path, split));
      const names = comparedNamesOf(basehead);
      const compared = await compare.find(request.viewer, path, names);
      const commits = await compare.compare(request.viewer, compared, FIRST_COMMITS);
      return sendPage(reply, comparisonPage(compared.inBase.repository, names, { commits, addresses }));
    },
  });
}

const FIRST_COMMITS = {
  slice: { limit: WEB_LIMITS.comparisonPageCommitsMax, offset: 0 },
  options: { hasStats: false, hasFiles: false, hasVerification: false },
} as const;

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
      const repository = pathOf(request.params);
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
      return answerGo(request, reply, pathOf(request.params), dependencies);
    },
  );
}

/** The address of a clone is also that of a page. */
function pathOf(params: unknown): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo.replace(/\.git$/i, '') };
}
