import { lfsMessageOf } from '../../../../http/errors/lfs.ts';
import { FAILURE_STATUS } from '../../../../http/errors/status.ts';
import { knownFailure } from '../../../../http/errors/wire.ts';
import type { SshClient } from '../../model.ts';
import { listLocks, lockFile, unlockFile } from './locks.ts';
import { answerBatch, getObject, putObject, verifyObject } from './objects.ts';
import { badRequest, type TransferRequest } from './requests.ts';
import { type TransferNeeds, TransferSession } from './session.ts';

const VERSION = '1';
const FAULT_STATUS = 500;

type Handler = (session: TransferSession, request: TransferRequest) => Promise<void>;

const HANDLERS: Readonly<Record<string, Handler>> = {
  version: acceptVersion,
  batch: answerBatch,
  'put-object': putObject,
  'verify-object': verifyObject,
  'get-object': getObject,
  lock: lockFile,
  unlock: unlockFile,
  'list-lock': listLocks,
  // git-lfs 3.3 and older ask so before a push.
  'list-locks': listLocks,
};

/**
 * Talks to a client of git-lfs that needs no HTTP. Each of its requests reads its rights again.
 *
 * @throws ForgeError for a client that cannot be understood
 * @see https://github.com/git-lfs/git-lfs/blob/main/docs/proposals/ssh_adapter.md
 */
export async function serveLargeFilesOverSsh(client: SshClient, needs: TransferNeeds): Promise<void> {
  const session = new TransferSession(client, needs);
  await session.answers.greet([`version=${VERSION}`, 'locking']);
  while (await serveNext(session));
}

/** @returns whether another request can follow */
async function serveNext(session: TransferSession): Promise<boolean> {
  const { requests, answers } = session;
  try {
    const request = await requests.next();
    if (request === undefined) return false;
    if (request.command === 'quit') {
      await requests.skip();
      await answers.send(200);
      return false;
    }
    await respond(session, request);
  } catch (error) {
    await explain(session, error);
  }
  return true;
}

async function respond(session: TransferSession, request: TransferRequest): Promise<void> {
  const { command } = request;
  const handle = Object.hasOwn(HANDLERS, command) ? HANDLERS[command] : undefined;
  if (handle === undefined) throw badRequest(`no such command: ${command}`);
  await handle(session, request);
  await session.requests.skip();
}

async function acceptVersion({ answers }: TransferSession, { words }: TransferRequest): Promise<void> {
  if (words[0] !== VERSION) throw badRequest(`this server speaks version ${VERSION}`);
  await answers.send(200, {}, []);
}

/** @throws the error, if no request can follow it */
async function explain({ client, requests, answers }: TransferSession, error: unknown): Promise<void> {
  if (client.left.aborted || answers.isOpen) throw error;
  // What cannot be skipped breaks the stream.
  await requests.skip().catch(() => {});
  const failure = knownFailure(error);
  if (failure === undefined) client.log.error({ err: error }, 'a request of git-lfs failed');
  const status = failure === undefined ? FAULT_STATUS : FAILURE_STATUS[failure.kind];
  await answers.fail(status, failure === undefined ? 'internal server error' : lfsMessageOf(failure));
  if (requests.isBroken) throw error;
}
