import type { FastifyRequest } from 'fastify';
import type { App } from '../app.ts';

/** Lets routes on `app` take the forms of pages. */
export function acceptPageForms(app: App): void {
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => new URLSearchParams(body),
  );
}

/** Returns a field of a form as it was sent; '' without it. */
export function fieldOf({ body }: Pick<FastifyRequest, 'body'>, name: string): string {
  return (body instanceof URLSearchParams ? body.get(name) : null) ?? '';
}

/** Returns a long text of a form. Browsers end its lines with CR LF. */
export function longTextOf(request: Pick<FastifyRequest, 'body'>, name: string): string {
  return fieldOf(request, name).replaceAll('\r\n', '\n');
}

/** Returns all values of a field that a form may have several times, such as boxes of a list. */
export function fieldsOf({ body }: Pick<FastifyRequest, 'body'>, name: string): readonly string[] {
  return body instanceof URLSearchParams ? body.getAll(name) : [];
}

/** Returns a checkbox of a form: whether it is checked. */
export function isChecked(request: Pick<FastifyRequest, 'body'>, name: string): boolean {
  return fieldOf(request, name) !== '';
}
