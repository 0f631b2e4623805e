import { currentTimeMs } from '../../../base/core/time/clock.ts';
import type { OutboundClient } from '../../../base/outbound/client.ts';
import { OutboundError, type OutboundResponse } from '../../../base/outbound/model.ts';
import { WEBHOOK_LIMITS } from '../limits.ts';
import type { Attempt, ReceivedResponse } from '../model.ts';
import type { ComposedRequest } from './compose.ts';

/** Headers of a response that are kept. */
const KEPT_HEADERS = ['content-type', 'content-length', 'date', 'location', 'retry-after', 'server'];

/**
 * Sends one request, and waits a short time for its response. The status alone decides about success, so a receiver need
 * not send a body, nor end it.
 *
 * @param signal ends the attempt without a result
 * @throws the reason of the signal
 */
export async function send(
  outbound: OutboundClient,
  request: ComposedRequest,
  signal: AbortSignal,
): Promise<Attempt> {
  const sentAt = currentTimeMs();
  const startedAt = performance.now();
  const late = AbortSignal.timeout(WEBHOOK_LIMITS.deliveryMs);
  const outcome = await exchange(outbound, request, AbortSignal.any([signal, late])).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      return { response: null, error: late.aborted ? 'the receiver took too long' : reasonOf(error) };
    },
  );
  const { method, url, headers, body } = request;
  return {
    sentAt,
    durationMs: Math.round(performance.now() - startedAt),
    request: {
      method,
      url: url.href.slice(0, WEBHOOK_LIMITS.requestCharsKeptMax),
      headers,
      body: keptOf(body),
    },
    ...outcome,
  };
}

function keptOf(body: string): string {
  return body.slice(0, WEBHOOK_LIMITS.requestCharsKeptMax).toWellFormed();
}

/** An attempt that ends before anything is sent. */
export function unsent(
  { method, url }: { readonly method: string; readonly url: string },
  error: string,
): Attempt {
  return {
    sentAt: currentTimeMs(),
    durationMs: 0,
    request: { method, url, headers: {}, body: '' },
    response: null,
    error,
  };
}

async function exchange(
  outbound: OutboundClient,
  { method, url, headers, authorization, body }: ComposedRequest,
  signal: AbortSignal,
): Promise<Pick<Attempt, 'response' | 'error'>> {
  const received = await outbound.send({
    method,
    url,
    headers,
    ...(authorization === '' ? {} : { authorization }),
    ...(method === 'GET' ? {} : { body: Buffer.from(body) }),
    // The signal ends it before.
    deadlineMs: 2 * WEBHOOK_LIMITS.deliveryMs,
    bytesMax: Number.MAX_SAFE_INTEGER,
    signal,
  });
  const response = await readResponse(received);
  const isSuccess = response.status >= 200 && response.status < 300;
  return { response, error: isSuccess ? '' : `the receiver answered with status ${response.status}` };
}

/** Reads the beginning of a response, whatever comes after it. */
async function readResponse(received: OutboundResponse): Promise<ReceivedResponse> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of received.body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes >= WEBHOOK_LIMITS.responseCharsKeptMax) break;
    }
  } catch {
    // The status has come, and the rest is only for the record.
  } finally {
    received.end();
  }
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = received.header(name);
    return value === undefined ? [] : [[name, value.slice(0, WEBHOOK_LIMITS.responseHeaderCharsKeptMax)]];
  });
  const text = Buffer.concat(chunks).subarray(0, WEBHOOK_LIMITS.responseCharsKeptMax).toString('utf8');
  return { status: received.status, headers: Object.fromEntries(kept), body: text };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof OutboundError)) throw error;
  return error.message.slice(0, WEBHOOK_LIMITS.errorCharsKeptMax);
}
