import type { Addresses, App } from '../../http/app.ts';
import type { MarkDependencies } from './marks.ts';
import { starRoutes } from './routes.ts';
import { starMarks } from './stars.ts';
import { watchMarks } from './watching.ts';

/** Composes stars and watches. */
export function createStars(dependencies: MarkDependencies & { readonly addresses: Addresses }) {
  const { addresses } = dependencies;
  const services = { stars: starMarks(dependencies), watching: watchMarks(dependencies) };
  return { services, routes: { api: (app: App) => starRoutes(app, { ...services, addresses }) } };
}
