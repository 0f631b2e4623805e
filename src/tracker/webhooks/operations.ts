import type { FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { SignedIn } from '../../api/access/viewer.ts';
import { type FailureKind, notFound } from '../../base/core/failure.ts';
import type { Paging } from '../../base/core/paging.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { HookPlace } from './model.ts';
import { hookEditOf, newHookOf, sinceOf } from './options.ts';
import { DeliveryAnswer, HookAnswer } from './present.ts';
import { CreateHookBody, EditHookBody, SinceQuery } from './schema.ts';
import type { Webhooks } from './service.ts';

export interface HookCall {
  readonly viewer: SignedIn;
  readonly request: FastifyRequest;
}

/** Webhooks of repositories, organizations, users and the site have the same operations. */
export interface Family {
  /** first part of the ids of operations */
  readonly prefix: 'repo' | 'org' | 'user' | 'admin';
  /** last part of the ids of operations that are not part of the reference */
  readonly of: 'Repository' | 'Organization' | 'User' | 'Site';
  /** whose webhooks they are, for summaries */
  readonly whose: string;
  /** Looks up and authorizes what the webhooks belong to. */
  readonly placeOf: (call: HookCall, action: 'read' | 'change') => Promise<HookPlace> | HookPlace;
}

const MISSING: readonly FailureKind[] = ['not_found'];
const INVALID: readonly FailureKind[] = ['invalid'];

/** Returns the operations on the webhooks of one kind of place. */
export function hookOperations(webhooks: Webhooks, { prefix, whose, placeOf }: Family) {
  return {
    list: {
      id: `${prefix}ListHooks`,
      summary: `List the webhooks ${whose}`,
      answer: HookAnswer,
      handle: async (call: HookCall & { readonly paging: Paging }) =>
        webhooks.list(await placeOf(call, 'read'), call.paging),
    },
    create: {
      id: `${prefix}CreateHook`,
      summary: `Create a webhook ${whose}`,
      failures: INVALID,
      body: CreateHookBody,
      status: 201,
      answer: HookAnswer,
      async handle(call: HookCall & { readonly body: Static<typeof CreateHookBody> }) {
        const place = await placeOf(call, 'change');
        return webhooks.create(call.viewer, place, newHookOf(call.body));
      },
    },
    get: {
      id: `${prefix}GetHook`,
      summary: `Get a webhook ${whose}`,
      failures: MISSING,
      answer: HookAnswer,
      handle: async (call: HookCall) => webhooks.get(await placeOf(call, 'read'), idIn(call.request)),
    },
    edit: {
      id: `${prefix}EditHook`,
      summary: `Change a webhook ${whose}`,
      failures: [...MISSING, ...INVALID],
      body: EditHookBody,
      answer: HookAnswer,
      async handle(call: HookCall & { readonly body: Static<typeof EditHookBody> }) {
        const place = await placeOf(call, 'change');
        const { viewer, request, body } = call;
        return webhooks.edit(viewer, place, idIn(request), (type) => hookEditOf(body, type));
      },
    },
    delete: {
      id: `${prefix}DeleteHook`,
      summary: `Delete a webhook ${whose}`,
      failures: MISSING,
      handle: async (call: HookCall) =>
        webhooks.delete(call.viewer, await placeOf(call, 'change'), idIn(call.request)),
    },
  } as const;
}

/** Returns the operations on the deliveries of these webhooks. They are not part of the reference. */
export function deliveryOperations(webhooks: Webhooks, { of, whose, placeOf }: Family) {
  return {
    list: {
      id: `quireListHookDeliveriesOf${of}`,
      summary: `List the deliveries of a webhook ${whose}, the newest first`,
      failures: MISSING,
      answer: DeliveryAnswer,
      handle: async (call: HookCall & { readonly paging: Paging }) =>
        webhooks.listDeliveries(await placeOf(call, 'read'), idIn(call.request), call.paging),
    },
    get: {
      id: `quireGetHookDeliveryOf${of}`,
      summary: `Get a delivery of a webhook ${whose}, with its last request and response`,
      failures: MISSING,
      answer: DeliveryAnswer,
      handle: async (call: HookCall) =>
        webhooks.getDelivery(await placeOf(call, 'read'), idIn(call.request), deliveryIn(call.request)),
    },
    redeliver: {
      id: `quireRedeliverHookDeliveryOf${of}`,
      summary: `Make another attempt at a delivery of a webhook ${whose}: it begins soon`,
      failures: [...MISSING, ...INVALID],
      status: 202,
      handle: async (call: HookCall) =>
        webhooks.redeliver(await placeOf(call, 'change'), idIn(call.request), deliveryIn(call.request)),
    },
    redeliverSince: {
      id: `quireRedeliverHookEventsOf${of}`,
      summary: `Deliver all events since a time again, in order, with a webhook ${whose}`,
      failures: [...MISSING, ...INVALID],
      query: SinceQuery,
      status: 202,
      async handle(call: HookCall & { readonly query: { readonly since?: string } }) {
        const place = await placeOf(call, 'change');
        return webhooks.redeliverSince(place, idIn(call.request), sinceOf(call.query));
      },
    },
  } as const;
}

/** The names in a URL. */
export function namesIn({ params }: FastifyRequest): Readonly<Record<string, string>> {
  return params as Readonly<Record<string, string>>;
}

/** The schema of the route has checked that it is a number. */
function idIn({ params }: FastifyRequest): number {
  return (params as { readonly id: number }).id;
}

function deliveryIn(request: FastifyRequest): number {
  const id = parseId(namesIn(request).delivery ?? '');
  if (id === undefined) throw notFound('delivery');
  return id;
}
