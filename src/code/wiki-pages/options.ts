import type { Static } from 'typebox';
import { ForgeError } from '../../base/core/failure.ts';
import { isStorableText } from '../../base/core/text/text.ts';
import { Base64Decoder } from '../contents/base64.ts';
import { WIKI_PAGE_LIMITS } from './limits.ts';
import type { PageChange } from './model.ts';
import { titleProblem } from './names.ts';
import type { WikiPageBody } from './schema.ts';

type Body = Static<typeof WikiPageBody>;

/** @throws ForgeError `bad_request`, `too_large` */
export function newPageOf(body: Body): PageChange & { readonly title: string } {
  return { ...changeOf(body), title: titleOf(body.title ?? '') };
}

/** @throws ForgeError `bad_request`, `too_large` */
export function pageChangeOf(body: Body): PageChange {
  const title = body.title?.trim() ?? '';
  return { ...changeOf(body), title: title === '' ? undefined : titleOf(title) };
}

function changeOf({ content_base64: encoded, message = '' }: Body) {
  const { messageCharsMax } = WIKI_PAGE_LIMITS;
  if (message.length > messageCharsMax || !isStorableText(message))
    throw badRequest(`a message is valid Unicode with at most ${messageCharsMax} characters`);
  return { content: encoded === undefined ? undefined : contentOf(encoded), message: message.trim() };
}

function titleOf(text: string): string {
  const title = text.trim();
  const problem = titleProblem(title);
  if (problem !== undefined) throw badRequest(problem);
  return title;
}

function contentOf(encoded: string): Uint8Array {
  const decoder = new Base64Decoder();
  const start = decoder.write(encoded);
  const end = decoder.end();
  if (end === undefined) throw badRequest('content_base64 is not standard base64');
  const content = Buffer.concat([start, end]);
  const { wikiPageWrittenBytesMax } = WIKI_PAGE_LIMITS;
  if (content.length > wikiPageWrittenBytesMax)
    throw new ForgeError({ kind: 'too_large', what: `a page has at most ${wikiPageWrittenBytesMax} bytes` });
  return content;
}

export function badRequest(what: string): ForgeError {
  return new ForgeError({ kind: 'bad_request', what });
}
