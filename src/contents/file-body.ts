import { type Readable, Writable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../core/limits.ts';
import type { App } from '../http/app.ts';
import { bodyTooLarge } from '../http/bodies.ts';
import { LongMembers, type MemberPath } from '../http/long-member.ts';
import type { FileContents } from './file-contents.ts';

/**
 * Parses JSON bodies on `app` while they arrive: the texts at `path` go to the contents of the request, and the body has
 * their places instead (`FileContents.at`).
 */
export function takeFileBodies(
  app: App,
  path: MemberPath,
  contentsOf: (request: FastifyRequest) => FileContents,
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
async function readFields(payload: Readable, path: MemberPath, contents: FileContents): Promise<string> {
  const members = new LongMembers(path, contents, { restBytesMax: LIMITS.fileFieldsBytesMax });
  let bytes = 0;
  const take = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LIMITS.fileBodyBytesMax || !members.push(chunk)) throw bodyTooLarge();
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
