import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { SignedIn } from '../../api/access/viewer.ts';
import { invalid } from '../../base/core/failure.ts';
import { MIRROR } from '../../hosting/mirrors/actions.ts';
import type { MirrorSync } from '../../hosting/mirrors/sync.ts';
import { REPOSITORY } from '../../hosting/repositories/actions.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import { repositoryChangeOf } from '../../hosting/repositories/settings/options.ts';
import { TRANSFER } from '../../hosting/transfers/actions.ts';
import type { RepositoryTransfers } from '../../hosting/transfers/service.ts';
import type { Addresses, App } from '../../http/app.ts';
import { fieldOf, isChecked } from '../../http/pages/forms.ts';
import { localAddress } from '../../http/pages/local-address.ts';
import { accountPath, repositoryPath } from '../addresses.ts';
import { signedIn } from '../forms/form-parts.ts';
import { fieldProblemOf } from '../sign-in/field-problem.ts';
import { sendRepositorySettings, settingsPath } from './repository-frame.ts';
import { type GeneralForm, generalParts } from './repository-general.ts';

interface Dependencies {
  readonly repositories: Repositories;
  readonly transfers: RepositoryTransfers;
  readonly mirrorSync: MirrorSync;
  readonly addresses: Addresses;
}

const PATH = '/:owner/:repo/settings';
const schema = { params: Type.Object({ owner: Type.String(), repo: Type.String() }) };

type Body = Parameters<typeof repositoryChangeOf>[0];

/** Registers the page of the general settings of a repository. */
export function repositorySettingsPages(app: App, dependencies: Dependencies): void {
  const { repositories, transfers, mirrorSync, addresses } = dependencies;
  app.get(PATH, { config: { action: REPOSITORY.edit }, schema }, async (request, reply) =>
    sendGeneral(request, reply, dependencies),
  );

  app.post(PATH, { config: { action: REPOSITORY.edit, isForm: true }, schema }, async (request, reply) =>
    withProblem(request, reply, dependencies, async (viewer, path) => {
      const { repository } = await repositories.get(viewer, path, REPOSITORY.edit);
      const change = repositoryChangeOf(
        bodyOf(request, repository.units.issues.kind, repository.units.wiki.kind),
      );
      const edited = await repositories.settings.edit(viewer, path, change);
      return settingsPath(edited.repository);
    }),
  );

  app.post(
    `${PATH}/transfer`,
    { config: { action: TRANSFER.transfer, isForm: true }, schema },
    async (request, reply) =>
      withProblem(request, reply, dependencies, async (viewer, path) => {
        await repositories.get(viewer, path, TRANSFER.transfer);
        requireName(request, path);
        const newOwner = fieldOf(request, 'new_owner').trim();
        const { repository } = await transfers.start(viewer, path, { newOwner, teamIds: [] });
        return repositoryPath(repository);
      }),
  );

  app.post(
    `${PATH}/transfer/cancel`,
    { config: { action: TRANSFER.answerTransfer, isForm: true }, schema },
    async (request, reply) => {
      const { repository } = await transfers.reject(signedIn(request), pathOf(request));
      return reply.redirect(localAddress(repositoryPath(repository), addresses), 303);
    },
  );

  app.post(
    `${PATH}/mirror-sync`,
    { config: { action: MIRROR.sync, isForm: true }, schema },
    async (request, reply) => {
      const path = pathOf(request);
      await mirrorSync.request(signedIn(request), path);
      const to = repositoryPath({ owner: { name: path.owner }, name: path.name });
      return reply.redirect(localAddress(to, addresses), 303);
    },
  );

  app.post(
    `${PATH}/delete`,
    { config: { action: REPOSITORY.delete, isForm: true }, schema },
    async (request, reply) =>
      withProblem(request, reply, dependencies, async (viewer, path) => {
        await repositories.get(viewer, path, REPOSITORY.delete);
        requireName(request, path);
        await repositories.delete(viewer, path);
        return accountPath(path.owner);
      }),
  );

  // Where a browser is after its user has proved who they are.
  app.get(`${PATH}/delete`, { config: { action: REPOSITORY.edit }, schema }, async (request, reply) => {
    const { repository } = await repositories.get(request.viewer, pathOf(request), REPOSITORY.edit);
    return reply.redirect(localAddress(settingsPath(repository), addresses), 303);
  });
}

function pathOf({ params }: FastifyRequest): RepositoryPath {
  const { owner, repo: name } = params as { owner: string; repo: string };
  return { owner, name };
}

/** Requires that the name of the repository was typed, so that it is not deleted by mistake. @throws ForgeError `invalid` */
function requireName(request: FastifyRequest, { name }: RepositoryPath): void {
  if (fieldOf(request, 'confirm').trim().toLowerCase() === name.toLowerCase()) return;
  throw invalid('type the name of the repository to confirm');
}

async function withProblem(
  request: FastifyRequest,
  reply: FastifyReply,
  dependencies: Dependencies,
  work: (viewer: SignedIn, path: RepositoryPath) => Promise<string>,
): Promise<FastifyReply> {
  try {
    const next = await work(signedIn(request), pathOf(request));
    return reply.redirect(localAddress(next, dependencies.addresses), 303);
  } catch (error) {
    const problem = fieldProblemOf(error, reply);
    if (problem === undefined) throw error;
    return sendGeneral(request, reply, dependencies, problem);
  }
}

async function sendGeneral(
  request: FastifyRequest,
  reply: FastifyReply,
  { repositories, addresses }: Dependencies,
  problem?: string,
): Promise<FastifyReply> {
  const permitted = await repositories.get(request.viewer, pathOf(request), REPOSITORY.edit);
  const body = generalParts(request, reply, { permitted, addresses, problem });
  return sendRepositorySettings(reply, { permitted, title: 'General', part: '', body });
}

const UNIT_FLAGS = ['has_pull_requests', 'has_releases'] as const;
const PULL_FLAGS = [
  'allow_merge_commits',
  'allow_rebase',
  'allow_rebase_explicit',
  'allow_squash_merge',
  'allow_fast_forward_only_merge',
  'allow_rebase_update',
  'default_delete_branch_after_merge',
  'default_allow_maintainer_edit',
] as const;

/** Returns one of the forms of the page as the body of the API. */
function bodyOf(request: FastifyRequest, issues: string, wiki: string): Body {
  const text = (name: string) => fieldOf(request, name).trim();
  const flags = (names: readonly string[]) =>
    Object.fromEntries(names.map((name) => [name, isChecked(request, name)]));
  switch (text('change') as GeneralForm) {
    case 'general':
      return {
        name: text('name'),
        description: text('description'),
        website: text('website'),
        ...(text('default_branch') === '' ? {} : { default_branch: text('default_branch') }),
        template: isChecked(request, 'template'),
      };
    case 'units':
      return {
        ...flags(UNIT_FLAGS),
        ...(issues === 'external'
          ? {}
          : {
              has_issues: isChecked(request, 'has_issues'),
              internal_tracker: {
                enable_time_tracker: isChecked(request, 'enable_time_tracker'),
                enable_issue_dependencies: isChecked(request, 'enable_issue_dependencies'),
              },
            }),
        ...(wiki === 'external'
          ? {}
          : {
              has_wiki: isChecked(request, 'has_wiki'),
              globally_editable_wiki: isChecked(request, 'globally_editable_wiki'),
            }),
      };
    case 'pulls':
      return { ...flags(PULL_FLAGS), default_merge_style: text('default_merge_style') };
    case 'visibility':
      return { private: text('private') === 'true' };
    case 'archive':
      return { archived: text('archived') === 'true' };
    default:
      throw invalid('the form has no such change');
  }
}
