import { hasScope } from '../../api/access/scopes.ts';
import { type Grant, isSignedIn, type SignedIn, type Viewer, viewerOf } from '../../api/access/viewer.ts';
import { maySignIn, type SignInState } from '../accounts/model.ts';
import { denied } from './usable.ts';

/** Returns a site administrator who acts as another account, with the scopes of the credential. @throws ForgeError `forbidden` */
export function actAs(viewer: Viewer, target: SignInState): SignedIn {
  const { accountId, credential, scopes, limitedByToken, source, provedAt } = requireMayActAs(viewer);
  if (!maySignIn(target)) throw denied('the account to act as is disabled');
  const { credentialVersion: version } = target;
  // It is the administrator who proves who they are, also when they act as another account.
  const proof = provedAt === undefined ? {} : { provedAt };
  const grant = { credential, scopes, limitedByToken, ...proof };
  if (source === undefined) return viewerOf(target, grant);
  return viewerOf(target, { ...grant, source: { kind: 'sudo', version, by: { accountId, source } } });
}

/** @throws ForgeError `forbidden` */
export function requireMayActAs(viewer: Viewer): SignedIn & { readonly credential: Grant['credential'] } {
  const { credential } = viewer;
  if (
    !isSignedIn(viewer) ||
    credential === 'none' ||
    !viewer.isAdmin ||
    !hasScope(viewer.scopes, 'write:admin')
  )
    throw denied('only a site administrator may act as another account');
  return { ...viewer, credential };
}
