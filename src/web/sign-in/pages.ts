import type { App } from '../../http/app.ts';
import { accountSettingsPage } from './account-settings-page.ts';
import { confirmPage } from './confirm-page.ts';
import { emailPages } from './email-pages.ts';
import { externalPages } from './external-pages.ts';
import { linkedAccountPages } from './linked-account-pages.ts';
import { recoveryPages } from './recovery-pages.ts';
import { securityPages } from './security-pages.ts';
import { sessionPages } from './session-pages.ts';
import { signInPages } from './sign-in-pages.ts';
import { signUpPages } from './sign-up-pages.ts';

type Dependencies = Parameters<typeof signInPages>[1] &
  Parameters<typeof externalPages>[1] &
  Parameters<typeof linkedAccountPages>[1] &
  Parameters<typeof sessionPages>[1] &
  Parameters<typeof signUpPages>[1] &
  Parameters<typeof recoveryPages>[1] &
  Parameters<typeof emailPages>[1] &
  Parameters<typeof accountSettingsPage>[1] &
  Parameters<typeof confirmPage>[1] &
  Parameters<typeof securityPages>[1];

/** Registers the pages on which people sign in, and change how they sign in. */
export function pagesOfSignIn(app: App, dependencies: Dependencies): void {
  signInPages(app, dependencies);
  externalPages(app, dependencies);
  linkedAccountPages(app, dependencies);
  sessionPages(app, dependencies);
  signUpPages(app, dependencies);
  recoveryPages(app, dependencies);
  emailPages(app, dependencies);
  accountSettingsPage(app, dependencies);
  confirmPage(app, dependencies);
  securityPages(app, dependencies);
}
