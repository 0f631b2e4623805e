import { type Readable, Writable } from 'node:stream';
import type { FastifyRequest } from 'fastify';
import { LIMITS } from '../core/limits.ts';
import type { App } from '../http/app.ts';
import { bodyTooLarge } from '../http/bodies.ts';
import { LongMember } from '../http/long-member.ts';
import type { FileContent } from './file-content.ts';

/** Parses JSON bodies on `app` while they arrive: the member `content` goes to the content of the request's file. */
export function takeFileBodies(app: App, contentOf: (request: FastifyRequest) => FileContent): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readFields(payload, contentOf(request)).then((fields) => {
      if (fields === '') done(null, undefined);
      else parse(request, fields, done);
    }, done);
  });
}

/** Returns the JSON of the body, with an empty string in place of the content. */
async function readFields(payload: Readable, content: FileContent): Promise<string> {
  const member = new LongMember('content', content, { restBytesMax: LIMITS.fileFieldsBytesMax });
  let bytes = 0;
  const take = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > LIMITS.fileBodyBytesMax || !member.push(chunk)) throw bodyTooLarge();
    await content.settle();
  };
  await readAll(payload, take);
  return member.rest();
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
