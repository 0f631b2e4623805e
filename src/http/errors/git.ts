import type { Wire } from './wire.ts';

/** git-credential-oauth and Git Credential Manager know by this realm how a user signs in. git shows it to no one. */
const REALM = 'Gitea';

/** Errors of git's own wire: a line of text, which git prints after `remote:`. */
export const GIT_WIRE: Wire = {
  name: 'git',
  send(reply, failure) {
    reply.type('text/plain; charset=utf-8');
    // git sends a password only after a challenge.
    if (reply.statusCode === 401) reply.header('www-authenticate', `Basic realm="${REALM}", charset="UTF-8"`);
    return reply.send(`${failure.kind === 'not_found' ? 'Repository not found' : failure.what}\n`);
  },
  sendFault: (reply) => reply.type('text/plain; charset=utf-8').send('internal server error\n'),
};
