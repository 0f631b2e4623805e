import { defineEvent } from '../../base/events/model.ts';
import type { ProtectedKind } from './model.ts';

interface Protected {
  readonly protects: ProtectedKind;
  readonly pattern: string;
}

export const PROTECTION_CREATED = defineEvent<Protected>('protection.created', {
  audit: { target: 'protection', name: 'pattern' },
});
/** `from` is the former pattern. `changed` has the names of the fields that have changed, and `lists` for the lists. */
export const PROTECTION_CHANGED = defineEvent<Protected & { from: string; changed: readonly string[] }>(
  'protection.changed',
  { audit: { target: 'protection', name: 'pattern' } },
);
export const PROTECTION_DELETED = defineEvent<Protected>('protection.deleted', {
  audit: { target: 'protection', name: 'pattern' },
});
