import { ForgeError, invalid, notFound } from '../../base/core/failure.ts';
import type { S3Settings } from './settings.ts';

const RETRY_AFTER_SECONDS = 10;

/** What an answer of the store says, as far as this program acts on it. */
export type S3Answer = 'absent' | 'no upload' | 'no bucket' | 'beyond the end' | 'exists' | 'race' | 'other';

export function answerIn(error: unknown): S3Answer {
  const { name, $metadata } = error as { name?: string; $metadata?: { httpStatusCode?: number } };
  const status = $metadata?.httpStatusCode;
  if (name === 'NoSuchBucket') return 'no bucket';
  if (name === 'NoSuchUpload') return 'no upload';
  // The answer to HEAD has no name.
  if (status === 404) return 'absent';
  if (status === 416) return 'beyond the end';
  if (status === 412) return 'exists';
  if (status === 409) return 'race';
  return 'other';
}

/** Whether the call that failed was not the first attempt. */
export function wasRepeated(error: unknown): boolean {
  const { $metadata } = error as { $metadata?: { attempts?: number } };
  return ($metadata?.attempts ?? 1) > 1;
}

/** Turns any error of the store into a failure that a caller can understand. It has no credentials in it. */
export function failureOf(error: unknown, settings: S3Settings): ForgeError {
  if (error instanceof ForgeError) return error;
  const answer = answerIn(error);
  if (answer === 'absent') return notFound('object');
  if (answer === 'beyond the end') return invalid('the range begins after the end of the object');
  return storeFailed(error, settings);
}

/** The store does not work, whatever the caller wants from it. */
export function storeFailed(error: unknown, settings: S3Settings): ForgeError {
  const what = 'the object store does not respond as it should: try again later';
  const cause = new Error(`the object store failed: ${wordsOf(error, settings)}`);
  return new ForgeError({ kind: 'busy', what, retryAfterSeconds: RETRY_AFTER_SECONDS }, { cause });
}

/** Describes an error for the operator. An error of the client library may have the whole request in it. */
export function wordsOf(error: unknown, settings: S3Settings): string {
  const {
    name = 'Error',
    message = '',
    code,
    $metadata,
  } = error as Partial<NodeJS.ErrnoException> & {
    $metadata?: { httpStatusCode?: number };
  };
  const status = $metadata?.httpStatusCode;
  const parts = [status === undefined ? undefined : `${status}`, code ?? name, message];
  let words = [...new Set(parts)].filter((part) => part !== undefined && part !== '').join(' ');
  for (const secret of [settings.secretAccessKey, settings.accessKeyId])
    words = words.replaceAll(secret, '…');
  return words.replaceAll(/\s+/g, ' ').slice(0, 500);
}
