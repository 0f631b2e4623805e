import type { TransferOperation, Viewer } from '../../../../api/access/viewer.ts';
import type { Pace } from '../../../../base/core/fairness/pace.ts';
import type { FileLocks } from '../../../../hosting/lfs/locks.ts';
import type { LargeFiles } from '../../../../hosting/lfs/service.ts';
import type { RepositoryPath } from '../../../../hosting/repositories/model.ts';
import type { SshClient } from '../../model.ts';
import { paceOf } from '../input.ts';
import { TransferAnswers } from './answers.ts';
import { badRequest, TransferRequests } from './requests.ts';

export interface TransferNeeds {
  readonly largeFiles: LargeFiles;
  readonly fileLocks: FileLocks;
  readonly path: RepositoryPath;
  readonly operation: TransferOperation;
  /** Returns the rights of the client as they are now. */
  readonly viewer: () => Promise<Viewer>;
  readonly patienceMs: number;
}

/** One client that transfers large files. */
export class TransferSession implements TransferNeeds {
  readonly client: SshClient;
  readonly requests: TransferRequests;
  readonly answers: TransferAnswers;
  readonly largeFiles: LargeFiles;
  readonly fileLocks: FileLocks;
  readonly path: RepositoryPath;
  readonly operation: TransferOperation;
  readonly viewer: () => Promise<Viewer>;
  readonly patienceMs: number;

  constructor(client: SshClient, needs: TransferNeeds) {
    this.client = client;
    this.requests = new TransferRequests(client, needs.patienceMs);
    this.answers = new TransferAnswers(client);
    this.largeFiles = needs.largeFiles;
    this.fileLocks = needs.fileLocks;
    this.path = needs.path;
    this.operation = needs.operation;
    this.viewer = needs.viewer;
    this.patienceMs = needs.patienceMs;
  }

  /** Requires the client to take what it gets. */
  pace(): Pace {
    return paceOf(this.client, this.patienceMs);
  }

  /** @throws ForgeError `bad_request` if the client has asked for the other operation */
  requireOperation(operation: TransferOperation): void {
    if (this.operation !== operation) throw badRequest(`only git-lfs-transfer with ${operation} does this`);
  }
}
