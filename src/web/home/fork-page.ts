import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { html } from '../../base/core/text/html.ts';
import type { Forks } from '../../hosting/forks/service.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import { REPOSITORY_LIMITS } from '../../hosting/repositories/limits.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import type { Organizations } from '../../people/organizations/service.ts';
import { repositoryPath } from '../addresses.ts';
import { sendFormPage, signedIn } from '../forms/form-parts.ts';
import { textField } from '../parts/fields.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { isOwn, ownerField } from './owner-choice.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly organizations: Organizations;
  readonly forks: Forks;
  readonly addresses: Addresses;
}

const PATH = '/:owner/:repo/fork';

/** Registers the page that forks a repository. */
export function forkPage(app: App, dependencies: Dependencies): void {
  const schema = { params: Type.Object({ owner: Type.String(), repo: Type.String() }) };
  const pathOf = ({ owner, repo: name }: { owner: string; repo: string }) => ({ owner, name });

  app.get(PATH, { config: { action: REPOSITORY.fork }, schema }, async (request, reply) =>
    sendForm(request, reply, { path: pathOf(request.params), owner: '' }, dependencies),
  );

  app.post(PATH, { config: { action: REPOSITORY.fork, isForm: true }, schema }, async (request, reply) => {
    const viewer = signedIn(request);
    const path = pathOf(request.params);
    const owner = fieldOf(request, 'owner');
    const name = fieldOf(request, 'name').trim();
    try {
      const organization = isOwn(viewer, owner) ? '' : owner;
      const { repository } = await dependencies.forks.create(viewer, path, { organization, name });
      return reply.redirect(localAddress(repositoryPath(repository), dependencies.addresses), 303);
    } catch (error) {
      const problem = fieldProblemOf(error, reply);
      if (problem === undefined) throw error;
      return sendForm(request, reply, { path, owner, name, problem }, dependencies);
    }
  });
}

async function sendForm(
  request: FastifyRequest,
  reply: FastifyReply,
  typed: {
    readonly path: RepositoryPath;
    readonly owner: string;
    readonly name?: string;
    readonly problem?: string;
  },
  { repositories, organizations, addresses }: Dependencies,
): Promise<FastifyReply> {
  const viewer = signedIn(request);
  const { repository } = await repositories.get(viewer, typed.path, REPOSITORY.fork);
  const { owner, name } = repository;
  const charsMax = REPOSITORY_LIMITS.repositoryNameCharsMax;
  return sendFormPage(
    request,
    reply,
    {
      title: `Fork ${owner.name}/${name}`,
      problem: typed.problem,
      before: html`<p>A fork is a repository of your own that begins with all commits of <a href="${repositoryPath(repository)}">${owner.name}/${name}</a>. You can push to it, and propose your changes as a pull request.</p>`,
      action: `${repositoryPath(repository)}/fork`,
      fields: html`${await ownerField(viewer, typed.owner, organizations)}${textField({ name: 'name', label: 'Name', value: typed.name ?? name, isRequired: true, charsMax })}`,
      button: 'Fork the repository',
    },
    addresses,
  );
}
