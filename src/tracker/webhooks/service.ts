import { randomUUID } from 'node:crypto';
import { missingScopes } from '../../api/access/policy.ts';
import type { SignedIn } from '../../api/access/viewer.ts';
import { forbidden, invalid, notFound } from '../../base/core/failure.ts';
import type { Page, Paging } from '../../base/core/paging.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { Database, Tx } from '../../base/database/database.ts';
import { findNewestPosition, findPositionBefore, insertEvent } from '../../base/events/store.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import { OutboundError } from '../../base/outbound/model.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import { resolveRef } from '../../hosting/repositories/refs/resolve-ref.ts';
import { requireSeesPrivate } from '../../people/accounts/emails.ts';
import { ISSUE } from '../issues/actions.ts';
import type { ShareTurns } from './delivering/share-turns.ts';
import { coveredBy } from './event-names.ts';
import { WEBHOOK_LIMITS } from './limits.ts';
import type {
  DeliveringHook,
  Delivery,
  HookPlace,
  HookType,
  NewWebhook,
  Webhook,
  WebhookEdit,
} from './model.ts';
import { newHookRow } from './new-hook.ts';
import { hookEvent } from './places.ts';
import type { HookSealer } from './secrets.ts';
import {
  countRequested,
  findDelivery,
  insertTest,
  listDeliveries,
  setRequested,
} from './store/deliveries.ts';
import { countHooks, deleteHook, findHook, insertHooks, listHooks, setHook } from './store/hooks.ts';
import { rewindHook, wakeHook } from './store/turns.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs'>;
  readonly outbound: OutboundClient;
  readonly hookSealer: HookSealer;
  readonly shareTurns: ShareTurns;
}

/** Webhooks of places on which the caller has been authorized, and their deliveries. */
export class Webhooks {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  list(place: HookPlace, paging: Paging): Promise<Page<Webhook>> {
    return listHooks(this.#use.database.reader, place, paging);
  }

  /** @throws ForgeError `not_found` */
  async get(place: HookPlace, id: number): Promise<Webhook> {
    return this.#require(await findHook(this.#use.database.reader, place, id));
  }

  /**
   * @throws ForgeError `invalid` for an address to which this site does not connect, and for too many webhooks; `forbidden`
   *   for a token that may not read what the webhook delivers
   */
  async create(viewer: SignedIn, place: HookPlace, wanted: NewWebhook): Promise<Webhook> {
    requireMayRead(viewer, wanted.events);
    await this.#requireAllowed(wanted.url);
    const { database, hookSealer } = this.#use;
    const now = currentTimeMs();
    return database.transaction(async (tx) => {
      if ((await countHooks(tx, place)) >= WEBHOOK_LIMITS.webhooksPerOwnerMax)
        throw invalid(`there can be at most ${WEBHOOK_LIMITS.webhooksPerOwnerMax} webhooks here`);
      const position = await findNewestPosition(tx);
      const row = newHookRow(wanted, { hookSealer, place, readerId: viewer.accountId, position, now });
      const id = await insertHooks(tx, [row]);
      const created = this.#require(await findHook(tx, place, id));
      await this.#announce(tx, viewer, created, 'created');
      return created;
    });
  }

  /**
   * Changes a webhook. Who changes it is the one for whom its payloads are rendered from then on.
   *
   * @param read reads the change from the request, for the type of the webhook
   * @throws ForgeError `not_found`; as `create`; the errors of `read`
   */
  async edit(
    viewer: SignedIn,
    place: HookPlace,
    id: number,
    read: (type: HookType) => WebhookEdit,
  ): Promise<Webhook> {
    const { database } = this.#use;
    const known = this.#require(await findHook(database.reader, place, id));
    const edit = read(known.type);
    requireMayRead(viewer, edit.events ?? known.events);
    if (edit.url !== undefined) await this.#requireAllowed(edit.url);
    return database.transaction(async (tx) => {
      const before = this.#require(await findHook(tx, place, id));
      await setHook(tx, id, {
        ...this.#columnsOf(before, edit),
        ...(await this.#progressOf(tx, before, edit)),
        reader_id: viewer.accountId,
        updated_at: currentTimeMs(),
      });
      const after = this.#require(await findHook(tx, place, id));
      await wakeHook(tx, id, currentTimeMs());
      await this.#use.shareTurns.enqueue(tx, [after.shareId]);
      await this.#announce(tx, viewer, after, 'changed', namesOf(edit));
      return after;
    });
  }

  #columnsOf(before: DeliveringHook, edit: WebhookEdit) {
    const { hookSealer } = this.#use;
    const { url, httpMethod, contentType, config, events, branchFilter, secret, authorization } = edit;
    return {
      ...(url === undefined ? {} : { url }),
      ...(httpMethod === undefined ? {} : { http_method: httpMethod }),
      ...(contentType === undefined ? {} : { content_type: contentType }),
      ...(config === undefined ? {} : { config: JSON.stringify({ ...before.config, ...config }) }),
      ...(events === undefined ? {} : { events: JSON.stringify(events) }),
      ...(branchFilter === undefined ? {} : { branch_filter: branchFilter }),
      ...(secret === undefined ? {} : { secret: hookSealer.seal(before.key, 'secret', secret) }),
      ...(authorization === undefined && !leavesSite(before, url)
        ? {}
        : { authorization: hookSealer.seal(before.key, 'authorization', authorization ?? '') }),
    };
  }

  /** A changed webhook tries again at once. One that becomes active begins with the next event. */
  async #progressOf(tx: Tx, before: DeliveringHook, { isActive = before.isActive }: WebhookEdit) {
    const fresh = { is_active: isActive ? 1 : 0, retry_at: null, attempts: 0, waiting_since: null };
    if (before.isActive || !isActive) return fresh;
    const position = await findNewestPosition(tx);
    return { ...fresh, position, part: 0, failing_since: null, stopped_at: null, last_error: '' };
  }

  /** @throws ForgeError `not_found` */
  async delete(viewer: SignedIn, place: HookPlace, id: number): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const gone = this.#require(await findHook(tx, place, id));
      await deleteHook(tx, id);
      await this.#announce(tx, viewer, gone, 'deleted');
    });
  }

  /**
   * Requests a test: a push of the head of a ref.
   *
   * @param ref branch or tag; undefined: the default branch
   * @throws ForgeError `not_found`, also for a missing ref; `invalid` if too many attempts are requested already
   */
  async test(
    place: HookPlace & { readonly of: 'repository' },
    id: number,
    ref: string | undefined,
  ): Promise<void> {
    const { database, git } = this.#use;
    this.#require(await findHook(database.reader, place, id));
    if (ref !== undefined) {
      const resolved = await resolveRef(await git.refs.open(place.repositoryId), ref);
      if (resolved === undefined || resolved.kind === 'commit') throw notFound('ref');
    }
    await this.#request(place, id, (tx, now) =>
      insertTest(tx, { hookId: id, uuid: randomUUID(), ref: ref ?? null, now }),
    );
  }

  /** @throws ForgeError `not_found` */
  async listDeliveries(place: HookPlace, id: number, paging: Paging): Promise<Page<Delivery>> {
    const { reader } = this.#use.database;
    this.#require(await findHook(reader, place, id));
    return listDeliveries(reader, id, paging);
  }

  /** @throws ForgeError `not_found` */
  async getDelivery(place: HookPlace, id: number, deliveryId: number): Promise<Delivery> {
    const { reader } = this.#use.database;
    this.#require(await findHook(reader, place, id));
    const found = await findDelivery(reader, id, deliveryId);
    if (found === undefined) throw notFound('delivery');
    return found;
  }

  /**
   * Requests another attempt at a delivery.
   *
   * @throws ForgeError `not_found`; `invalid` if too many attempts are requested already
   */
  async redeliver(place: HookPlace, id: number, deliveryId: number): Promise<void> {
    const { id: found } = await this.getDelivery(place, id, deliveryId);
    await this.#request(place, id, (tx, now) => setRequested(tx, found, now));
  }

  /**
   * Requests that all events since a time are delivered again, in their order, before later ones.
   *
   * @param since ms
   * @throws ForgeError `not_found`
   */
  async redeliverSince(place: HookPlace, id: number, since: number): Promise<void> {
    const position = await findPositionBefore(this.#use.database.reader, since);
    await this.#wake(place, id, (tx) => rewindHook(tx, id, position));
  }

  #request(place: HookPlace, id: number, request: (tx: Tx, now: number) => Promise<void>): Promise<void> {
    return this.#wake(place, id, async (tx, now) => {
      if ((await countRequested(tx, id)) >= WEBHOOK_LIMITS.requestedPerHookMax)
        throw invalid(`at most ${WEBHOOK_LIMITS.requestedPerHookMax} attempts can wait: try again later`);
      await request(tx, now);
    });
  }

  async #wake(place: HookPlace, id: number, also: (tx: Tx, now: number) => Promise<void>): Promise<void> {
    await this.#use.database.transaction(async (tx) => {
      const now = currentTimeMs();
      const { shareId } = this.#require(await findHook(tx, place, id));
      await also(tx, now);
      await wakeHook(tx, id, now);
      await this.#use.shareTurns.enqueue(tx, [shareId]);
    });
  }

  #require(found: DeliveringHook | undefined): DeliveringHook {
    if (found === undefined) throw notFound('hook');
    return found;
  }

  /** The receiver may be out of reach now, so only a denial is an error. Each delivery checks it again. */
  async #requireAllowed(url: string): Promise<void> {
    try {
      await this.#use.outbound.requireAllowed(new URL(url));
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      if (error.failure === 'denied') throw invalid(`[URL]: ${error.message}`, { cause: error });
    }
  }

  async #announce(
    tx: Tx,
    viewer: SignedIn,
    hook: DeliveringHook,
    what: 'created' | 'changed' | 'deleted',
    changed?: readonly string[],
  ): Promise<void> {
    const { kind, ...event } = hookEvent(hook, what);
    await insertEvent(tx, kind, {
      ...event,
      actorId: viewer.accountId,
      audit: { type: hook.type, host: hostOf(hook.url), ...(changed === undefined ? {} : { changed }) },
    });
  }
}

/** An address often has a secret in its path or its query, and its host has none. */
function hostOf(url: string): string | null {
  return URL.parse(url)?.host ?? null;
}

/** Names of the fields that an edit sets. */
function namesOf(edit: WebhookEdit): readonly string[] {
  return Object.entries(edit).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** Whether a change leads to another site, which must not get the stored header that another person may have chosen. */
function leavesSite(before: Pick<DeliveringHook, 'url'>, url: string | undefined): boolean {
  return url !== undefined && new URL(url).origin !== new URL(before.url).origin;
}

/**
 * Requires that a token may read what a webhook delivers, because payloads have all that its account may see.
 *
 * @throws ForgeError `forbidden`
 */
function requireMayRead(viewer: SignedIn, events: readonly string[]): void {
  requireSeesPrivate(viewer);
  const isOfTracker = [...coveredBy(events)].some((name) => /^(?:issue|pull_request)/.test(name));
  const needed = [...REPOSITORY.read.scopes, ...(isOfTracker ? ISSUE.read.scopes : [])];
  const missing = missingScopes(viewer, needed);
  if (missing.length > 0)
    throw forbidden(`a webhook for these events needs a token with the scopes ${missing.join(', ')}`);
}
