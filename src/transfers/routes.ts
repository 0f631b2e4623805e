import type { SignedIn } from '../access/viewer.ts';
import type { Addresses, App } from '../http/app.ts';
import { reference } from '../http/shapes.ts';
import { presentRepository } from '../repositories/present.ts';
import { RepositoryParams, RepositorySchema } from '../repositories/schema.ts';
import { TRANSFER } from './actions.ts';
import { TransferRepositoryBody } from './schema.ts';
import type { RepositoryTransfers } from './service.ts';

const tags = ['repository'];

export function transferRoutes(
  app: App,
  dependencies: { transfers: RepositoryTransfers; addresses: Addresses },
): void {
  const { transfers, addresses } = dependencies;

  app.post(
    '/repos/:owner/:repo/transfer',
    {
      config: { action: TRANSFER.transfer },
      schema: {
        tags,
        summary: 'Give a repository to another owner: at once where you may, else when the owner accepts',
        params: RepositoryParams,
        body: TransferRepositoryBody,
        response: { 202: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const { new_owner: newOwner, team_ids: teamIds } = request.body;
      const viewer = request.viewer as SignedIn;
      const wish = { newOwner, teamIds: teamIds ?? [] };
      const held = await transfers.start(viewer, { owner, name: repo }, wish);
      return reply.code(202).send(presentRepository(held, viewer, addresses));
    },
  );

  app.post(
    '/repos/:owner/:repo/transfer/accept',
    {
      config: { action: TRANSFER.answerTransfer },
      schema: {
        tags,
        summary: 'Take a repository over that you were asked to take',
        params: RepositoryParams,
        response: { 202: reference(RepositorySchema) },
      },
    },
    async (request, reply) => {
      const { owner, repo } = request.params;
      const viewer = request.viewer as SignedIn;
      const held = await transfers.accept(viewer, { owner, name: repo });
      return reply.code(202).send(presentRepository(held, viewer, addresses));
    },
  );

  app.post(
    '/repos/:owner/:repo/transfer/reject',
    {
      config: { action: TRANSFER.answerTransfer },
      schema: {
        tags,
        summary: 'Decline to take a repository over, or, as its owner, ask no more',
        params: RepositoryParams,
        response: { 200: reference(RepositorySchema) },
      },
    },
    async (request) => {
      const { owner, repo } = request.params;
      const viewer = request.viewer as SignedIn;
      const held = await transfers.reject(viewer, { owner, name: repo });
      return presentRepository(held, viewer, addresses);
    },
  );
}
