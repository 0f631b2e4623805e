import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { conflict, notFound } from '../../../base/core/failure.ts';
import type { Html } from '../../../base/core/text/html.ts';
import { addressIn } from '../../../code/wiki-pages/address.ts';
import { newPageOf, pageChangeOf } from '../../../code/wiki-pages/options.ts';
import type { WikiReader } from '../../../code/wiki-pages/read.ts';
import type { WikiWriter } from '../../../code/wiki-pages/write.ts';
import type { RepositoryPath } from '../../../hosting/repositories/model.ts';
import type { Repositories } from '../../../hosting/repositories/service.ts';
import { WIKI } from '../../../hosting/wikis/actions.ts';
import { requireEditor } from '../../../hosting/wikis/authorize.ts';
import type { Addresses, App } from '../../../http/app.ts';
import { fieldOf, isChecked, longTextOf } from '../../../http/pages/forms.ts';
import { localAddress } from '../../../http/pages/local-address.ts';
import { sendPage } from '../../../http/pages/page.ts';
import type { Markdown } from '../../../tracker/markdown/service.ts';
import { signedIn } from '../../forms/form-parts.ts';
import { problemOf } from '../../forms/problems.ts';
import { WEB_LIMITS } from '../../limits.ts';
import { PREVIEW_FIELD, previewBox } from '../parts/preview.ts';
import { type TrackerView, viewOf } from '../parts/view.ts';
import { ACTIONS, type TypedPage, wikiFormPage, wikiPath } from './parts.ts';

export interface WikiFormServices {
  readonly repositories: Repositories;
  readonly wikiReader: WikiReader;
  readonly addresses: Addresses;
}

interface Dependencies extends WikiFormServices {
  readonly markdown: Markdown;
  readonly wikiWriter: WikiWriter;
}

const InRepository = { owner: Type.String(), repo: Type.String() };
const Query = Type.Object({ action: Type.Optional(Type.String()) });
const SEE_OTHER = 303;
const bodyLimit = WEB_LIMITS.wikiFormBytesMax;

/** Registers the forms that write, change and delete the pages of wikis. */
export function wikiFormPages(app: App, dependencies: Dependencies): void {
  const config = { action: WIKI.beginEdit, isForm: true } as const;
  app.post(
    '/:owner/:repo/wiki',
    { bodyLimit, config, schema: { params: Type.Object(InRepository), querystring: Query } },
    (request, reply) => createPage(request, reply, dependencies),
  );
  app.post(
    '/:owner/:repo/wiki/:pageName',
    {
      bodyLimit,
      config,
      schema: { params: Type.Object({ ...InRepository, pageName: Type.String() }), querystring: Query },
    },
    (request, reply) => changePage(request, reply, dependencies),
  );
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo } = params as { owner: string; repo: string };
  return { owner, name: repo };
}

/** @throws ForgeError as `requireEditor` */
async function openForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, addresses }: WikiFormServices,
): Promise<TrackerView> {
  const permitted = await repositories.get(request.viewer, pathOf(request), WIKI.read);
  requireEditor(request.viewer, permitted);
  return viewOf(request, reply, { permitted, addresses });
}

/** Sends the form for a new page. */
export async function sendNewForm(
  request: FastifyRequest,
  reply: FastifyReply,
  services: WikiFormServices,
): Promise<FastifyReply> {
  const view = await openForm(request, reply, services);
  const { open } = await services.wikiReader.open(request.viewer, pathOf(request));
  const title = open === undefined ? 'Home' : '';
  return sendPage(reply, wikiFormPage(view, undefined, { title, content: '', message: '' }));
}

/** Sends the form with the text of a page. */
export async function sendEditForm(
  request: FastifyRequest,
  reply: FastifyReply,
  services: WikiFormServices,
): Promise<FastifyReply> {
  const view = await openForm(request, reply, services);
  const { page, snapshot } = await services.wikiReader.find(
    request.viewer,
    pathOf(request),
    addressIn(request),
  );
  const blobBytesMax = WEB_LIMITS.wikiPageBytesMax;
  const bytes = await snapshot.objects.readBlob(page.blob, { blobBytesMax });
  const typed = { title: page.title, content: Buffer.from(bytes).toString(), message: '' };
  return sendPage(reply, wikiFormPage(view, page, typed));
}

function typedIn(request: FastifyRequest): TypedPage {
  return {
    title: fieldOf(request, 'title'),
    content: longTextOf(request, 'content'),
    message: fieldOf(request, 'message'),
  };
}

function previewOf(view: TrackerView, { content }: TypedPage, { markdown }: Dependencies): Promise<Html> {
  return previewBox(view, markdown, content, 'wiki');
}

/** Returns the body with which the API would be asked for the same. */
function bodyOf({ title, content, message }: TypedPage) {
  return { title, content_base64: Buffer.from(content).toString('base64'), message };
}

async function createPage(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const view = await openForm(request, reply, dependencies);
  const typed = typedIn(request);
  if (isChecked(request, PREVIEW_FIELD)) {
    const preview = await previewOf(view, typed, dependencies);
    return sendPage(reply, wikiFormPage(view, undefined, typed, { preview }));
  }
  try {
    const change = newPageOf(bodyOf(typed));
    const address = await dependencies.wikiWriter.create(signedIn(request), pathOf(request), change);
    return sendTo(reply, view, address, dependencies);
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return sendPage(reply, wikiFormPage(view, undefined, typed, { problem }));
  }
}

async function changePage(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
): Promise<FastifyReply> {
  const { wikiReader, wikiWriter } = dependencies;
  const view = await openForm(request, reply, dependencies);
  const [path, address] = [pathOf(request), addressIn(request)];
  const { page } = await wikiReader.find(request.viewer, path, address);
  const { action } = request.query as { action?: string };
  const typed = typedIn(request);
  if (action === ACTIONS.edit && isChecked(request, PREVIEW_FIELD)) {
    const preview = await previewOf(view, typed, dependencies);
    return sendPage(reply, wikiFormPage(view, page, typed, { preview, seen: fieldOf(request, 'seen') }));
  }
  try {
    const seen = fieldOf(request, 'seen');
    if (action === ACTIONS.edit && seen !== '' && seen !== page.blob)
      throw conflict(
        'someone else has changed this page meanwhile: look at its history, and save again to replace their text',
      );
    if (action === '_delete') {
      await wikiWriter.delete(signedIn(request), path, address);
      return sendTo(reply, view, '', dependencies);
    }
    if (action !== ACTIONS.edit) throw notFound('form');
    const after = await wikiWriter.edit(signedIn(request), path, address, pageChangeOf(bodyOf(typed)));
    return sendTo(reply, view, after, dependencies);
  } catch (error) {
    const problem = problemOf(error, reply);
    if (problem === undefined) throw error;
    return sendPage(reply, wikiFormPage(view, page, typed, { problem }));
  }
}

function sendTo(
  reply: FastifyReply,
  { permitted }: TrackerView,
  address: string,
  { addresses }: Dependencies,
): FastifyReply {
  const wiki = wikiPath(permitted.repository);
  return reply.redirect(localAddress(address === '' ? wiki : `${wiki}/${address}`, addresses), SEE_OTHER);
}
