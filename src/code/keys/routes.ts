import { Type } from 'typebox';
import { isSignedIn } from '../../api/access/viewer.ts';
import { type Operations, operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { SITE } from '../../people/accounts/actions.ts';
import { DEPLOY_KEY, KEY } from './actions.ts';
import type { DeployKeys } from './deploy-keys.ts';
import type { OpenPgpKeys } from './openpgp-keys.ts';
import { DeployKeyAnswer, OpenPgpKeyAnswer, SshKeyAnswer } from './present.ts';
import {
  CreateKeyBody,
  CreateOpenPgpKeyBody,
  DeployKeyQuery,
  FingerprintQuery,
  ProveOpenPgpKeyBody,
} from './schema.ts';
import type { SshKeys } from './ssh-keys.ts';

interface Dependencies {
  readonly sshKeys: SshKeys;
  readonly deployKeys: DeployKeys;
  readonly openPgpKeys: OpenPgpKeys;
  readonly addresses: Addresses;
}

export function keyRoutes(app: App, dependencies: Dependencies): void {
  const { addresses } = dependencies;
  sshKeyRoutes(operationsOn(app, { tag: 'user', addresses }), dependencies);
  openPgpKeyRoutes(app, dependencies);
  administrationRoutes(operationsOn(app, { tag: 'admin', addresses }), dependencies);
  deployKeyRoutes(operationsOn(app, { tag: 'repository', addresses }), dependencies);
}

function sshKeyRoutes(api: Operations, { sshKeys }: Dependencies): void {
  api.list('/user/keys', KEY.read, {
    id: 'userCurrentListKeys',
    summary: 'List your own SSH keys',
    query: FingerprintQuery,
    answer: SshKeyAnswer,
    handle: ({ viewer, query, paging }) => sshKeys.listOwn(viewer, given(query.fingerprint), paging),
  });

  api.post('/user/keys', KEY.change, {
    id: 'userCurrentPostKey',
    summary: 'Add an SSH key, also with a signature that proves it to be yours',
    failures: ['invalid'],
    body: CreateKeyBody,
    status: 201,
    answer: SshKeyAnswer,
    handle: ({ viewer, body }) => sshKeys.addOwn(viewer, body.key, body.title, body.armored_signature ?? ''),
  });

  api.get('/user/keys/:id', KEY.read, {
    id: 'userCurrentGetKey',
    summary: 'Get an SSH key of a user',
    failures: ['not_found'],
    answer: SshKeyAnswer,
    handle: ({ viewer, params }) => sshKeys.get(viewer, params.id),
  });

  api.delete('/user/keys/:id', KEY.change, {
    id: 'userCurrentDeleteKey',
    summary: 'Delete one of your own SSH keys',
    failures: ['not_found'],
    handle: ({ viewer, params }) => sshKeys.deleteOwn(viewer, params.id),
  });

  api.list('/users/:username/keys', KEY.list, {
    id: 'userListKeys',
    summary: 'List the SSH keys of a user',
    query: FingerprintQuery,
    answer: SshKeyAnswer,
    handle: ({ viewer, params, query, paging }) =>
      sshKeys.listOf(viewer, params.username, given(query.fingerprint), paging),
  });
}

function openPgpKeyRoutes(app: App, { openPgpKeys, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'user', addresses });

  app.get('/user/gpg_key_token', {
    config: { action: KEY.read },
    schema: {
      tags: ['user'],
      operationId: 'getVerificationToken',
      summary: 'Get a token: its signature proves that you possess an SSH or OpenPGP key',
      produces: ['text/plain'],
      response: { 200: Type.String() },
    },
    handler: async (request, reply) => {
      if (!isSignedIn(request.viewer)) throw new Error('the guard lets only users through');
      reply.type('text/plain; charset=utf-8');
      return openPgpKeys.token(request.viewer);
    },
  });

  api.post('/user/gpg_key_verify', KEY.change, {
    id: 'userVerifyGPGKey',
    summary: 'Prove that you possess an OpenPGP key that you have added',
    failures: ['not_found', 'invalid', 'busy'],
    body: ProveOpenPgpKeyBody,
    status: 201,
    answer: OpenPgpKeyAnswer,
    handle: ({ viewer, body }) => openPgpKeys.prove(viewer, body.key_id, body.armored_signature ?? ''),
  });

  api.list('/user/gpg_keys', KEY.read, {
    id: 'userCurrentListGPGKeys',
    summary: 'List your own OpenPGP keys',
    answer: OpenPgpKeyAnswer,
    handle: ({ viewer, paging }) => openPgpKeys.listOwn(viewer, paging),
  });

  api.post('/user/gpg_keys', KEY.change, {
    id: 'userCurrentPostGPGKey',
    summary: 'Add an OpenPGP key with an e-mail address of yours, or with a signature of the token',
    failures: ['invalid', 'busy'],
    body: CreateOpenPgpKeyBody,
    status: 201,
    answer: OpenPgpKeyAnswer,
    handle: ({ viewer, body }) =>
      openPgpKeys.add(viewer, body.armored_public_key, body.armored_signature ?? ''),
  });

  api.get('/user/gpg_keys/:id', KEY.read, {
    id: 'userCurrentGetGPGKey',
    summary: 'Get one of your own OpenPGP keys',
    failures: ['not_found'],
    answer: OpenPgpKeyAnswer,
    handle: ({ viewer, params }) => openPgpKeys.get(viewer, params.id),
  });

  api.delete('/user/gpg_keys/:id', KEY.change, {
    id: 'userCurrentDeleteGPGKey',
    summary: 'Delete one of your own OpenPGP keys with its subkeys',
    failures: ['not_found'],
    handle: ({ viewer, params }) => openPgpKeys.delete(viewer, params.id),
  });

  api.list('/users/:username/gpg_keys', KEY.list, {
    id: 'userListGPGKeys',
    summary: 'List the OpenPGP keys of a user',
    answer: OpenPgpKeyAnswer,
    handle: ({ viewer, params, paging }) => openPgpKeys.listOf(viewer, params.username, paging),
  });
}

function administrationRoutes(api: Operations, { sshKeys }: Dependencies): void {
  api.post('/admin/users/:username/keys', SITE.editAccount, {
    id: 'adminCreatePublicKey',
    summary: 'Add an SSH key of a user',
    failures: ['invalid'],
    body: CreateKeyBody,
    status: 201,
    answer: SshKeyAnswer,
    handle: ({ viewer, params, body }) => sshKeys.addFor(viewer, params.username, body.key, body.title),
  });

  api.delete('/admin/users/:username/keys/:id', SITE.editAccount, {
    id: 'adminDeleteUserPublicKey',
    summary: 'Delete an SSH key of a user',
    failures: ['invalid'],
    handle: ({ viewer, params }) => sshKeys.deleteOf(viewer, params.username, params.id),
  });
}

function deployKeyRoutes(api: Operations, { deployKeys }: Dependencies): void {
  api.list('/repos/:owner/:repo/keys', DEPLOY_KEY.read, {
    id: 'repoListKeys',
    summary: 'List the deploy keys of a repository',
    query: DeployKeyQuery,
    answer: DeployKeyAnswer,
    handle({ viewer, path, query, paging }) {
      const filter = { keyId: query.key_id || undefined, fingerprint: given(query.fingerprint) };
      return deployKeys.list(viewer, path, filter, paging);
    },
  });

  api.post('/repos/:owner/:repo/keys', DEPLOY_KEY.change, {
    id: 'repoCreateKey',
    summary: 'Add a deploy key to a repository',
    failures: ['archived', 'invalid'],
    body: CreateKeyBody,
    status: 201,
    answer: DeployKeyAnswer,
    handle({ viewer, path, body: { key: text, title, read_only: isReadOnly = false } }) {
      return deployKeys.add(viewer, path, { text, title, isReadOnly });
    },
  });

  api.get('/repos/:owner/:repo/keys/:id', DEPLOY_KEY.read, {
    id: 'repoGetKey',
    summary: 'Get a deploy key of a repository',
    answer: DeployKeyAnswer,
    handle: ({ viewer, path, params }) => deployKeys.get(viewer, path, params.id),
  });

  api.delete('/repos/:owner/:repo/keys/:id', DEPLOY_KEY.change, {
    id: 'repoDeleteKey',
    summary: 'Delete a deploy key of a repository',
    handle: ({ viewer, path, params }) => deployKeys.delete(viewer, path, params.id),
  });
}

/** An empty filter is none. */
function given(text: string | undefined): string | undefined {
  return text === '' ? undefined : text;
}
