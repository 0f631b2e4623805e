import type { FastifyRequest } from 'fastify';
import type { ArchiveSettings } from '../code/archives/model.ts';
import type { App } from '../http/app.ts';
import { STYLESHEET } from '../http/pages/stylesheet.ts';
import type { OAuthSettings } from '../people/oauth/model.ts';
import { pagesOfAdministration } from './admin/pages.ts';
import { FINDER_SCRIPT } from './code/inspect/find-page.ts';
import { pagesOfCode } from './code/pages.ts';
import { pagesOfFeeds } from './feeds/pages.ts';
import { frameOf } from './frame/frame.ts';
import type { PageSettings } from './frame/model.ts';
import { robotsFile } from './frame/robots.ts';
import { staticFiles } from './frame/static-files.ts';
import { pagesOfHome } from './home/pages.ts';
import { NOTES_SCRIPT } from './notes/editor.ts';
import { pagesOfNotes } from './notes/pages.ts';
import { oauthPages } from './oauth/pages.ts';
import { pagesOfPeople } from './people/pages.ts';
import { pagesOfSettings } from './settings/pages.ts';
import { settingsRoutes } from './settings.ts';
import { pagesOfSignIn } from './sign-in/pages.ts';
import { PASSKEY_SCRIPT } from './sign-in/passkey-parts.ts';
import { pagesOfTracker } from './tracker/pages.ts';
import { THREAD_SCRIPT } from './tracker/parts/thread-script.ts';
import { openingFormOf } from './tracker/pulls/new-pull-pages.ts';

type Own = 'openingForm' | 'servesDirect';
type Dependencies = Omit<Parameters<typeof pagesOfCode>[1], Own> &
  Parameters<typeof openingFormOf>[0] &
  Parameters<typeof pagesOfTracker>[1] &
  Parameters<typeof pagesOfHome>[1] &
  Parameters<typeof pagesOfPeople>[1] &
  Parameters<typeof pagesOfFeeds>[1] &
  Parameters<typeof pagesOfNotes>[1] &
  Parameters<typeof pagesOfSignIn>[1] &
  Parameters<typeof pagesOfSettings>[1] &
  Parameters<typeof pagesOfAdministration>[1] &
  Parameters<typeof oauthPages>[1] &
  Parameters<typeof settingsRoutes>[1] & {
    readonly archiveSettings: ArchiveSettings;
    readonly oauthSettings: OAuthSettings;
    readonly pageSettings: PageSettings;
    /** of the server */
    readonly version: string;
  };

const STATIC_FILES = [STYLESHEET, PASSKEY_SCRIPT, NOTES_SCRIPT, FINDER_SCRIPT, THREAD_SCRIPT];

export function createWeb(dependencies: Dependencies) {
  const { pageSettings: settings, version, archiveSettings, oauthSettings } = dependencies;
  const { styles, logo } = settings;
  return {
    services: { pageFrame: (request: FastifyRequest) => frameOf(request, { settings, version }) },
    routes: {
      api: (app: App) => settingsRoutes(app, dependencies),
      web(app: App) {
        const files = [...STATIC_FILES, styles, logo];
        staticFiles(
          app,
          files.filter((file) => file !== undefined),
        );
        robotsFile(app);
        pagesOfHome(app, dependencies);
        pagesOfSignIn(app, dependencies);
        if (oauthSettings.isEnabled) oauthPages(app, dependencies);
        pagesOfSettings(app, dependencies);
        pagesOfAdministration(app, dependencies);
        pagesOfNotes(app, dependencies);
        pagesOfPeople(app, dependencies);
        pagesOfFeeds(app, dependencies);
        pagesOfTracker(app, dependencies);
        const openingForm = openingFormOf(dependencies);
        pagesOfCode(app, { ...dependencies, ...archiveSettings, openingForm });
      },
    },
  };
}
