import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Html } from '../../base/core/text/html.ts';
import type { HookPlace } from '../../tracker/webhooks/model.ts';

/** What the webhooks of some pages belong to, for one request. */
export interface ShownPlace {
  readonly place: HookPlace;
  /** path of the list of the webhooks */
  readonly path: string;
  /** Sends a page beside the navigation of the place. */
  readonly send: (title: string, body: Html) => FastifyReply;
}

/** Looks up the place of a request, and authorizes it. */
export type FindPlace = (
  request: FastifyRequest,
  reply: FastifyReply,
  access: 'read' | 'change',
) => Promise<ShownPlace>;
