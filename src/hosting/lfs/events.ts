import { defineEvent } from '../../base/events/model.ts';

export const FILE_LOCKED = defineEvent<{ lockId: number; path: string }>('lfs.locked');
/** `ownerId` is the account that held the lock */
export const FILE_UNLOCKED = defineEvent<{ lockId: number; path: string; ownerId: number; forced: boolean }>(
  'lfs.unlocked',
  { people: ['ownerId'] },
);
