import { markdownOf, withoutMarkup } from './escapes.ts';
import type { Message } from './message.ts';
import type { ChatBody } from './model.ts';

/** Bytes of a message. */
const BYTES_MAX = 4_096;

/**
 * Its Markdown has no escapes, so characters with a meaning are replaced by others.
 *
 * @see https://developer.work.weixin.qq.com/document/path/91770
 */
export function wechatwork({ headline, lines, text }: Message): ChatBody {
  const all = [...[headline, ...lines].map((line) => markdownOf(line, withoutMarkup)), withoutMarkup(text)];
  return { msgtype: 'markdown', markdown: { content: fitting(all.filter((line) => line !== '')) } };
}

/** Returns the first lines that fit. */
function fitting(lines: readonly string[]): string {
  let bytes = 0;
  const end = lines.findIndex((line) => {
    bytes += Buffer.byteLength(line) + 1;
    return bytes > BYTES_MAX;
  });
  return (end === -1 ? lines : lines.slice(0, Math.max(end, 1))).join('\n');
}
