import type { FastifyReply, FastifyRequest } from 'fastify';
import { notFound } from '../../base/core/failure.ts';
import { pagingOf } from '../../base/core/paging.ts';
import { html } from '../../base/core/text/html.ts';
import { parseId } from '../../base/core/text/ids.ts';
import type { Addresses } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import type { Webhook } from '../../tracker/webhooks/model.ts';
import { hookEditOf, newHookOf } from '../../tracker/webhooks/options.ts';
import type { Webhooks } from '../../tracker/webhooks/service.ts';
import { formHtml, problemHtml, signedIn } from '../forms/form-parts.ts';
import { WEB_LIMITS } from '../limits.ts';
import { emptyHtml, pagerHtml } from '../parts/lists.ts';
import { dangerBox, settingsBox } from '../parts/side-nav.ts';
import { agoHtml } from '../parts/time.ts';
import { buttonForm } from '../sign-in/button-form.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { deliveriesHtml } from './webhook-deliveries.ts';
import { hookBodyOf, hookFields } from './webhook-form.ts';
import type { FindPlace, ShownPlace } from './webhook-place.ts';

export interface WebhookTools {
  readonly webhooks: Webhooks;
  readonly addresses: Addresses;
}

const TYPES = ['forgejo', 'slack', 'discord', 'matrix', 'msteams', 'telegram'] as const;

/** The pages of the webhooks of one kind of place. Their routes state the actions. */
export class WebhookPages {
  readonly #use: WebhookTools;
  readonly #find: FindPlace;

  constructor(tools: WebhookTools, find: FindPlace) {
    this.#use = tools;
    this.#find = find;
  }

  async list(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const shown = await this.#find(request, reply, 'read');
    const paging = pagingOf(request.query as { page?: number; limit?: number });
    const list = await this.#use.webhooks.list(shown.place, paging);
    const rows = list.items.map((hook) => rowOf(hook, shown.path));
    const none = emptyHtml(
      'No webhook',
      'A webhook sends a request to another server when something happens.',
    );
    const adding = TYPES.map(
      (type) => html`<a class="button small" href="${shown.path}/new?type=${type}">${nameOf(type)}</a> `,
    );
    return shown.send(
      'Webhooks',
      html`${rows.length === 0 ? none : html`<ul class="rows box">${rows}</ul>`}
${pagerHtml(shown.path, { page: paging.page, hasNext: paging.page * paging.limit < list.total })}${settingsBox('Add a webhook', html`<p class="row">${adding}</p>`)}`,
    );
  }

  async new(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const shown = await this.#find(request, reply, 'change');
    const { type = '' } = request.query as { type?: string };
    return this.#sendNew(request, reply, shown, type);
  }

  async create(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const shown = await this.#find(request, reply, 'change');
    const type = fieldOf(request, 'type');
    try {
      const wanted = newHookOf({ type, ...hookBodyOf(request) });
      const { id } = await this.#use.webhooks.create(signedIn(request), shown.place, wanted);
      return this.#lead(reply, `${shown.path}/${id}`);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return this.#sendNew(request, reply, shown, type, problem);
    }
  }

  async show(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    return this.#sendHook(request, reply, await this.#find(request, reply, 'read'));
  }

  async change(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const shown = await this.#find(request, reply, 'change');
    const { webhooks } = this.#use;
    const viewer = signedIn(request);
    const id = idOf(request);
    try {
      switch (fieldOf(request, 'change')) {
        case 'delete':
          await webhooks.delete(viewer, shown.place, id);
          return this.#lead(reply, shown.path);
        case 'test':
          if (shown.place.of !== 'repository') throw notFound('form');
          await webhooks.test(shown.place, id, undefined);
          break;
        case 'redeliver':
          await webhooks.redeliver(shown.place, id, parseId(fieldOf(request, 'delivery')) ?? 0);
          break;
        default: {
          const { events } = await webhooks.get(shown.place, id);
          const { config, ...body } = hookBodyOf(request, events);
          const { secret, ...others } = config;
          const sent = secret === '' ? others : config;
          const { authorization_header: authorization, ...rest } = body;
          const edit = {
            ...rest,
            config: sent,
            ...(authorization === '' ? {} : { authorization_header: authorization }),
          };
          await webhooks.edit(viewer, shown.place, id, (type) => hookEditOf(edit, type));
        }
      }
      return this.#lead(reply, `${shown.path}/${id}`);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return this.#sendHook(request, reply, shown, problem);
    }
  }

  #lead(reply: FastifyReply, path: string): FastifyReply {
    return reply.redirect(localAddress(path, this.#use.addresses), 303);
  }

  #sendNew(
    request: FastifyRequest,
    reply: FastifyReply,
    { path, send }: ShownPlace,
    type: string,
    problem?: string,
  ): FastifyReply {
    const form = formHtml(
      request,
      reply,
      {
        action: `${path}/new`,
        fields: html`<input type="hidden" name="type" value="${type === '' ? 'forgejo' : type}">
${hookFields(request, undefined)}`,
        button: 'Add the webhook',
      },
      this.#use.addresses,
    );
    return send(`New webhook: ${nameOf(type)}`, html`${problemHtml(problem)}${form}`);
  }

  async #sendHook(
    request: FastifyRequest,
    reply: FastifyReply,
    { place, path, send }: ShownPlace,
    problem?: string,
  ): Promise<FastifyReply> {
    const { webhooks, addresses } = this.#use;
    const id = idOf(request);
    const hook = await webhooks.get(place, id);
    const action = `${path}/${id}`;
    const deliveries = await webhooks.listDeliveries(place, id, {
      page: 1,
      limit: WEB_LIMITS.webhookDeliveriesMax,
    });
    const button = (
      fields: Record<string, string | number>,
      words: string,
      look: 'small' | 'danger' = 'small',
    ) => buttonForm(request, reply, { action, fields, button: words, look }, addresses);
    const test = place.of === 'repository' ? button({ change: 'test' }, 'Send a test') : html``;
    const form = formHtml(
      request,
      reply,
      { action, fields: hookFields(request, hook), button: 'Save' },
      addresses,
    );
    const redelivery = (delivery: number) => button({ change: 'redeliver', delivery }, 'Send again');
    return send(
      `Webhook: ${nameOf(hook.type)}`,
      html`${problemHtml(problem)}${stateOf(hook)}${settingsBox('Deliveries', deliveriesHtml(deliveries.items, redelivery), test)}${settingsBox('Settings', form)}${dangerBox('Delete', button({ change: 'delete' }, 'Delete the webhook', 'danger'))}`,
    );
  }
}

/** @throws ForgeError `not_found` */
function idOf({ params }: FastifyRequest): number {
  const id = parseId((params as { id: string }).id);
  if (id === undefined) throw notFound('hook');
  return id;
}

function nameOf(type: string): string {
  if (type === 'forgejo' || type === 'gitea' || type === '') return 'JSON for programs';
  return type === 'msteams' ? 'Microsoft Teams' : `${type.charAt(0).toUpperCase()}${type.slice(1)}`;
}

function stateOf({ stoppedAt, failingSince, lastError }: Webhook) {
  if (stoppedAt !== null)
    return html`<p class="notice danger">It failed for too long, so it was switched off ${agoHtml(stoppedAt)}: ${lastError}</p>`;
  if (failingSince === null) return html``;
  return html`<p class="notice warning">It has failed since ${agoHtml(failingSince)}: ${lastError}</p>`;
}

function rowOf({ id, type, url, isActive, failingSince }: Webhook, path: string) {
  const state = !isActive ? 'off' : failingSince === null ? 'on' : 'fails';
  return html`<li><div class="grow"><a href="${path}/${id}">${url}</a> <span class="quiet small">${nameOf(type)}</span></div><span class="badge">${state}</span></li>
`;
}
