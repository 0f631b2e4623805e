import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { invalid } from '../../base/core/failure.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { acceptLongTexts, receiveLongTexts } from '../../http/bodies/long-texts.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import { GIT_DATA } from './actions.ts';
import { GIT_DATA_LIMITS } from './limits.ts';
import { newCommitOf, newTreeOf } from './options.ts';
import { NewCommitAnswer, TreeAnswer } from './present.ts';
import { CreateBlobBody, CreateCommitBody, CreatedBlobSchema, CreateTreeBody } from './schema.ts';
import type { GitData } from './service.ts';
import type { GitDataWriter } from './write.ts';

interface Dependencies {
  readonly gitData: GitData;
  readonly gitDataWriter: GitDataWriter;
  readonly addresses: Addresses;
}

const URL = '/repos/:owner/:repo/git';
const CreatedBlobAnswer = asIs(CreatedBlobSchema);

export function gitDataWritingRoutes(app: App, dependencies: Dependencies): void {
  commitRoute(app, dependencies);
  // Scopes of their own, because these routes parse their bodies in their own way.
  app.register(async (scope) => blobRoute(scope as App, dependencies));
  app.register(async (scope) => treeRoute(scope as App, dependencies));
}

const COMMON = {
  failures: ['archived', 'invalid'],
  bodyBytesInMemory: CONTENTS_LIMITS.fileFieldsBytesMax,
  options: { bodyLimit: CONTENTS_LIMITS.fileBodyBytesMax },
  status: 201,
} as const;

function blobRoute(app: App, { gitDataWriter, addresses }: Dependencies): void {
  acceptLongTexts(app, ['content']);

  operationsOn(app, { tag: 'repository', addresses }).post(`${URL}/blobs`, GIT_DATA.write, {
    ...COMMON,
    id: 'repoCreateGitBlob',
    summary: 'Create a blob that no ref reaches yet',
    body: CreateBlobBody,
    answer: CreatedBlobAnswer,
    async begin({ viewer, path, request, reply }) {
      const repository = await gitDataWriter.find(viewer, path);
      const content = gitDataWriter.blobContent(repository);
      receiveLongTexts(request, reply, content);
      return { repository, content };
    },
    async handle({ viewer, body: { content: place, encoding = 'utf-8' }, begun: { repository, content } }) {
      if (!content.isValid(place, encoding)) throw invalid(`[Content]: not ${NAME_OF[encoding]}`);
      const sha = await gitDataWriter.writeBlob(viewer, repository, { content, place, encoding });
      return { sha, url: `${repositoryAddresses(repository, addresses).url}/git/blobs/${sha}` };
    },
  });
}

const NAME_OF = { 'utf-8': 'valid Unicode', base64: 'standard base64' } as const;

function treeRoute(app: App, { gitData, gitDataWriter, addresses }: Dependencies): void {
  acceptLongTexts(app, ['tree', null, 'content']);

  operationsOn(app, { tag: 'repository', addresses }).post(`${URL}/trees`, GIT_DATA.write, {
    ...COMMON,
    id: 'repoCreateGitTree',
    summary: 'Create a tree that no ref reaches yet, from scratch or from another tree',
    body: CreateTreeBody,
    answer: TreeAnswer,
    async begin({ viewer, path, request, reply }) {
      const repository = await gitDataWriter.find(viewer, path);
      const contents = gitDataWriter.treeContents(repository);
      receiveLongTexts(request, reply, contents);
      return { repository, contents };
    },
    async handle({ viewer, path, body, begun: { repository, contents } }) {
      const tree = newTreeOf(body, contents);
      const oid = await gitDataWriter.writeTree(viewer, repository, tree, contents);
      const found = await gitData.findTree(viewer, path, oid);
      return gitData.tree(found, {
        isRecursive: false,
        page: 1,
        perPage: GIT_DATA_LIMITS.treesPerPageDefault,
      });
    },
  });
}

function commitRoute(app: App, { gitDataWriter, addresses }: Dependencies): void {
  operationsOn(app, { tag: 'repository', addresses }).post(`${URL}/commits`, GIT_DATA.write, {
    id: 'repoCreateGitCommit',
    summary: 'Create a commit that no ref reaches yet',
    failures: ['archived', 'invalid'],
    body: CreateCommitBody,
    status: 201,
    answer: NewCommitAnswer,
    async handle({ viewer, path, body }) {
      const wanted = newCommitOf(body);
      const repository = await gitDataWriter.find(viewer, path);
      return gitDataWriter.writeCommit(viewer, repository, wanted);
    },
  });
}
