import { type GrantedScope, UNSCOPED } from '../../access/scopes.ts';
import type { SignedIn } from '../../access/viewer.ts';
import type { EarlierViewer } from '../../authentication/service.ts';

type Credential = Omit<EarlierViewer, 'accountId' | 'scopes'> & {
  /** null: everything */
  readonly scopes: readonly GrantedScope[] | null;
};

/** Formats the credential of a request for its row. */
export function credentialText(viewer: SignedIn): string {
  const { credential, limitedByToken, source } = viewer;
  const { granted } = viewer.scopes;
  const text: Credential = {
    credential: credential === 'password' ? 'password' : 'token',
    scopes: granted === 'everything' ? null : [...granted],
    limitedByToken,
    ...(source === undefined ? {} : { source }),
  };
  return JSON.stringify(text);
}

export function earlierViewerOf(accountId: number, text: string): EarlierViewer {
  const { scopes, ...credential }: Credential = JSON.parse(text);
  return {
    ...credential,
    accountId,
    scopes: scopes === null ? UNSCOPED : { granted: new Set(scopes) },
  };
}
