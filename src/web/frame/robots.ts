import { SERVER } from '../../api/access/actions.ts';
import type { App } from '../../http/app.ts';

/** Addresses that cost much or change often, which crawlers leave out. A page has enough links to all else. */
const LEFT_OUT = [
  '/api/',
  '/user/',
  '/*/*/archive/',
  '/*/*/blame/',
  '/*/*/commits/',
  '/*/*/compare/',
  '/*/*/find/',
  '/*/*/media/',
  '/*/*/raw/',
  '/*/*/search',
  '/*/*/src/commit/',
  '/*.diff$',
  '/*.patch$',
  '/*?*page=',
];

/** Registers what crawlers read first (RFC 9309). */
export function robotsFile(app: App): void {
  const text = `User-agent: *\n${LEFT_OUT.map((path) => `Disallow: ${path}\n`).join('')}Crawl-delay: 2\n`;
  app.get('/robots.txt', { config: { action: SERVER.describe } }, async (_request, reply) =>
    reply.type('text/plain; charset=utf-8').header('cache-control', 'public, max-age=86400').send(text),
  );
}
