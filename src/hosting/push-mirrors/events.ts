import { defineEvent } from '../../base/events/model.ts';

interface AboutPushMirror {
  readonly name: string;
  /** without credentials */
  readonly address: string;
}

export const PUSH_MIRROR_CREATED = defineEvent<AboutPushMirror>('push-mirror.created', {
  audit: { target: 'push-mirror', name: 'name' },
});
export const PUSH_MIRROR_DELETED = defineEvent<AboutPushMirror>('push-mirror.deleted', {
  audit: { target: 'push-mirror', name: 'name' },
});
