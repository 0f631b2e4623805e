import { operationsOn } from '../../api/operations/operations.ts';
import type { Addresses, App } from '../../http/app.ts';
import { RepositoryAnswer } from '../repositories/present.ts';
import { TRANSFER } from './actions.ts';
import { TransferRepositoryBody } from './schema.ts';
import type { RepositoryTransfers } from './service.ts';

interface Dependencies {
  readonly transfers: RepositoryTransfers;
  readonly addresses: Addresses;
}

export function transferRoutes(app: App, { transfers, addresses }: Dependencies): void {
  const api = operationsOn(app, { tag: 'repository', addresses });

  api.post('/repos/:owner/:repo/transfer', TRANSFER.transfer, {
    id: 'repoTransfer',
    summary: 'Transfer a repository: at once if you may, otherwise when the new owner accepts',
    failures: ['conflict'],
    body: TransferRepositoryBody,
    status: 202,
    answer: RepositoryAnswer,
    handle: ({ viewer, path, body }) =>
      transfers.start(viewer, path, { newOwner: body.new_owner, teamIds: body.team_ids ?? [] }),
  });

  api.post('/repos/:owner/:repo/transfer/accept', TRANSFER.answerTransfer, {
    id: 'acceptRepoTransfer',
    summary: 'Accept a pending transfer',
    failures: ['invalid'],
    status: 202,
    answer: RepositoryAnswer,
    handle: ({ viewer, path }) => transfers.accept(viewer, path),
  });

  api.post('/repos/:owner/:repo/transfer/reject', TRANSFER.answerTransfer, {
    id: 'rejectRepoTransfer',
    summary: 'Decline a pending transfer, or cancel it as the owner of the repository',
    answer: RepositoryAnswer,
    handle: ({ viewer, path }) => transfers.reject(viewer, path),
  });
}
