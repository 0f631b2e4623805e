import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { App } from '../../http/app.ts';
import { strongTag, unlessKnown } from '../../http/conditional.ts';
import { KEY } from './actions.ts';
import type { OpenPgpKeys } from './openpgp-keys.ts';
import { presentArmored, presentAuthorizedKeys } from './present.ts';
import type { SshKeys } from './ssh-keys.ts';

const Params = Type.Object({ owner: Type.String() });

/** Registers the keys of a user as text, for `authorized_keys` and for `gpg --import`. */
export function keyPages(
  app: App,
  { sshKeys, openPgpKeys }: { sshKeys: SshKeys; openPgpKeys: OpenPgpKeys },
): void {
  const schema = { params: Params };

  app.get('/:owner.keys', { config: { action: KEY.list }, schema }, async (request, reply) => {
    const keys = await sshKeys.listAllOf(request.viewer, request.params.owner);
    return sendText(request, reply, presentAuthorizedKeys(keys));
  });

  app.get('/:owner.gpg', { config: { action: KEY.list }, schema }, async (request, reply) => {
    const keys = await openPgpKeys.listAllOf(request.viewer, request.params.owner);
    return sendText(request, reply, presentArmored(keys));
  });
}

function sendText(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
): Promise<string | FastifyReply> {
  reply.type('text/plain; charset=utf-8');
  return unlessKnown({ request, reply }, strongTag(text), () => text);
}
