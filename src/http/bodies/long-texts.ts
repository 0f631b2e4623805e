import { type Readable, Writable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CLIENT_LEFT } from '../../base/core/fairness/caller.ts';
import type { App } from '../app.ts';
import { HTTP_LIMITS } from '../limits.ts';
import { LongMembers, type LongText, type MemberPath } from '../long-member.ts';
import { bodyTooLarge } from './bodies.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** where the long texts of the body go, for routes of `acceptLongTexts` */
    longTexts: ArrivingTexts | null;
  }
}

/** Where the long texts of one body go. */
export interface ArrivingTexts extends LongText {
  /** Writes what has arrived since the last call. */
  flush(): Promise<void>;
  /** Called after the last text. */
  finish(): Promise<void>;
  /** Called once, at the end of the request. */
  discard(): Promise<void>;
}

/**
 * States where the long texts of a request go. Call this before its body is read.
 *
 * @throws the reason of the caller's leaving
 */
export function receiveLongTexts(request: FastifyRequest, reply: FastifyReply, texts: ArrivingTexts): void {
  request.longTexts = texts;
  const discard = () => {
    texts
      .discard()
      .catch((error: unknown) => request.log.error({ err: error }, 'long texts were not discarded'));
  };
  if (!reply.raw.closed) {
    reply.raw.once('close', discard);
    return;
  }
  // The client has left during the authorization.
  discard();
  throw CLIENT_LEFT;
}

/**
 * Parses JSON bodies on `app` while they arrive: the texts at `path` go to the receiver of the request, and the body
 * has what `begin` returned in their places. The route's `bodyLimit` bounds the whole body, its `bodyBytesInMemory` the
 * rest without these texts.
 */
export function acceptLongTexts(app: App, path: MemberPath): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeContentTypeParser('application/json');
  app.addContentTypeParser('application/json', (request, payload, done) => {
    readRest(request, payload, path).then((rest) => {
      if (rest === '') done(null, undefined);
      else parse(request, rest, done);
    }, done);
  });
}

/** Returns the JSON of the body without its long texts. */
async function readRest(request: FastifyRequest, payload: Readable, path: MemberPath): Promise<string> {
  const { longTexts: texts, routeOptions } = request;
  if (texts === null) throw new Error(`nothing receives the long texts of ${request.url}`);
  const bytesMax = routeOptions.bodyLimit ?? HTTP_LIMITS.jsonBodyBytesMax;
  const restBytesMax = routeOptions.config.bodyBytesInMemory ?? bytesMax;
  const members = new LongMembers(path, texts, { restBytesMax });
  let bytes = 0;
  const take = async (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax || !members.push(chunk)) throw bodyTooLarge();
    await texts.flush();
  };
  await readAll(payload, take);
  await texts.finish();
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
