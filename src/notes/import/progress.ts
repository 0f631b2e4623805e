import { LIMITS } from '../../core/limits.ts';
import type { ImportProgress } from './model.ts';

export function newProgress(): ImportProgress {
  return {
    notes: 0,
    changed: 0,
    copies: 0,
    otherFiles: 0,
    bytes: 0,
    present: 0,
    hidden: 0,
    notTaken: [],
    notTakenTotal: 0,
  };
}

export function notTake(progress: ImportProgress, { name, why }: { name: string; why: string }): void {
  progress.notTakenTotal += 1;
  if (progress.notTaken.length < LIMITS.importNotTakenNamedMax) progress.notTaken.push({ name, why });
}
