import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { operationsOn } from '../../../api/operations/operations.ts';
import { preconditionsOn } from '../../../api/operations/preconditions.ts';
import { malformed } from '../../../base/core/failure.ts';
import type { Addresses, App } from '../../../http/app.ts';
import {
  acceptFiles,
  type FileForm,
  fileBytesMin,
  fileIn,
  isForm,
  readForm,
} from '../../../http/bodies/forms.ts';
import type { StatusOf } from '../../../http/errors/wire.ts';
import { EditAttachmentBody } from '../../issues/attachments/schema.ts';
import { RELEASE } from '../actions.ts';
import { RELEASE_LIMITS } from '../limits.ts';
import type { Arrival, AssetIntake } from './intake.ts';
import { AssetAnswer, assetUrl, type PlacedAsset } from './present.ts';
import type { ReleaseAssets } from './service.ts';

const ASSETS_URL = '/repos/:owner/:repo/releases/:id/assets';
const ASSET_URL = `${ASSETS_URL}/:attachment_id` as const;
const FORM: FileForm = {
  field: 'attachment',
  bytesMax: RELEASE_LIMITS.releaseAssetBytesMax,
  text: 'external_url',
  acceptsFiles: true,
};

interface Dependencies {
  readonly assets: ReleaseAssets;
  readonly assetIntake: AssetIntake;
  readonly addresses: Addresses;
}

export function assetRoutes(app: App, dependencies: Dependencies): void {
  // Any body may be a file here, also one of JSON.
  app.register(async (scope) => {
    const uploads = scope as App;
    acceptFiles(uploads);
    uploadRoute(uploads, dependencies);
  });
  const { assets, addresses } = dependencies;
  const api = operationsOn(app, { tag: 'repository', addresses });
  const { required } = preconditionsOn(AssetAnswer, addresses);

  api.wholeList(ASSETS_URL, RELEASE.read, {
    id: 'repoListReleaseAttachments',
    isTagged: true,
    summary: 'List the assets of a release',
    answer: AssetAnswer,
    handle: ({ viewer, path, params }) => assets.list(viewer, path, params.id),
  });

  api.get(ASSET_URL, RELEASE.read, {
    id: 'repoGetReleaseAttachment',
    isTagged: true,
    summary: 'Get an asset of a release',
    answer: AssetAnswer,
    handle: ({ viewer, path, params: { id: releaseId, attachment_id: id } }) =>
      assets.get(viewer, { path, releaseId, id }),
  });

  api.patch(ASSET_URL, RELEASE.change, {
    id: 'repoEditReleaseAttachment',
    summary: 'Rename an asset of a release, or give an external one another address',
    failures: ['archived', 'conflict', 'invalid', 'precondition_failed'],
    body: EditAttachmentBody,
    status: 201,
    answer: AssetAnswer,
    handle: ({ viewer, path, params: { id: releaseId, attachment_id: id }, body, request }) =>
      assets.edit(
        viewer,
        { path, releaseId, id },
        { name: body.name ?? '', url: body.browser_download_url ?? '' },
        {
          requireCurrent: required(request),
          urlOf: ({ asset, release }) => assetUrl(asset, release, addresses),
        },
      ),
  });

  api.delete(ASSET_URL, RELEASE.change, {
    id: 'repoDeleteReleaseAttachment',
    summary: 'Delete an asset of a release',
    failures: ['archived', 'precondition_failed'],
    handle: ({ viewer, path, params: { id: releaseId, attachment_id: id }, request }) =>
      assets.delete(viewer, { path, releaseId, id }, required(request)),
  });
}

/** A malformed form has status 400, as in the reference. */
const statusOf: StatusOf = ({ kind }) => (kind === 'malformed' ? 400 : undefined);

function uploadRoute(app: App, { assetIntake, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });
  api.post(ASSETS_URL, RELEASE.change, {
    id: 'repoCreateReleaseAttachment',
    summary: 'Add an asset to a release: a file of a form or a whole body, or an address on another server',
    failures: ['archived', 'conflict', 'invalid', 'malformed', 'too_large', 'insufficient_storage'],
    statusOf,
    form: FORM,
    query: { name: Type.Optional(Type.String()) },
    status: 201,
    answer: AssetAnswer,
    async handle({ viewer, path, params: { id }, query: { name = '' }, request }) {
      const arrival = await assetIntake.begin(viewer, path, { id, bytesMin: fileBytesMin(request) });
      return isForm(request)
        ? receiveForm(request, arrival, { assetIntake, name })
        : receiveBody(request, arrival, { assetIntake, name });
    },
  });
}

interface Receiving {
  readonly assetIntake: AssetIntake;
  /** that the query gives the asset; '' for none */
  readonly name: string;
}

function receiveForm(
  request: FastifyRequest,
  arrival: Arrival,
  { assetIntake, name: wanted }: Receiving,
): Promise<PlacedAsset> {
  return readForm(request, FORM, {
    async file({ name, bytes }) {
      // A part without the name of a file is a plain field.
      if (name === '') throw malformed(`the part "${FORM.field}" of the form is not a file`);
      return assetIntake.receive(arrival, { name: wanted === '' ? name : wanted, bytes });
    },
    text: (url) => assetIntake.link(arrival, { name: wanted, url }),
  });
}

async function receiveBody(
  request: FastifyRequest,
  arrival: Arrival,
  { assetIntake, name }: Receiving,
): Promise<PlacedAsset> {
  if (name === '') throw malformed('give the file a name: ?name=');
  return assetIntake.receive(arrival, { name, bytes: fileIn(request, FORM) });
}
