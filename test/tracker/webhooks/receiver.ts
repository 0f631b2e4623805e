import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TestContext } from 'node:test';
import { hintAfterCommit } from '../../../src/base/database/hints-after-commit.ts';
import { startSource } from '../../base/outbound/servers.ts';
import type { Person, TestForge } from '../../support/forge/forge.ts';
import type { Answer } from '../../support/http/http.ts';
import { until } from '../../support/until.ts';

export const ALLOWED = { settings: { outboundAllow: '127.0.0.1' } };
export const HOOKS = '/api/v1/repos/ada/engine/hooks';

/** A request that a receiver got. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly text: string;
  /** of a JSON body */
  // biome-ignore lint/suspicious/noExplicitAny: tests read fields of payloads by name
  readonly body: any;
  /** value of the header X-Gitea-Event-Type */
  readonly event: string;
}

export interface Receiver {
  readonly url: string;
  readonly port: number;
  readonly received: Received[];
}

type Answering = (request: Received, response: ServerResponse, count: number) => void | Promise<void>;

/** Starts a receiver of webhooks. @param answer absent: answers each request with 204 */
export async function startReceiver(t: TestContext, answer?: Answering): Promise<Receiver> {
  const received: Received[] = [];
  const port = await startSource(t, async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url: path = '', headers } = request;
    const isJson = headers['content-type'] === 'application/json';
    const event = `${headers['x-gitea-event-type']}`;
    const each = { method, path, headers, text, event, body: isJson ? JSON.parse(text) : undefined };
    received.push(each);
    if (answer === undefined) response.writeHead(204).end();
    else await answer(each, response, received.length);
  });
  return { url: `http://127.0.0.1:${port}/hook`, port, received };
}

/** Returns the only request that a receiver got. */
export function onlyOf(received: readonly Received[]): Received {
  const [only, ...others] = received;
  if (only === undefined || others.length > 0) throw new Error(`there are ${received.length} requests`);
  return only;
}

/** Creates an active webhook of `ada/engine`, or at another address. */
export async function addHook(
  who: Person,
  url: string,
  { config = {}, at = HOOKS, ...options }: Record<string, unknown> & { at?: string } = {},
): Promise<Answer['body']> {
  const given = { url, content_type: 'json', ...(config as Record<string, string>) };
  const added = await who.post(at, { type: 'gitea', active: true, ...options, config: given });
  if (added.status !== 201) throw new Error(`cannot add a webhook: ${added.status} ${added.text}`);
  return added.body;
}

/** Waits until all events were looked at, and no webhook has anything to deliver now. */
export async function delivered({ forge }: TestForge): Promise<void> {
  const { reader } = forge.running.engines.database;
  await until(async () => {
    // First, because it makes webhooks due.
    await forge.running.services.webhookWaking.catchUp();
    const jobs = await reader
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', 'webhooks.deliver')
      .execute();
    if (jobs.length > 0) return false;
    const due = await reader.selectFrom('webhooks').select('id').where('due_at', '<=', Date.now()).execute();
    return due.length === 0;
  });
}

/** Makes the webhooks due that wait for another attempt. */
export async function hurry({ forge }: TestForge): Promise<void> {
  const { engines, services } = forge.running;
  await engines.database.transaction(async (tx) => {
    const waiting = await tx
      .updateTable('webhooks')
      .set({ due_at: 1, retry_at: null })
      .where('due_at', 'is not', null)
      .returning('share_id')
      .execute();
    await services.webhookTurns.enqueue(tx, [...new Set(waiting.map(({ share_id }) => share_id))]);
    hintAfterCommit(tx, 'jobs');
  });
}
