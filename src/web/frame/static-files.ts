import { Type } from 'typebox';
import { SERVER } from '../../api/access/actions.ts';
import type { App } from '../../http/app.ts';
import { sendNoPage } from '../../http/errors/web.ts';
import { accepts } from '../../http/pages/codings.ts';
import type { StaticFile } from '../../http/pages/static-file.ts';

/** Registers the files that pages load. A browser keeps them, because a change gives them another name. */
export function staticFiles(app: App, all: readonly StaticFile[]): void {
  const files = new Map(all.map((file) => [file.name, file]));
  const schema = { params: Type.Object({ file: Type.String() }) };
  app.get('/assets/:file', { config: { action: SERVER.describe }, schema }, async (request, reply) => {
    const file = files.get(request.params.file);
    if (file === undefined) return sendNoPage(reply.code(404));
    reply.headers({
      'content-type': file.type,
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'accept-encoding',
    });
    if (!accepts(request.headers['accept-encoding'], 'br')) return reply.send(file.bytes);
    return reply.header('content-encoding', 'br').send(file.compressed());
  });
}
