import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../../api/access/viewer.ts';
import { html } from '../../base/core/text/html.ts';
import { ACCOUNT_REPOSITORIES } from '../../hosting/repositories/actions.ts';
import { newRepositoryOf } from '../../hosting/repositories/creation/options.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import type { PermittedRepository } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Templates } from '../../hosting/templates/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { repositoryPath } from '../addresses.ts';
import { sendFormPage, signedIn } from '../forms/form-parts.ts';
import { checkbox, selectField, textField } from '../parts/fields.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { isOwn, ownerField, requireForOrganization } from './owner-choice.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly templates: Templates;
  readonly addresses: Addresses;
}

const PATH = '/repo/create';

/** What was typed into the form. */
interface Typed {
  readonly owner: string;
  readonly name: string;
  readonly description: string;
  readonly isPrivate: boolean;
  readonly hasFirstCommit: boolean;
  readonly gitignores: string;
  readonly license: string;
  readonly labels: string;
  readonly branch: string;
}

const EMPTY: Typed = {
  owner: '',
  name: '',
  description: '',
  isPrivate: false,
  hasFirstCommit: true,
  gitignores: '',
  license: '',
  labels: '',
  branch: '',
};

/** Registers the page that creates a repository. */
export function newRepositoryPage(app: App, dependencies: Dependencies): void {
  const querystring = Type.Object({ owner: Type.Optional(Type.String()) });
  app.get(
    PATH,
    { config: { action: ACCOUNT_REPOSITORIES.createRepository }, schema: { querystring } },
    async (request, reply) =>
      sendForm(request, reply, { ...EMPTY, owner: request.query.owner ?? '' }, dependencies),
  );

  app.post(
    PATH,
    { config: { action: ACCOUNT_REPOSITORIES.createRepository, isForm: true } },
    async (request, reply) => {
      const typed = typedIn(request);
      try {
        const { repository } = await create(signedIn(request), typed, dependencies);
        return reply.redirect(localAddress(repositoryPath(repository), dependencies.addresses), 303);
      } catch (error) {
        const problem = fieldProblemOf(error, reply);
        if (problem === undefined) throw error;
        return sendForm(request, reply, typed, dependencies, problem);
      }
    },
  );
}

function typedIn(request: FastifyRequest): Typed {
  return {
    owner: fieldOf(request, 'owner'),
    name: fieldOf(request, 'name').trim(),
    description: fieldOf(request, 'description').trim(),
    isPrivate: isChecked(request, 'private'),
    hasFirstCommit: isChecked(request, 'auto_init'),
    gitignores: fieldOf(request, 'gitignores'),
    license: fieldOf(request, 'license'),
    labels: fieldOf(request, 'issue_labels'),
    branch: fieldOf(request, 'default_branch').trim(),
  };
}

async function create(
  viewer: SignedIn,
  typed: Typed,
  { repositories, organizations }: Dependencies,
): Promise<PermittedRepository> {
  const { wanted, start } = newRepositoryOf({
    name: typed.name,
    description: typed.description,
    private: typed.isPrivate,
    auto_init: typed.hasFirstCommit,
    gitignores: typed.gitignores,
    license: typed.license,
    issue_labels: typed.labels,
    default_branch: typed.branch,
  });
  if (isOwn(viewer, typed.owner)) return repositories.create(viewer, wanted, start);
  requireForOrganization(viewer);
  const owner = await organizations.getForNewRepository(viewer, typed.owner);
  return repositories.createFor({ viewer, owner, wanted }, start);
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  typed: Typed,
  { organizations, templates, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const owner = await ownerField(signedIn(request), typed.owner, organizations);
  const choices = (none: string, names: readonly string[]) =>
    [['', none], ...names.map((name) => [name, name] as const)] as const;
  const fields = html`${owner}${textField({ name: 'name', label: 'Name', value: typed.name, isRequired: true, hasFocus: true, charsMax: REPOSITORY_LIMITS.repositoryNameCharsMax, hint: 'Short and easy to remember. Letters, digits, "-", "_" and "."' })}${textField({ name: 'description', label: 'Description', value: typed.description, charsMax: REPOSITORY_LIMITS.descriptionCharsMax })}${checkbox({ name: 'private', label: 'Private', isChecked: typed.isPrivate, hint: 'Only you, and people to whom you give access, see it.' })}
<fieldset><legend>Begin with</legend>
${checkbox({ name: 'auto_init', label: 'A first commit with a README', isChecked: typed.hasFirstCommit, hint: 'Without it, the repository is empty: push what you have. The files below need it.' })}${selectField({ name: 'gitignores', label: '.gitignore', value: typed.gitignores, options: choices('None', templates.gitignoreNames) })}${selectField({ name: 'license', label: 'License', value: typed.license, options: choices('None', templates.licenseNames) })}${selectField({ name: 'issue_labels', label: 'Labels of issues', value: typed.labels, options: choices('None', templates.labelSetNames) })}${textField({ name: 'default_branch', label: 'Default branch', value: typed.branch, placeholder: 'main' })}</fieldset>`;
  return sendFormPage(
    request,
    reply,
    {
      title: 'New repository',
      problem,
      before: html`<p class="quiet">Is the repository on another server? <a href="/repo/migrate">Copy it from there</a>.</p>`,
      action: PATH,
      fields,
      button: 'Create the repository',
    },
    addresses,
  );
}
