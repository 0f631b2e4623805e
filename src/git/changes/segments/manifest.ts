import { readFileSync, renameSync } from 'node:fs';
import { mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FILE_MODE, FOLDER_MODE, syncFolder, writeDurably } from '../../../base/core/files/durable-files.ts';
import { undefinedIfMissing } from '../../folders/file-errors.ts';
import { linkOrCopy } from '../../folders/linked-objects.ts';
import { randomName } from '../../folders/repository-layout.ts';
import type { Oid } from '../../format/model.ts';

/** Names the segments of an index. A change of the index takes effect when this file is replaced. */
export interface Manifest {
  /** file names; the commits of a segment have parents only in it and in earlier segments */
  readonly segments: readonly string[];
  /** tips whose history was indexed last */
  readonly tips: readonly Oid[];
  /**
   * tips of the planned steps, if the history was too long for one step; each step lists only the commits that its tips
   * add
   */
  readonly ahead: readonly (readonly Oid[])[];
}

const NAME = 'manifest.json';
const SEGMENT = /^[0-9a-f]+\.changes$/;
export const NO_MANIFEST: Manifest = { segments: [], tips: [], ahead: [] };

export function newSegmentName(): string {
  return `${randomName()}.changes`;
}

export function readManifest(folder: string): Manifest {
  try {
    return parse(readFileSync(join(folder, NAME), 'utf8'));
  } catch {
    // If the manifest is absent, or was not written by this version, the index is built again.
    return NO_MANIFEST;
  }
}

function parse(text: string): Manifest {
  // Manifests of earlier versions have no `ahead`.
  const { segments, tips, ahead = [] } = JSON.parse(text) as Record<string, unknown>;
  const isList = (list: unknown): list is string[] =>
    Array.isArray(list) && list.every((one) => typeof one === 'string');
  if (!isList(segments) || !isList(tips) || !segments.every((name) => SEGMENT.test(name))) return NO_MANIFEST;
  return { segments, tips, ahead: Array.isArray(ahead) && ahead.every(isList) ? ahead : [] };
}

/** Replaces the manifest durably, then deletes the segments that it no longer names. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `draft-${randomName()}`);
  await writeDurably(draft, JSON.stringify(manifest), { mode: FILE_MODE });
  renameSync(draft, join(folder, NAME));
  await syncFolder(folder);
  const kept = new Set([NAME, ...manifest.segments]);
  for (const name of await readdir(folder))
    if (!kept.has(name)) await rm(join(folder, name), { force: true });
}

export async function ensureIndexFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
}

/**
 * Links the index of a parent into its fork. If the parent's index changes at the same time, the fork builds its own.
 */
export async function linkChangeIndex(from: string, to: string): Promise<void> {
  const manifest = readManifest(from);
  if (manifest.segments.length === 0) return;
  await ensureIndexFolder(to);
  for (const name of manifest.segments) {
    const linked = await undefinedIfMissing(linkOrCopy(join(from, name), join(to, name)).then(() => true));
    if (linked === undefined) return;
  }
  await writeManifest(to, { ...manifest, ahead: [] });
}
