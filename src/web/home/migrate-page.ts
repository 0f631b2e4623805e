import type { FastifyReply, FastifyRequest } from 'fastify';
import { html } from '../../base/core/text/html.ts';
import { MIGRATION } from '../../hosting/mirrors/actions.ts';
import type { Migrations } from '../../hosting/mirrors/migrations/service.ts';
import { migrationOf } from '../../hosting/mirrors/options.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { repositoryPath } from '../addresses.ts';
import { sendFormPage, signedIn } from '../forms/form-parts.ts';
import { checkbox, textField } from '../parts/fields.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { ownerField } from './owner-choice.ts';

interface Dependencies {
  readonly migrations: Migrations;
  readonly organizations: Organizations;
  readonly addresses: Addresses;
}

const PATH = '/repo/migrate';
const TEXTS = ['clone_addr', 'owner', 'repo_name', 'description', 'auth_username'] as const;
const FLAGS = ['private', 'mirror', 'wiki', 'lfs'] as const;

/** Registers the page that copies a repository from another server. */
export function migratePage(app: App, dependencies: Dependencies): void {
  app.get(PATH, { config: { action: MIGRATION.migrate } }, async (request, reply) =>
    sendForm(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: MIGRATION.migrate, isForm: true } }, async (request, reply) => {
    try {
      const wanted = migrationOf({
        clone_addr: fieldOf(request, 'clone_addr').trim(),
        repo_name: fieldOf(request, 'repo_name').trim(),
        repo_owner: fieldOf(request, 'owner'),
        description: fieldOf(request, 'description').trim(),
        auth_username: fieldOf(request, 'auth_username').trim(),
        auth_password: fieldOf(request, 'auth_password'),
        private: isChecked(request, 'private'),
        mirror: isChecked(request, 'mirror'),
        wiki: isChecked(request, 'wiki'),
        lfs: isChecked(request, 'lfs'),
      });
      const { repository } = await dependencies.migrations.migrate(signedIn(request), wanted);
      return reply.redirect(localAddress(repositoryPath(repository), dependencies.addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendForm(request, reply, dependencies, problem);
    }
  });
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  { organizations, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const [source, owner, name, description, user] = TEXTS.map((field) => fieldOf(request, field));
  const [isPrivate, isMirror, hasWiki, hasLargeFiles] = FLAGS.map((field) => isChecked(request, field));
  const { descriptionCharsMax, repositoryNameCharsMax } = REPOSITORY_LIMITS;
  const fields = html`${textField({ name: 'clone_addr', label: 'Address to clone', value: source ?? '', type: 'url', isRequired: true, hasFocus: true, placeholder: 'https://' })}
<details><summary>It needs a password or a token</summary><div class="form">
${textField({ name: 'auth_username', label: 'Name on that server', value: user ?? '' })}${textField({ name: 'auth_password', label: 'Password or token', type: 'password', autocomplete: 'new-password' })}</div></details>
${await ownerField(signedIn(request), owner ?? '', organizations)}${textField({ name: 'repo_name', label: 'Name', value: name ?? '', isRequired: true, charsMax: repositoryNameCharsMax })}${textField({ name: 'description', label: 'Description', value: description ?? '', charsMax: descriptionCharsMax })}${checkbox({ name: 'private', label: 'Private', isChecked: isPrivate === true })}${checkbox({ name: 'mirror', label: 'Mirror', hint: 'It follows the source, and takes no pushes.', isChecked: isMirror === true })}${checkbox({ name: 'wiki', label: 'Also the wiki', isChecked: hasWiki === true })}${checkbox({ name: 'lfs', label: 'Also large files (Git LFS)', isChecked: hasLargeFiles === true })}`;
  return sendFormPage(
    request,
    reply,
    {
      title: 'Copy a repository',
      problem,
      before: html`<p class="quiet">The repository opens when all of it is here, which can take minutes. If you leave the page before, the copy is canceled.</p>`,
      action: PATH,
      fields,
      button: 'Copy the repository',
    },
    addresses,
  );
}
