import { ForgeError, invalid, isFailure } from '../../base/core/failure.ts';
import { SealError } from '../../base/core/sealing.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { OutboundError, type OutboundFailure } from '../../base/outbound/model.ts';
import { BRANCHES, PULL_REFS } from '../../git/format/ref-names.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { RemoteRepository } from '../../git/remote/remote-repository.ts';
import { MIRROR_LIMITS } from './limits.ts';
import type { Credentials, Source } from './model.ts';

/** Namespaces of the refs that are copied. */
export const COPIED_REFS = [BRANCHES, 'refs/tags/', 'refs/notes/'];
/** Namespaces of the refs that are copied if pull requests are. */
export const COPIED_PULL_REFS = [PULL_REFS];

/** Returns the value of the header `Authorization`. */
export function authorizationOf(credentials: Credentials | null): string | undefined {
  if (credentials === null) return undefined;
  const { username, password } = credentials;
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

/** Removes credentials from an error and its causes, because another server may echo them. @returns the error */
export function withoutSecrets(error: unknown, credentials: Credentials | null): unknown {
  if (credentials === null) return error;
  const { password } = credentials;
  const encoded = authorizationOf(credentials)?.replace('Basic ', '') ?? '';
  const secrets = [encoded, password, encodeURIComponent(password)].filter((secret) => secret !== '');
  const hidden = (text: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);
  for (let each = error; each instanceof Error; each = each.cause) {
    // Some errors of Node have read-only properties.
    for (const name of ['message', 'stack'] as const)
      Object.defineProperty(each, name, { value: hidden(each[name] ?? ''), configurable: true });
    if (each instanceof ForgeError) {
      const failure = { ...each.failure, what: hidden(each.failure.what) };
      Object.defineProperty(each, 'failure', { value: failure, configurable: true });
    }
  }
  return error;
}

/** @throws RemoteError, OutboundError; the reason of the signal */
export function openSource(
  outbound: OutboundClient,
  { url, credentials }: Source,
  signal: AbortSignal,
): Promise<RemoteRepository> {
  return RemoteRepository.open(outbound, { url, authorization: authorizationOf(credentials) }, signal);
}

/**
 * Returns the reason why a source could not be copied, without its address and without credentials; undefined for an
 * error that is not about the source.
 */
export function failureOfSource(error: unknown): string | undefined {
  const cause = rootOf(error);
  if (cause instanceof RemoteError || cause instanceof OutboundError || cause instanceof SealError)
    return cause.message;
  const isAboutContent = cause instanceof ForgeError && ['invalid', 'too_large'].includes(cause.failure.kind);
  return isAboutContent ? cause.message.slice(0, MIRROR_LIMITS.mirrorErrorCharsMax) : undefined;
}

const PASSING: ReadonlySet<OutboundFailure> = new Set(['unknown-host', 'unreachable', 'timeout', 'cut-off']);

/** Whether another attempt may succeed later, because one of the servers is unreachable or busy. */
export function mayPass(error: unknown): boolean {
  const cause = rootOf(error);
  if (cause instanceof OutboundError) return PASSING.has(cause.failure);
  if (cause instanceof RemoteError) return cause.mayPass;
  return isFailure(cause, 'busy');
}

/** Returns the reason why a pack ended early, because the error itself only reports a malformed pack. */
export function rootOf(error: unknown): unknown {
  const cause = error instanceof ForgeError ? error.cause : undefined;
  return cause instanceof RemoteError || cause instanceof OutboundError ? cause : error;
}

/** Turns an error of a source into an error for the caller. Returns other errors unchanged. */
export function forCaller(error: unknown): unknown {
  const cause = rootOf(error);
  if (cause instanceof ForgeError) return cause;
  const what = failureOfSource(cause);
  if (what === undefined) return cause;
  if (cause instanceof OutboundError && cause.failure === 'too-large')
    return new ForgeError({ kind: 'too_large', what: `the source cannot be copied: ${what}` }, { cause });
  return invalid(`the source cannot be copied: ${what}`, { cause });
}
