import { asIs } from '../../api/operations/answers.ts';
import { operationsOn } from '../../api/operations/operations.ts';
import { invalid } from '../../base/core/failure.ts';
import { Utf8Bytes } from '../../base/core/text/utf8-bytes.ts';
import type { GitStorage } from '../../git/model.ts';
import { repositoryAddresses } from '../../hosting/repositories/present.ts';
import type { Addresses, App } from '../../http/app.ts';
import { FileContents } from '../contents/file-contents.ts';
import { CONTENTS_LIMITS } from '../contents/limits.ts';
import { beginBodies, takeFileBodies } from '../contents/writing/file-body.ts';
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
  readonly git: GitStorage;
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

function common(onRequest: ReturnType<typeof beginBodies>['onRequest']) {
  return {
    failures: ['archived', 'invalid'] as const,
    bodyBytesInMemory: CONTENTS_LIMITS.fileFieldsBytesMax,
    options: { onRequest, bodyLimit: CONTENTS_LIMITS.fileBodyBytesMax },
    status: 201 as const,
  };
}

function blobRoute(app: App, { gitDataWriter, addresses }: Dependencies): void {
  const begun = beginBodies({
    find: (viewer, path) => gitDataWriter.find(viewer, path),
    contentsFor: (repository) => gitDataWriter.blobContent(repository),
  });
  takeFileBodies(app, ['content'], (request) => begun.of(request).contents);

  operationsOn(app, { tag: 'repository', addresses }).post(`${URL}/blobs`, GIT_DATA.write, {
    ...common(begun.onRequest),
    id: 'repoCreateGitBlob',
    summary: 'Create a blob that no ref reaches yet',
    body: CreateBlobBody,
    answer: CreatedBlobAnswer,
    async handle({ viewer, body: { content: place, encoding = 'utf-8' }, request }) {
      const { repository, contents: content } = begun.of(request);
      if (!content.isValid(place, encoding)) throw invalid(`[Content]: not ${NAME_OF[encoding]}`);
      const sha = await gitDataWriter.writeBlob(viewer, repository, { content, place, encoding });
      return { sha, url: `${repositoryAddresses(repository, addresses).url}/git/blobs/${sha}` };
    },
  });
}

const NAME_OF = { 'utf-8': 'valid Unicode', base64: 'standard base64' } as const;

function treeRoute(app: App, { gitData, gitDataWriter, git, addresses }: Dependencies): void {
  const begun = beginBodies({
    find: (viewer, path) => gitDataWriter.find(viewer, path),
    contentsFor: ({ id, objectFormat }) =>
      new FileContents(git.draftBlobs(id, objectFormat), {
        newDecoder: () => new Utf8Bytes(),
        listedIn: 'Tree',
      }),
  });
  takeFileBodies(app, ['tree', null, 'content'], (request) => begun.of(request).contents);

  operationsOn(app, { tag: 'repository', addresses }).post(`${URL}/trees`, GIT_DATA.write, {
    ...common(begun.onRequest),
    id: 'repoCreateGitTree',
    summary: 'Create a tree that no ref reaches yet, from scratch or from another tree',
    body: CreateTreeBody,
    answer: TreeAnswer,
    async handle({ viewer, path, body, request }) {
      const { repository, contents } = begun.of(request);
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
