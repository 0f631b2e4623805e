import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { invalid } from '../../base/core/failure.ts';
import type { App } from '../../http/app.ts';
import { MARKDOWN } from './actions.ts';
import type { Mode } from './model.ts';
import { MarkdownBody, MarkupBody } from './schema.ts';
import type { Markdown } from './service.ts';

interface Dependencies {
  readonly markdown: Markdown;
}

export function markdownRoutes(app: App, dependencies: Dependencies): void {
  textRoutes(app, dependencies);
  app.register(async (scope) => rawRoute(scope as App, dependencies));
}

const CONFIG = { action: MARKDOWN.render, failures: ['invalid', 'busy'] } as const;
const HTML = { tags: ['miscellaneous'], produces: ['text/html'], response: { 200: Type.String() } };

function textRoutes(app: App, { markdown }: Dependencies): void {
  app.post('/markdown', {
    config: CONFIG,
    schema: { ...HTML, operationId: 'renderMarkdown', summary: 'Render a Markdown text', body: MarkdownBody },
    handler: async ({ viewer, body }, reply) => {
      const { Text: text = '', Context: context = '', Mode: mode = '', Wiki: isWiki } = body;
      return sendHtml(reply, await markdown.render(viewer, { text, context, mode: textMode(mode, isWiki) }));
    },
  });

  app.post('/markup', {
    config: CONFIG,
    schema: { ...HTML, operationId: 'renderMarkup', summary: 'Render a text by its kind', body: MarkupBody },
    handler: async ({ viewer, body }, reply) => {
      const { Text: text = '', Context: context = '', BranchPath: branchPath, FilePath: filePath } = body;
      const mode = markupMode(body.Mode ?? '', body.Wiki);
      return sendHtml(reply, await markdown.render(viewer, { text, context, mode, branchPath, filePath }));
    },
  });
}

/** The body is the text, whatever its content type says. */
function rawRoute(app: App, { markdown }: Dependencies): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) =>
    new TextDecoder().decode(body),
  );
  app.post('/markdown/raw', {
    config: CONFIG,
    schema: {
      ...HTML,
      operationId: 'renderMarkdownRaw',
      summary: 'Render a body in Markdown',
      consumes: ['text/plain'],
    },
    handler: async ({ viewer, body }, reply) => {
      const text = typeof body === 'string' ? body : '';
      return sendHtml(reply, await markdown.render(viewer, { text, context: '', mode: 'markdown' }));
    },
  });
}

/** Users wrote the text, so a browser that opens the response runs nothing of it. */
function sendHtml(reply: FastifyReply, text: string): FastifyReply {
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; sandbox",
    })
    .send(text);
}

/** Unknown modes count as `markdown`. */
function textMode(mode: string, isWiki: boolean | undefined): Mode {
  if (mode !== 'gfm' && mode !== 'comment' && mode !== 'wiki') return 'markdown';
  return isWiki === true ? 'wiki' : mode;
}

/** @throws ForgeError `invalid` */
function markupMode(mode: string, isWiki: boolean | undefined): Mode {
  if (isWiki === true) return 'wiki';
  if (mode === '') return 'markdown';
  if (mode === 'markdown' || mode === 'gfm' || mode === 'comment' || mode === 'wiki' || mode === 'file')
    return mode;
  throw invalid(`Unknown mode: ${mode}`);
}
