import { randomUUID } from 'node:crypto';
import { deployKeyViewer, NO_ID, type TransferOperation, type Viewer } from '../../api/access/viewer.ts';
import { ForgeError, isFailure, MovedError } from '../../base/core/failure.ts';
import { type Caller, type Origin, runFor } from '../../base/core/fairness/caller.ts';
import { printable } from '../../base/core/text/text.ts';
import { currentTimeMs } from '../../base/core/time/clock.ts';
import type { FileLocks } from '../../hosting/lfs/locks.ts';
import { lfsRootOf } from '../../hosting/lfs/present.ts';
import type { LargeFiles } from '../../hosting/lfs/service.ts';
import type { RepositoryPath } from '../../hosting/repositories/model.ts';
import type { Repositories } from '../../hosting/repositories/service.ts';
import type { Addresses } from '../../http/app.ts';
import type { Authentication } from '../../people/authentication/service.ts';
import type { KeyOwners } from '../keys/key-owners.ts';
import { knownProtocol } from '../transport/headers.ts';
import type { Transport } from '../transport/service.ts';
import { serveArchiveOverSsh } from './commands/archive.ts';
import { serveFetchOverSsh } from './commands/fetch.ts';
import { serveLargeFilesOverSsh } from './commands/large-files/serve.ts';
import { parseCommand, type SshCommand } from './commands/parse.ts';
import { servePushOverSsh } from './commands/push.ts';
import { type SshClient, type SshIdentity, type SshRequest, shareOf } from './model.ts';

interface Dependencies {
  readonly transport: Transport;
  readonly largeFiles: LargeFiles;
  readonly fileLocks: FileLocks;
  readonly repositories: Repositories;
  readonly authentication: Authentication;
  readonly keyOwners: KeyOwners;
  readonly addresses: Addresses;
  readonly version: string;
}

const FAILED = 1;

/** Runs the commands of clients that have signed in over SSH, whichever server of SSH they use. */
export class SshCommands {
  readonly #use: Dependencies;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
  }

  /**
   * Runs one command to its end.
   *
   * @returns the exit status for the client
   */
  run(identity: SshIdentity, request: SshRequest, client: SshClient): Promise<number> {
    const caller: Caller = {
      share: shareOf(identity),
      lane: 'familiar',
      isAnonymous: false,
      isServer: false,
      left: client.left,
      origin: originOf(identity, client),
    };
    return runFor(caller, async () => {
      const startedAt = performance.now();
      const status = await this.#run(identity, request, client).catch((error) => explain(error, client));
      logCommand(request, client, { status, ms: Math.round(performance.now() - startedAt) });
      return status;
    });
  }

  async #run(identity: SshIdentity, request: SshRequest, client: SshClient): Promise<number> {
    if (request.command === undefined) {
      await client.write(Buffer.from(await this.#greeting(identity, client)));
      return 0;
    }
    const command = parseCommand(request.command);
    if (command === undefined) {
      await client.writeError(
        'This server runs only the commands of git: it has no shell. Use git clone, fetch or push.\n',
      );
      return FAILED;
    }
    const protocol = knownProtocol(request.protocol ?? '');
    const serve = (path: RepositoryPath) => this.#serve(identity, { ...command, path }, protocol, client);
    try {
      await serve(command.path);
    } catch (error) {
      if (!(error instanceof MovedError)) throw error;
      // HTTP redirects git to the new name. SSH has no redirects.
      const path = newPath(command.path, error);
      await client.writeError(`This repository is now ${printable(`${path.owner}/${path.name}`)}.\n`);
      await serve(path);
    }
    return 0;
  }

  async #greeting(identity: SshIdentity, client: SshClient): Promise<string> {
    const { keyName } = identity;
    const end = 'but Quire does not provide shell access.\n';
    if (identity.kind === 'deploy-key')
      return `Hi there! You've successfully authenticated with the deploy key named ${printable(keyName)}, ${end}`;
    const { name } = await this.#viewerOf(identity, client);
    return `Hi there, ${name}! You've successfully authenticated with the key named ${printable(keyName)}, ${end}`;
  }

  /** @param path of the repository that a deploy key is to open */
  async #viewerOf(identity: SshIdentity, { address }: SshClient, path?: RepositoryPath): Promise<Viewer> {
    if (identity.kind === 'account')
      return this.#use.authentication
        .viewerOverSsh(identity.accountId, identity.by, address)
        .catch(explainKey);
    const { repositories, keyOwners } = this.#use;
    const repositoryId = path === undefined ? undefined : await repositories.findId(path);
    const id =
      repositoryId === undefined ? undefined : await keyOwners.deployKeyIn(identity.keyId, repositoryId);
    // Without the row, the key opens nothing, and the answer is as for a missing repository.
    return deployKeyViewer(id ?? NO_ID);
  }

  async #serve(
    identity: SshIdentity,
    command: SshCommand,
    protocol: string | undefined,
    client: SshClient,
  ): Promise<void> {
    const { transport, version } = this.#use;
    const { path } = command;
    const viewer = await this.#viewerOf(identity, client, path);
    switch (command.kind) {
      case 'fetch': {
        const repository = await transport.openForFetch(viewer, path);
        return serveFetchOverSsh(client, { transport, repository, version, protocol });
      }
      case 'push': {
        const target = await transport.openForPush(viewer, path);
        return servePushOverSsh(client, { transport, viewer, target, version, protocol });
      }
      case 'archive': {
        const repository = await transport.openForFetch(viewer, path);
        return serveArchiveOverSsh(client, { transport, repository });
      }
      case 'large files': {
        const { largeFiles, fileLocks } = this.#use;
        const { operation } = command;
        await largeFiles.openOverSsh(viewer, path, operation);
        const { patienceMs } = transport.transfers.settings;
        const viewerNow = () => this.#viewerOf(identity, client, path);
        const needs = { largeFiles, fileLocks, path, operation, viewer: viewerNow, patienceMs };
        return serveLargeFilesOverSsh(client, needs);
      }
      case 'large files over HTTP': {
        const answer = await this.#authenticateForLargeFiles(viewer, command);
        return client.write(Buffer.from(`${JSON.stringify(answer)}\n`));
      }
    }
  }

  /** @see https://github.com/git-lfs/git-lfs/blob/main/docs/api/server-discovery.md, SSH */
  async #authenticateForLargeFiles(
    viewer: Viewer,
    { path, operation }: Extract<SshCommand, { operation: TransferOperation }>,
  ) {
    const { largeFiles, addresses } = this.#use;
    const { repository, token } = await largeFiles.authenticate(viewer, path, operation);
    return {
      href: lfsRootOf(repository, addresses),
      header: { Authorization: `Bearer ${token.token}` },
      expires_in: Math.floor((token.expiresAt - currentTimeMs()) / 1000),
    };
  }
}

/** Returns where the work of a command comes from. Requests of SSH have no ids of their own. */
function originOf(identity: SshIdentity, { address }: SshClient): Origin {
  const id = identity.kind === 'deploy-key' ? identity.keyId : keyIdOf(identity.by);
  const kind = identity.kind === 'deploy-key' ? 'deploy-key' : 'ssh-key';
  return {
    kind: 'request',
    address,
    requestId: randomUUID(),
    credential: { kind, id, administratorId: null },
  };
}

function keyIdOf(by: Extract<SshIdentity, { kind: 'account' }>['by']): number | null {
  return by.kind === 'ssh-key' ? by.keyId : null;
}

/** Returns the path with the current names of the owner and the repository, which the error has in this order. */
function newPath(path: RepositoryPath, { names: [owner, name] }: MovedError): RepositoryPath {
  return { owner: owner?.to ?? path.owner, name: name?.to ?? path.name };
}

/** Longer commands are of no program of git. */
const LOGGED_CHARS_MAX = 300;

function logCommand(
  { command = '' }: SshRequest,
  { log, address: ip }: SshClient,
  result: { status: number; ms: number },
): void {
  log.info({ command: command.slice(0, LOGGED_CHARS_MAX), ...result, ip }, 'ssh command');
}

/** Explains a failure to the user. Returns the exit status. */
async function explain(error: unknown, client: SshClient): Promise<number> {
  if (client.left.aborted) return FAILED;
  const isKnown = error instanceof ForgeError;
  if (!isKnown) client.log.error({ err: error }, 'a command over SSH failed');
  const what = isKnown ? error.message : 'internal server error';
  await client.writeError(`${printable(what)}\n`).catch(() => {});
  return FAILED;
}

/** The text of this failure is for clients that have sent a password. */
function explainKey(error: unknown): never {
  if (!isFailure(error, 'unauthenticated')) throw error;
  const what = 'this key was removed, or its account';
  throw new ForgeError({ kind: 'unauthenticated', what }, { cause: error });
}
