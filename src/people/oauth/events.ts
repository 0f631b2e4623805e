import { defineEvent } from '../../base/events/model.ts';

interface Application {
  /** a user or an organization; null: the site */
  readonly accountId: number | null;
  readonly applicationId: number;
  readonly name: string;
}

const audit = { target: 'oauth-application', id: 'applicationId', name: 'name' } as const;

export const OAUTH_APPLICATION_CREATED = defineEvent<Application>('oauth-application.created', { audit });
/** `hasNewSecret`: the former secret stopped working. */
export const OAUTH_APPLICATION_CHANGED = defineEvent<Application & { readonly hasNewSecret: boolean }>(
  'oauth-application.changed',
  { audit },
);
/** All that was granted to it has ended. */
export const OAUTH_APPLICATION_DELETED = defineEvent<Application>('oauth-application.deleted', { audit });
