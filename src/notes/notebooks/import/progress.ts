import { NOTE_LIMITS } from '../limits.ts';
import type { ImportProgress, Remark } from './model.ts';

export function newProgress(): ImportProgress {
  return {
    filesTotal: null,
    apps: new Set(),
    notes: 0,
    changed: 0,
    copies: 0,
    otherFiles: 0,
    bytes: 0,
    present: 0,
    leftOut: new Map(),
    creationTimes: 0,
    incomplete: [],
    incompleteTotal: 0,
    notTaken: [],
    notTakenTotal: 0,
  };
}

export function notTake(progress: ImportProgress, { name, why }: Remark): void {
  progress.notTakenTotal += 1;
  if (progress.notTaken.length < NOTE_LIMITS.importNotTakenNamedMax) progress.notTaken.push({ name, why });
}

/** Reports that a note is imported without a part of it. */
export function reportPartial(progress: ImportProgress, { name, why }: Remark): void {
  progress.incompleteTotal += 1;
  if (progress.incomplete.length < NOTE_LIMITS.importNotTakenNamedMax)
    progress.incomplete.push({ name, why });
}

export function leaveOut(progress: ImportProgress, why: string, count = 1): void {
  if (count > 0) progress.leftOut.set(why, (progress.leftOut.get(why) ?? 0) + count);
}
