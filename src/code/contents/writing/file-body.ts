import { type Readable, Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../../api/access/viewer.ts';
import type { Repository, RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { App } from '../../../http/app.ts';
import { bodyTooLarge } from '../../../http/bodies/bodies.ts';
import { LongMembers, type LongText, type MemberPath } from '../../../http/long-member.ts';
import { CONTENTS_LIMITS } from '../limits.ts';

/** Where the long texts of one body go. */
export interface ArrivingContents extends LongText {
  /** Passes on what has arrived since the last call. */
  settle(): Promise<void>;
  /** Called after the last text. */
  finish(): Promise<void>;
  /** Called once, at the end of the request. */
  discard(): Promise<void>;
}

interface Begun<Contents> {
  readonly repository: Repository;
  readonly contents: Contents;
}

/** Authorizes requests before their bodies are read, because bodies can be large. Later steps use what was found. */
export function beginBodies<Contents extends Pick<ArrivingContents, 'discard'>>(options: {
  find(viewer: Viewer, path: RepositoryPath): Promise<Repository>;
  contentsFor(repository: Repository): Contents;
}) {
  const begun = new WeakMap<FastifyRequest, Begun<Contents>>();
  return {
    async onRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> {
      const { owner, repo: name } = request.params as { owner: string; repo: string };
      const repository = await options.find(request.viewer, { owner, name });
      const contents = options.contentsFor(repository);
      begun.set(request, { repository, contents });
      reply.raw.once('close', () => {
        contents
          .discard()
          .catch((error: unknown) => request.log.error({ err: error }, 'drafts were not deleted'));
      });
    },
    of(request: FastifyRequest): Begun<Contents> {
      const found = begun.get(request);
      if (found === undefined) throw new Error(`no repository was looked up for ${request.url}`);
      return found;
    },
  };
}

/**
 * Parses JSON bodies on `app` while they arrive: the texts at `path` go to the contents of the request, and the body has
 * their places instead (`FileContents.at`).
 */
export function takeFileBodies(
  app: App,
  path: MemberPath,
  contentsOf: (request: FastifyRequest) => ArrivingContents,
): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readFields(payload, path, contentsOf(request)).then((fields) => {
      if (fields === '') done(null, undefined);
      else parse(request, fields, done);
    }, done);
  });
}

/** Returns the JSON of the body, with places instead of the contents. */
async function readFields(payload: Readable, path: MemberPath, contents: ArrivingContents): Promise<string> {
  const members = new LongMembers(path, contents, { restBytesMax: CONTENTS_LIMITS.fileFieldsBytesMax });
  let bytes = 0;
  const take = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > CONTENTS_LIMITS.fileBodyBytesMax || !members.push(chunk)) throw bodyTooLarge();
    await contents.settle();
  };
  await readAll(payload, take);
  await contents.finish();
  return members.rest();
}

/** Reads a stream to its end. After an error it stays open, because the response uses its connection. */
function readAll(source: Readable, take: (chunk: Buffer) => Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    const reader = new Writable({
      write(chunk: Buffer, _encoding, done) {
        take(chunk).then(() => done(), done);
      },
    });
    source.once('error', (error) => reader.destroy(error));
    reader.once('finish', resolve).once('error', reject);
    source.pipe(reader);
  });
}
