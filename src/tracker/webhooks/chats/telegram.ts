import { html, htmlOf } from './escapes.ts';
import type { Message } from './message.ts';
import type { ChatBody, ChatSettings } from './model.ts';

/** @see https://core.telegram.org/bots/api#html-style */
export function telegram({ headline, lines, text }: Message, { config }: ChatSettings): ChatBody {
  const { chat_id: chat, thread_id: thread } = config;
  const all = [htmlOf(headline), ...lines.map(htmlOf), html(text)].map(withoutMentions);
  return {
    ...(chat === undefined ? {} : { chat_id: chat }),
    ...(thread === undefined ? {} : { message_thread_id: thread }),
    text: all.filter((line) => line !== '').join('\n'),
    parse_mode: 'HTML',
    disable_web_page_preview: true,
  };
}

/**
 * Telegram has no escape for a mention, so an invisible character (a word joiner) follows each sign that begins one. Addresses
 * of links stay as they are.
 */
function withoutMentions(escaped: string): string {
  return escaped.replaceAll(/@(?![^<]*>)/g, '@\u2060');
}
