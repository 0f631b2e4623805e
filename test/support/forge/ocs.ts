import type { Answer } from '../http/http.ts';

/**
 * The status that a response means. Version 1 of the Open Collaboration Services interface answers with 200 and has the
 * status in its envelope.
 */
export function meantStatus(path: string, { status, text }: Answer): number {
  if (!path.startsWith('/ocs/v1.php/') || status !== 200) return status;
  const [, code] = /<statuscode>(\d+)<\/statuscode>/.exec(text) ?? [];
  return code === undefined || code === '100' ? status : Number(code);
}
