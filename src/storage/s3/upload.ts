import {
  AbortMultipartUploadCommand,
  type CompletedPart,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { ForgeError } from '../../base/core/failure.ts';
import { faultPoint } from '../../base/core/faults.ts';
import { STORAGE_LIMITS } from '../limits.ts';
import type { PutOptions, PutOutcome } from '../model.ts';
import { answerIn, wasRepeated } from './errors.ts';
import { partsOf } from './parts.ts';

interface Target {
  readonly Bucket: string;
  /** with the prefix */
  readonly Key: string;
}

/**
 * Stores one object, in one request if it is small. Nothing of it is visible before all of it has arrived and was found
 * to be right: `body` fails otherwise.
 */
export class S3Upload {
  readonly #client: S3Client;
  readonly #target: Target;
  readonly #partBytes: number;
  /** at most */
  readonly #sizeBytes: number;
  readonly #inTime: { readonly requestTimeout: number };
  #sentBytes = 0;
  readonly #ifAbsent: { readonly IfNoneMatch?: '*' };

  constructor(client: S3Client, target: Target, options: PutOptions & { readonly writeMs: number }) {
    this.#client = client;
    this.#target = target;
    this.#partBytes = partBytesOf(options);
    this.#sizeBytes = options.sizeBytes ?? options.bytesMax ?? Number.POSITIVE_INFINITY;
    this.#inTime = { requestTimeout: options.writeMs };
    this.#ifAbsent = options.ifAbsent === true ? { IfNoneMatch: '*' } : {};
  }

  /** how much of the body is in memory at once */
  get bytesInMemory(): number {
    return Math.min(2 * this.#partBytes, this.#sizeBytes);
  }

  async run(body: AsyncIterable<Uint8Array>): Promise<PutOutcome> {
    const parts = partsOf(body, this.#partBytes);
    try {
      const first = await parts.next();
      if (first.done === true) throw new Error('a body has at least one part');
      if (first.value.isLast) return await this.#putWhole(first.value.bytes);
      return await this.#putParts(first.value.bytes, parts);
    } finally {
      // Ends the body after a failure of the store, without waiting for a client that is still sending.
      parts.return().catch(() => {});
    }
  }

  async #putWhole(bytes: Buffer): Promise<PutOutcome> {
    faultPoint('before-object');
    const command = new PutObjectCommand({ ...this.#target, ...this.#ifAbsent, Body: bytes });
    return this.#storing(() => this.#client.send(command, this.#inTime));
  }

  async #putParts(first: Buffer, others: ReturnType<typeof partsOf>): Promise<PutOutcome> {
    const { UploadId } = await this.#client.send(new CreateMultipartUploadCommand(this.#target));
    faultPoint('after-upload-begin');
    try {
      const Parts = await this.#sendParts(UploadId, first, others);
      faultPoint('before-object');
      const command = new CompleteMultipartUploadCommand({
        ...this.#target,
        ...this.#ifAbsent,
        UploadId,
        MultipartUpload: { Parts },
      });
      const outcome = await this.#storing(() =>
        this.#client.send(command, this.#inTime).catch((error: unknown) => this.#requireComplete(error)),
      );
      faultPoint('after-object');
      if (outcome === 'already there') await this.#abort(UploadId);
      return outcome;
    } catch (error) {
      await this.#abort(UploadId);
      throw error;
    }
  }

  /** Sends a part while the next one arrives. */
  async #sendParts(
    UploadId: string | undefined,
    first: Buffer,
    others: ReturnType<typeof partsOf>,
  ): Promise<CompletedPart[]> {
    const sent: CompletedPart[] = [];
    const send = async (bytes: Buffer) => {
      const PartNumber = sent.length + 1;
      if (PartNumber > STORAGE_LIMITS.s3PartsMax)
        throw new ForgeError({ kind: 'too_large', what: 'the content is too large for the object store' });
      const part = { ...this.#target, UploadId, PartNumber, Body: bytes };
      const { ETag } = await this.#client.send(new UploadPartCommand(part), this.#inTime);
      sent.push({ PartNumber, ETag });
      this.#sentBytes += bytes.length;
      faultPoint('after-upload-part');
    };
    for (let bytes: Buffer | undefined = first; bytes !== undefined; ) {
      const coming: ReturnType<typeof others.next> = others.next();
      const sending = send(bytes);
      try {
        const [next] = await Promise.all([coming, sending]);
        bytes = next.done === true ? undefined : next.value.bytes;
      } catch (error) {
        // The parts are about to be removed, and one that arrives after that would stay.
        await sending.catch(() => {});
        throw error;
      }
    }
    return sent;
  }

  /** Repeats a write while another one with the same key is in progress. */
  async #storing(store: () => Promise<unknown>): Promise<PutOutcome> {
    for (let race = 1; ; race += 1) {
      try {
        await store();
        return 'stored';
      } catch (error) {
        const answer = answerIn(error);
        if (answer === 'exists' && this.#ifAbsent.IfNoneMatch !== undefined) return 'already there';
        if (answer !== 'race' || race === STORAGE_LIMITS.s3RacesMax) throw error;
      }
    }
  }

  /** Recognizes the success of an earlier attempt, whose answer was lost: the upload is gone, and the object is there. */
  async #requireComplete(error: unknown): Promise<void> {
    if (answerIn(error) !== 'no upload' || !wasRepeated(error)) throw error;
    const { ContentLength } = await this.#client.send(new HeadObjectCommand(this.#target));
    if (ContentLength !== this.#sentBytes) throw error;
  }

  /** Removes the parts. If that fails, a sweep removes them later. */
  async #abort(UploadId: string | undefined): Promise<void> {
    const command = new AbortMultipartUploadCommand({ ...this.#target, UploadId });
    await this.#client.send(command).catch(() => {});
  }
}

/** Equal parts, because some stores require it: as many as there may be, if the usual size does not suffice. */
function partBytesOf({ sizeBytes, bytesMax }: PutOptions): number {
  const expected = sizeBytes ?? bytesMax ?? 0;
  const needed = Math.ceil(expected / STORAGE_LIMITS.s3PartsMax);
  return Math.min(STORAGE_LIMITS.s3PartBytesMax, Math.max(STORAGE_LIMITS.s3PartBytes, needed));
}
