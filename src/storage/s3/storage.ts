import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  type _Object as ListedObject,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { currentCaller } from '../../base/core/fairness/caller.ts';
import { FairSlots } from '../../base/core/fairness/fair-slots.ts';
import { CORE_LIMITS } from '../../base/core/limits.ts';
import { realTimeMs } from '../../base/core/time/clock.ts';
import { checkedBody } from '../body-check.ts';
import { downloadHeaders } from '../download-headers.ts';
import { isKey, requireKey } from '../keys.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type {
  ObjectRange,
  ObjectReading,
  ObjectStorage,
  PutOptions,
  PutOutcome,
  SignedRequest,
  StoredObject,
} from '../model.ts';
import { createS3Clients, S3_PATIENCE, type S3Clients, type S3Patience } from './client.ts';
import { answerIn, failureOf, type S3Answer, storeFailed } from './errors.ts';
import type { S3Settings } from './settings.ts';
import { S3Upload } from './upload.ts';
import { WatchedBody } from './watched-body.ts';

/** Stores objects in a bucket of an S3 store. */
export class S3Storage implements ObjectStorage {
  readonly #settings: S3Settings;
  readonly #patience: S3Patience;
  readonly #clients: S3Clients;
  /** bytes in memory */
  readonly #uploads = new FairSlots({
    what: 'uploads to the object store',
    unitsMax: STORAGE_LIMITS.s3UploadBytesInMemoryMax,
    unitsPerCallerMax: STORAGE_LIMITS.s3UploadBytesPerCallerMax,
    unitsForSignedIn: STORAGE_LIMITS.s3UploadBytesInMemoryMax / 4,
    queueMax: CORE_LIMITS.gitQueueMax,
    queuePerCallerMax: CORE_LIMITS.gitQueuePerCallerMax,
    waitMs: CORE_LIMITS.gitQueueWaitMs,
  });

  constructor(settings: S3Settings, patience: S3Patience = S3_PATIENCE) {
    this.#settings = settings;
    this.#patience = patience;
    this.#clients = createS3Clients(settings, patience);
  }

  async put(key: string, body: AsyncIterable<Uint8Array>, options: PutOptions = {}): Promise<PutOutcome> {
    const upload = new S3Upload(this.#clients.calls, this.#target(key), {
      ...options,
      writeMs: this.#patience.writeMs,
    });
    const source = { failure: undefined as unknown };
    return this.#uploads.run(
      async () => {
        try {
          return await upload.run(watchedSource(checkedBody(body, options), source));
        } catch (error) {
          // An error of the body is not one of the store.
          throw error === source.failure ? error : failureOf(error, this.#settings);
        }
      },
      { units: upload.bytesInMemory },
    );
  }

  async get(key: string, range?: ObjectRange): Promise<ObjectReading> {
    const asked = range === undefined ? {} : { Range: `bytes=${range.start}-${range.end ?? ''}` };
    const command = new GetObjectCommand({ ...this.#target(key), ...asked });
    const answer = await this.#ask((options) => this.#clients.downloads.send(command, options));
    const { Body, ContentLength, ContentRange, LastModified } = answer;
    if (!(Body instanceof Readable) || ContentLength === undefined)
      throw storeFailed(new Error('the answer has no body or no length'), this.#settings);
    const body = new WatchedBody(Body, {
      sizeBytes: ContentLength,
      silenceMs: this.#patience.silenceMs,
      failure: (why) => storeFailed(why, this.#settings),
    });
    const sizeBytes = range === undefined ? ContentLength : Number(/\/(\d+)$/.exec(ContentRange ?? '')?.[1]);
    if (Number.isNaN(sizeBytes)) {
      body.destroy();
      throw storeFailed(new Error('the answer is not the range that was requested'), this.#settings);
    }
    return { key, sizeBytes, modifiedAt: timeOf(LastModified), body };
  }

  async head(key: string): Promise<StoredObject | undefined> {
    const command = new HeadObjectCommand(this.#target(key));
    const found = await this.#askUnless(['absent'], (options) => this.#clients.calls.send(command, options));
    if (found === undefined) return undefined;
    return { key, sizeBytes: found.ContentLength ?? 0, modifiedAt: timeOf(found.LastModified) };
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#target(key));
    await this.#askUnless(['absent'], (options) => this.#clients.calls.send(command, options));
  }

  async *list(prefix: string, { after = '' }: { after?: string } = {}): AsyncGenerator<StoredObject, void> {
    const { bucket: Bucket, prefix: base } = this.#settings;
    const start = after === '' ? {} : { StartAfter: `${base}${after}` };
    let token: string | undefined;
    do {
      const next = token === undefined ? start : { ContinuationToken: token };
      const command = new ListObjectsV2Command({ Bucket, Prefix: `${base}${prefix}`, ...next });
      const page = await this.#ask((options) => this.#clients.calls.send(command, options));
      for (const listed of page.Contents ?? []) {
        const object = storedIn(listed, base);
        if (object !== undefined) yield object;
      }
      token = page.IsTruncated === true ? page.NextContinuationToken : undefined;
      if (page.IsTruncated === true && token === undefined)
        throw storeFailed(new Error('the list goes on, but does not say where'), this.#settings);
    } while (token !== undefined);
  }

  async signedUrl(key: string, request: SignedRequest): Promise<string> {
    const { disposition, type } = downloadHeaders(request);
    const input = {
      ...this.#target(key),
      ResponseContentDisposition: disposition,
      ResponseContentType: type,
    };
    const command = request.method === 'HEAD' ? new HeadObjectCommand(input) : new GetObjectCommand(input);
    // The clock of the store may be behind.
    const signingDate = new Date(realTimeMs() - STORAGE_LIMITS.s3ClockSkewMs);
    const expiresIn = Math.ceil((request.lifetimeMs + STORAGE_LIMITS.s3ClockSkewMs) / 1000);
    return getSignedUrl(this.#clients.signer, command, { expiresIn, signingDate });
  }

  async removeAbandoned(olderThanMs: number): Promise<void> {
    const { bucket: Bucket, prefix: Prefix } = this.#settings;
    let after: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (after !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({
        Bucket,
        Prefix,
        ...after,
      });
      const page = await this.#ask((options) => this.#clients.calls.send(command, options));
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (realTimeMs() - timeOf(Initiated) <= olderThanMs) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        await this.#askUnless(['absent', 'no upload'], (options) => this.#clients.calls.send(abort, options));
      }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      after = IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined;
    }
  }

  async close(): Promise<void> {
    this.#clients.close();
  }

  #target(key: string): { Bucket: string; Key: string } {
    requireKey(key);
    return { Bucket: this.#settings.bucket, Key: `${this.#settings.prefix}${key}` };
  }

  /** Sends a command, which ends when the caller leaves. */
  async #ask<T>(send: (options: CommandOptions) => Promise<T>): Promise<T> {
    const { left } = currentCaller();
    try {
      return await send(left === undefined ? {} : { abortSignal: left });
    } catch (error) {
      left?.throwIfAborted();
      throw failureOf(error, this.#settings);
    }
  }

  /** Does the same, and returns undefined for some answers. */
  #askUnless<T>(
    answers: readonly S3Answer[],
    send: (options: CommandOptions) => Promise<T>,
  ): Promise<T | undefined> {
    return this.#ask((options) =>
      send(options).catch((error: unknown) => {
        if (answers.includes(answerIn(error))) return undefined;
        throw error;
      }),
    );
  }
}

interface CommandOptions {
  readonly abortSignal?: AbortSignal;
}

/** Passes a body through, and remembers the error that ends it. */
async function* watchedSource(
  body: AsyncIterable<Uint8Array>,
  source: { failure: unknown },
): AsyncGenerator<Uint8Array, void> {
  try {
    yield* body;
  } catch (error) {
    source.failure = error;
    throw error;
  }
}

/** Returns undefined for a file that this program did not store. */
function storedIn(
  { Key = '', Size = 0, LastModified }: ListedObject,
  base: string,
): StoredObject | undefined {
  const key = Key.slice(base.length);
  return isKey(key) ? { key, sizeBytes: Size, modifiedAt: timeOf(LastModified) } : undefined;
}

function timeOf(date: Date | undefined): number {
  return date?.getTime() ?? 0;
}
