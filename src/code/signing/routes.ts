import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { SERVER } from '../../api/access/actions.ts';
import { notFound } from '../../base/core/failure.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { App } from '../../http/app.ts';
import type { ServerKey, ServerKeys } from './model.ts';
import type { CommitSigning } from './service.ts';

interface Form {
  /** end of the path */
  readonly file: string;
  readonly kind: ServerKey['kind'];
  readonly id: string;
  readonly repositoryId: string;
}

/** Forgejo and Gitea have other names for the SSH key. */
const FORMS: readonly Form[] = [
  { file: 'signing-key.gpg', kind: 'openpgp', id: 'getSigningKey', repositoryId: 'repoSigningKey' },
  { file: 'signing-key.ssh', kind: 'ssh', id: 'getSSHSigningKey', repositoryId: 'repoSSHSigningKey' },
  { file: 'signing-key.pub', kind: 'ssh', id: 'getSigningKeySSH', repositoryId: 'repoSigningKeySSH' },
];

const RepositoryParams = Type.Object({ owner: Type.String(), repo: Type.String() });

interface Dependencies {
  readonly signing: CommitSigning;
  readonly repositories: Repositories;
}

/** Registers the public key with which the server signs. All repositories have the same. */
export function signingRoutes(app: App, { signing, repositories }: Dependencies): void {
  for (const { file, kind, id, repositoryId } of FORMS) {
    const name = kind === 'ssh' ? 'SSH' : 'OpenPGP';
    const described = { produces: ['text/plain'], response: { 200: Type.String() } };
    const failures = kind === 'ssh' ? (['not_found'] as const) : [];

    app.get(`/${file}`, {
      config: { action: SERVER.describe, failures },
      schema: {
        ...described,
        tags: ['miscellaneous'],
        operationId: id,
        summary: `Get the ${name} key with which the server signs commits`,
      },
      handler: async (_request, reply) => sendKey(reply, signing.keys, kind),
    });

    app.get(`/repos/:owner/:repo/${file}`, {
      config: { action: REPOSITORY.read, failures },
      schema: {
        ...described,
        tags: ['repository'],
        operationId: repositoryId,
        summary: `Get the ${name} key with which the server signs commits of a repository`,
        params: RepositoryParams,
      },
      handler: async ({ viewer, params }, reply) => {
        await repositories.get(viewer, { owner: params.owner, name: params.repo }, REPOSITORY.read);
        return sendKey(reply, signing.keys, kind);
      },
    });
  }
}

/** As in the reference, a missing OpenPGP key is empty. */
function sendKey(reply: FastifyReply, { key }: ServerKeys, kind: ServerKey['kind']): string {
  if (key?.kind !== kind && kind === 'ssh') throw notFound('signing key');
  reply.type('text/plain; charset=utf-8');
  return key?.kind === kind ? key.text : '';
}
