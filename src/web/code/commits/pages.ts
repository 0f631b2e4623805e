import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { reaches } from '../../../api/access/levels.ts';
import { offsetOf, pagingOf } from '../../../base/core/paging.ts';
import type { Html } from '../../../base/core/text/html.ts';
import { COMMIT } from '../../../code/commits/actions.ts';
import type { Compare } from '../../../code/commits/compare.ts';
import { comparedNamesOf, splitFormat } from '../../../code/commits/model.ts';
import { sendText } from '../../../code/commits/send-text.ts';
import type { Commits } from '../../../code/commits/service.ts';
import type { CommitTexts } from '../../../code/commits/texts.ts';
import { CONTENTS } from '../../../code/contents/actions.ts';
import type { ContentsReader } from '../../../code/contents/read.ts';
import type { PermittedRepository } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import type { App } from '../../../http/app.ts';
import { sendPage } from '../../../http/pages/page.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { DiffQuery, diffLookOf } from '../../parts/diff/look.ts';
import { answerGo, isForGo } from '../go-get.ts';
import { AtRef, GoQuery, InRepository, refAddressOf, repositoryOf } from '../route-parts.ts';
import { type CommitPageTools, commitPage } from './commit-page.ts';
import { comparisonPage, endsOf } from './comparison-page.ts';
import { commitListPage } from './list-page.ts';

/** A pull request that is about to be opened with the commits of a comparison. */
export interface OpeningPull {
  readonly permitted: PermittedRepository;
  readonly base: string;
  readonly head: string;
  /** message of the only commit; undefined if there are several */
  readonly message: string | undefined;
}

interface Dependencies extends CommitPageTools {
  /** Returns the form that opens a pull request. */
  readonly openingForm: (request: FastifyRequest, reply: FastifyReply, pull: OpeningPull) => Promise<Html>;

  readonly repositories: Repositories;
  readonly reading: ContentsReader;
  readonly commits: Commits;
  readonly compare: Compare;
  readonly commitTexts: CommitTexts;
}

/** Registers the pages of commits and of comparisons. */
export function commitPages(app: App, dependencies: Dependencies): void {
  listPage(app, dependencies);
  onePage(app, dependencies);
  comparisonPages(app, dependencies);
}

function listPage(app: App, dependencies: Dependencies): void {
  const { reading, commits, addresses } = dependencies;
  const querystring = Type.Object({ ...GoQuery, page: Type.Optional(Type.Integer()) });
  app.get(
    '/:owner/:repo/commits/:kind/*',
    { config: { action: COMMIT.read }, schema: { params: AtRef, querystring } },
    async (request, reply) => {
      const { viewer, params, query } = request;
      const repository = repositoryOf(params);
      if (isForGo(query)) return answerGo(request, reply, repository, dependencies);
      const location = await reading.locateAddress(viewer, repository, refAddressOf(params), COMMIT.read);
      const { snapshot, commit: oid, path } = location;
      const paging = pagingOf({ page: query.page, limit: WEB_LIMITS.commitsPageItemsMax });
      const slice = { limit: paging.limit, offset: offsetOf(paging) };
      const range = { head: { snapshot, oid }, without: [], path: path === '' ? null : path };
      const options = { hasStats: false, hasFiles: false, hasVerification: true };
      const page = await commits.page(viewer, location, range, { slice, options });
      return sendPage(reply, commitListPage(location, page, { ...paging, addresses }));
    },
  );
}

function onePage(app: App, dependencies: Dependencies): void {
  const { reading, commitTexts } = dependencies;
  const params = Type.Object({ ...InRepository, sha: Type.String() });
  const querystring = Type.Object({ ...GoQuery, ...DiffQuery });
  app.get(
    '/:owner/:repo/commit/:sha',
    { config: { action: CONTENTS.readRaw }, schema: { params, querystring } },
    async (request, reply) => {
      const { viewer, query } = request;
      const path = repositoryOf(request.params);
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      const split = splitFormat(request.params.sha);
      if (split !== undefined)
        return sendText(request, reply, await commitTexts.ofCommit(viewer, path, split));
      const address = { kind: 'commit', refAndPath: request.params.sha };
      const location = await reading.locateAddress(viewer, path, address);
      return sendPage(
        reply,
        await commitPage(viewer, location, { ...dependencies, look: diffLookOf(query) }),
      );
    },
  );
}

/** Registers the pages of comparisons, their diffs and their patches. */
function comparisonPages(app: App, dependencies: Dependencies): void {
  const { compare, commitTexts, differences, addresses, openingForm } = dependencies;
  const params = Type.Object({ ...InRepository, '*': Type.String() });
  const querystring = Type.Object({ ...GoQuery, ...DiffQuery, expand: Type.Optional(Type.String()) });
  app.route({
    method: ['GET', 'HEAD'],
    url: '/:owner/:repo/compare/*',
    config: { action: CONTENTS.readRaw },
    schema: { params, querystring },
    handler: async (request, reply) => {
      const { viewer, query } = request;
      const path = repositoryOf(request.params);
      if (isForGo(query)) return answerGo(request, reply, path, dependencies);
      const basehead = request.params['*'];
      const split = splitFormat(basehead);
      if (split !== undefined)
        return sendText(request, reply, await commitTexts.between(viewer, path, split));
      const names = comparedNamesOf(basehead);
      const compared = await compare.find(viewer, path, names);
      const look = diffLookOf(query);
      const [commits, read] = await Promise.all([
        compare.compare(viewer, compared, FIRST_COMMITS),
        differences.read({ from: compared.from, to: compared.head }, look),
      ]);
      const { permitted } = compared.inBase;
      const isOpening =
        query.expand !== undefined && commits.total > 0 && reaches(permitted.units.pulls, 'read');
      const opening = isOpening
        ? await openingForm(request, reply, {
            permitted,
            ...endsOf(names, compared),
            message: commits.total === 1 ? commits.commits[0]?.commit.message : undefined,
          })
        : undefined;
      const shown = { compared, names, commits, differences: read, look, opening };
      return sendPage(reply, await comparisonPage(shown, addresses));
    },
  });
}

const FIRST_COMMITS = {
  slice: { limit: WEB_LIMITS.comparisonPageCommitsMax, offset: 0 },
  options: { hasStats: false, hasFiles: false, hasVerification: true },
} as const;
