import type { App } from '../http/app.ts';

/** Groups of routes; the routes of a group share a prefix and a wire. */
type RouteGroup = 'api' | 'notes' | 'ocs' | 'git' | 'lfs' | 'oauth' | 'platform' | 'web';
type Routes = Readonly<Partial<Record<RouteGroup, (app: App) => void>>>;

/** What the `create.ts` of a feature returns. */
interface Feature<Services> {
  /** for later features, listeners, commands and tests */
  readonly services?: Services;
  readonly routes?: Routes;
}

/** The features that have been added so far. */
export class Composition<Services extends object> {
  readonly services: Services;
  readonly #routes: readonly Routes[];

  constructor(services: Services, routes: readonly Routes[] = []) {
    this.services = services;
    this.#routes = routes;
  }

  /** Creates a feature from the services of the features before it. */
  add<Added extends object>(create: (services: Services) => Feature<Added>): Composition<Services & Added> {
    const { services, routes = {} } = create(this.services);
    return new Composition({ ...this.services, ...services } as Services & Added, [...this.#routes, routes]);
  }

  registerRoutes(group: RouteGroup, app: App): void {
    for (const routes of this.#routes) routes[group]?.(app);
  }
}
