import { idOf, type TransferOperation, type Viewer } from '../../api/access/viewer.ts';
import type { Database } from '../../base/database/database.ts';
import type { RepositoryId } from '../../git/interface/snapshot.ts';
import type { Quota } from '../quota/service.ts';
import type { Repository } from '../repositories/model.ts';
import {
  type BatchAnswer,
  type LfsObject,
  type LfsSettings,
  type NamedObject,
  objectProblem,
  sizeProblem,
  tooLarge,
} from './model.ts';
import { listLinked } from './store/objects.ts';

interface Needs {
  readonly database: Database;
  readonly quota: Quota;
  readonly lfsSettings: LfsSettings;
}

interface Batch {
  readonly viewer: Viewer;
  /** one that the viewer may transfer objects of */
  readonly repository: Pick<Repository, 'id' | 'owner'>;
  readonly operation: TransferOperation;
  readonly objects: readonly NamedObject[];
}

/**
 * Returns what a client has to do with each object of a batch.
 *
 * @throws ForgeError `too_large` for too many objects, or if the owner has no room for the new ones
 */
export async function answerBatch(use: Needs, batch: Batch): Promise<readonly BatchAnswer[]> {
  const { repository, operation, objects } = batch;
  const { batchObjectsMax, objectBytesMax } = use.lfsSettings;
  if (objects.length > batchObjectsMax) throw tooLarge(`a batch has at most ${batchObjectsMax} objects`);
  const known = await findAll(use.database, repository.id, objects);
  const answers = objects.map((object) =>
    answerTo(object, known.get(object.oid), { operation, objectBytesMax }),
  );
  if (operation === 'upload') await requireRoomFor(use.quota, batch, newObjects(answers));
  return answers;
}

function answerTo(
  object: NamedObject,
  known: LfsObject | undefined,
  { operation, objectBytesMax }: { operation: TransferOperation; objectBytesMax: number },
): BatchAnswer {
  const { oid, sizeBytes } = object;
  const fail = (status: 404 | 422, message: string): BatchAnswer => ({
    oid,
    sizeBytes,
    kind: 'failed',
    status,
    message,
  });
  const problem = objectProblem(object);
  if (problem !== undefined) return fail(422, problem);
  const otherSize = known && sizeProblem(known, object);
  if (otherSize !== undefined) return fail(422, otherSize);
  if (operation === 'download')
    return known === undefined ? fail(404, 'Not Found') : { oid, sizeBytes, kind: 'download', object: known };
  if (known !== undefined) return { oid, sizeBytes, kind: 'already there' };
  if (sizeBytes > objectBytesMax) return fail(422, `an object has at most ${objectBytesMax} bytes`);
  return { oid, sizeBytes, kind: 'upload' };
}

async function findAll(
  database: Database,
  repositoryId: RepositoryId,
  objects: readonly NamedObject[],
): Promise<ReadonlyMap<string, LfsObject>> {
  const oids = new Set(objects.filter((object) => objectProblem(object) === undefined).map(({ oid }) => oid));
  const found = await listLinked(database.reader, repositoryId, [...oids]);
  return new Map(found.map((object) => [object.oid, object]));
}

function requireRoomFor(
  quota: Quota,
  { viewer, repository }: Batch,
  arriving: readonly NamedObject[],
): Promise<void> {
  const sizeBytes = arriving.reduce((sum, object) => sum + object.sizeBytes, 0);
  const names = arriving.map(({ oid }) => oid);
  const uploads = { accountId: idOf(viewer), repositoryId: repository.id, names };
  return quota.requireRoom(repository.owner.id, { kind: 'size:git:lfs', sizeBytes, uploads });
}

/** Returns the objects to upload, each once, however often the batch names it. */
function newObjects(answers: readonly BatchAnswer[]): readonly NamedObject[] {
  const wanted = answers.filter(({ kind }) => kind === 'upload');
  return [...new Map(wanted.map((answer) => [answer.oid, answer])).values()];
}
