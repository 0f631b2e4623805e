import type { Database, Tx } from '../../base/database/database.ts';
import { defineJob } from '../../base/jobs/model.ts';
import type { Jobs } from '../../base/jobs/service.ts';
import type { OutboundClient } from '../../base/outbound/client.ts';
import type { RefUpdate } from '../../git/interface/refs.ts';
import type { RepositoryId, Snapshot } from '../../git/interface/snapshot.ts';
import type { GitStorage } from '../../git/interface/storage.ts';
import { GIT_LIMITS } from '../../git/limits.ts';
import { RemoteError } from '../../git/remote/model.ts';
import { RemoteTarget } from '../../git/remote/remote-target.ts';
import { MIRROR_LIMITS } from '../mirrors/limits.ts';
import type { Due, Source } from '../mirrors/model.ts';
import { authorizationOf, withoutSecrets } from '../mirrors/source.ts';
import { OwnerTurns } from '../mirrors/turns.ts';
import { branchFilterOf } from './branch-filter.ts';
import type { LargeFilePushes } from './large-files.ts';
import { PUSH_MIRROR_LIMITS } from './limits.ts';
import { changesFor, sharedWith, tipsOf } from './plan.ts';
import type { OpenedPushMirror, PushMirrorRecords } from './records.ts';

interface Dependencies {
  readonly database: Database;
  readonly git: Pick<GitStorage, 'refs' | 'transfers'>;
  readonly jobs: Jobs;
  readonly outbound: OutboundClient;
  readonly pushMirrorRecords: PushMirrorRecords;
  readonly largeFilePushes: LargeFilePushes;
}

const SYNC = defineJob<{ ownerId: number }>('push-mirrors.sync');

/** A ref that a target did not move, and what it says about it. */
type Rejection = readonly [ref: string, why: string];

/** Brings the targets of push mirrors up to date. */
export class PushMirrorSync {
  readonly #use: Dependencies;
  readonly #turns: OwnerTurns;

  constructor(dependencies: Dependencies) {
    this.#use = dependencies;
    const { pushMirrorRecords } = dependencies;
    this.#turns = new OwnerTurns(dependencies, {
      kind: SYNC,
      lookingName: 'push-mirrors.due',
      atOnceMax: PUSH_MIRROR_LIMITS.pushMirrorsAtOnceMax,
      patienceMs: MIRROR_LIMITS.mirrorPatienceMs,
      whatFailed: 'a push mirror was not updated',
      listDueOwners: () => pushMirrorRecords.listDueOwners(),
      findDue: (ownerId) => pushMirrorRecords.findDue(ownerId),
      update: (due, signal) => this.#update(due, signal),
      fail: (due, why) => pushMirrorRecords.fail(due, why),
    });
  }

  /** Requests the updates of an owner's push mirrors that are due. */
  enqueue(tx: Tx, ownerId: number): Promise<void> {
    return this.#turns.enqueue(tx, ownerId);
  }

  /** Requests an update of all push mirrors of a repository. */
  async request(tx: Tx, id: RepositoryId): Promise<void> {
    await this.#request(tx, id, 'all');
  }

  /** Requests an update of the push mirrors that follow the pushes of a repository. Several requests are one. */
  async afterPush(tx: Tx, { repositoryId }: { readonly repositoryId: RepositoryId }): Promise<void> {
    await this.#request(tx, repositoryId, 'followers');
  }

  async #request(tx: Tx, id: RepositoryId, of: 'all' | 'followers'): Promise<void> {
    const ownerId = await this.#use.pushMirrorRecords.request(tx, id, of);
    if (ownerId !== undefined) await this.enqueue(tx, ownerId);
  }

  async #update(due: Due, signal: AbortSignal): Promise<void> {
    const { git, outbound, pushMirrorRecords } = this.#use;
    const mirror = await pushMirrorRecords.find(due.id);
    if (mirror === undefined) return;
    // Opened after the request was read: a push that is not in it requests another update.
    const snapshot = await git.refs.open(mirror.repositoryId);
    const { url, credentials } = sourceOf(mirror);
    try {
      // The address is checked again with each connection.
      const target = await RemoteTarget.open(
        outbound,
        { url, authorization: authorizationOf(credentials) },
        signal,
      );
      await this.#push(snapshot, target, mirror, signal);
    } catch (error) {
      throw withoutSecrets(error, credentials);
    }
    await pushMirrorRecords.succeed(due, mirror);
  }

  async #push(
    snapshot: Snapshot,
    target: RemoteTarget,
    mirror: OpenedPushMirror,
    signal: AbortSignal,
  ): Promise<void> {
    const updates = changesFor(snapshot, target, branchFilterOf(mirror.branchFilter));
    if (updates.length === 0) return;
    target.requireFormat(snapshot.objectFormat);
    const without = await sharedWith(snapshot, target, updates, MIRROR_LIMITS.sourceHavesMax);
    const range = { tips: tipsOf(updates), without };
    await this.#use.largeFilePushes.send(snapshot, range, sourceOf(mirror), signal);
    const rejections: Rejection[] = [];
    const sent = [...without];
    for (let at = 0; at < updates.length; at += GIT_LIMITS.targetCommandsMax) {
      const batch = updates.slice(at, at + GIT_LIMITS.targetCommandsMax);
      rejections.push(...(await this.#send(snapshot, target, { updates: batch, without: sent }, signal)));
      if (rejections.length === 0) sent.push(...tipsOf(batch));
    }
    if (rejections.length > 0) throw new RemoteError(wordsOf(rejections));
  }

  /** Moves some refs of a target. @returns those that it did not move */
  async #send(
    snapshot: Snapshot,
    target: RemoteTarget,
    { updates, without }: { updates: readonly RefUpdate[]; without: readonly string[] },
    signal: AbortSignal,
  ): Promise<readonly Rejection[]> {
    const { git } = this.#use;
    const possible = updates.filter((update) => target.deletesRefs || update.new !== null);
    const kept = target.deletesRefs ? [] : updates.filter((update) => update.new === null);
    const refused = kept.map(({ ref }): Rejection => [ref, 'the target does not delete refs']);
    if (possible.length === 0) return refused;
    const tips = tipsOf(possible);
    const pack = () => git.transfers.packOf(snapshot, { tips, without }, { ...target.packForm, signal });
    const report = await target.push(possible, tips.length === 0 ? null : pack, {
      deadlineMs: MIRROR_LIMITS.migrationMs,
    });
    if (report.unpackError !== null)
      throw new RemoteError(`the target did not take the objects: ${report.unpackError}`);
    const rejected = possible.flatMap(({ ref }): Rejection[] => {
      const why = report.refs.get(ref);
      if (why === undefined) return [[ref, 'the target did not say what it did']];
      return why === null ? [] : [[ref, why]];
    });
    return [...refused, ...rejected];
  }
}

/** A target as a repository from which one could copy, too. */
function sourceOf({ address, credentials }: OpenedPushMirror): Source {
  return { url: new URL(address), credentials, largeFiles: { url: null } };
}

function wordsOf(rejections: readonly Rejection[]): string {
  const count = rejections.length === 1 ? 'a ref' : `${rejections.length} refs`;
  const each = rejections
    .slice(0, PUSH_MIRROR_LIMITS.targetRejectionsShownMax)
    .map(([ref, why]) => `${ref}: ${why}`);
  return `the target rejected ${count}: ${each.join('; ')}`;
}
