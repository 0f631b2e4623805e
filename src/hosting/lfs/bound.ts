import type { TransferOperation, Viewer } from '../../api/access/viewer.ts';
import { forbidden } from '../../base/core/failure.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';

/** Requires that a transfer token is for this repository and operation. A token for uploads may download, too. */
export function requireBound(
  { transfer }: Viewer,
  repositoryId: RepositoryId,
  operation: TransferOperation,
): void {
  if (transfer === undefined) return;
  if (transfer.repositoryId !== repositoryId)
    throw forbidden('this token is for transfers of another repository');
  if (operation === 'upload' && transfer.operation !== 'upload')
    throw forbidden('this token is for downloads only');
}
