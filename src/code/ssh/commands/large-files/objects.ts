import type { TransferOperation } from '../../../../api/access/viewer.ts';
import { invalid } from '../../../../base/core/failure.ts';
import type { RepositoryId } from '../../../../git/interface/snapshot.ts';
import {
  type BatchAnswer,
  type LfsObject,
  type NamedObject,
  sizeOf,
  sizeProblem,
} from '../../../../hosting/lfs/model.ts';
import type { LargeFiles } from '../../../../hosting/lfs/service.ts';
import { takenAtPace } from '../../../../http/pace.ts';
import { badRequest, type TransferRequest } from './requests.ts';
import type { TransferSession } from './session.ts';

/** The only hash of objects that this server knows. */
const HASH = 'sha256';

/** Says what the client has to do with each object. */
export async function answerBatch(session: TransferSession, { options }: TransferRequest): Promise<void> {
  const { answers, operation, path, requests, largeFiles } = session;
  const hash = options.get('hash-algo') ?? HASH;
  if (hash !== HASH) throw invalid(`the ids of objects are ${HASH} here`);
  const objects = (await requests.lines()).map(namedObject);
  const viewer = await session.viewer();
  const answered = await largeFiles.answer(viewer, path, { operation, objects });
  await answers.send(
    200,
    { 'hash-algo': HASH },
    answered.answers.map((answer) => lineOf(answer, operation)),
  );
}

function namedObject(line: string): NamedObject {
  const [oid = '', size = ''] = line.split(' ');
  return { oid, sizeBytes: sizeOf(size) };
}

/** This protocol has no errors of single objects. */
function lineOf(answer: BatchAnswer, operation: TransferOperation): string {
  const { oid, sizeBytes, kind } = answer;
  if (kind === 'already there') return `${oid} ${sizeBytes} noop`;
  if (kind !== 'failed') return `${oid} ${sizeBytes} ${kind}`;
  if (operation === 'upload') throw invalid(`object ${oid}: ${answer.message}`);
  // The client would silently skip an object without an action. So it asks for the object, and gets the error.
  return `${oid} ${sizeBytes} download`;
}

/** Stores an object that follows the request. */
export async function putObject(session: TransferSession, request: TransferRequest): Promise<void> {
  session.requireOperation('upload');
  const { answers, path, requests, largeFiles } = session;
  const to = await largeFiles.openForUpload(await session.viewer(), path);
  await largeFiles.receive(to, objectOf(request), requests.bytes());
  await answers.send(200, {}, []);
}

/** Checks that an object has arrived. */
export async function verifyObject(session: TransferSession, request: TransferRequest): Promise<void> {
  session.requireOperation('upload');
  const { answers, path, largeFiles } = session;
  const { repository } = await largeFiles.openForUpload(await session.viewer(), path);
  await largeFiles.verify(repository.id, objectOf(request));
  await answers.send(200);
}

/** Sends an object. */
export async function getObject(session: TransferSession, request: TransferRequest): Promise<void> {
  session.requireOperation('download');
  const { answers, path, largeFiles } = session;
  const repository = await largeFiles.openForDownload(await session.viewer(), path);
  const object = await findObject(largeFiles, repository.id, request);
  const leave = await largeFiles.downloads.enter();
  try {
    const { body } = await largeFiles.open(object, undefined);
    const bytes = takenAtPace(session.pace(), body);
    await answers.sendBytes({ size: object.sizeBytes }, bytes).finally(() => body.destroy());
  } finally {
    leave();
  }
}

async function findObject(
  largeFiles: LargeFiles,
  repositoryId: RepositoryId,
  { words: [oid = ''], options }: TransferRequest,
): Promise<LfsObject> {
  const object = await largeFiles.get(repositoryId, oid);
  const size = options.get('size');
  const problem = size === undefined ? undefined : sizeProblem(object, { oid, sizeBytes: sizeOf(size) });
  if (problem !== undefined) throw invalid(problem);
  return object;
}

/** Clients give the size as an argument. The description of the protocol has it after the id for `verify-object`. */
function objectOf({ words: [oid = '', word], options }: TransferRequest): NamedObject {
  const size = options.get('size') ?? word;
  if (size === undefined) throw badRequest('the argument size is missing');
  return { oid, sizeBytes: sizeOf(size) };
}
