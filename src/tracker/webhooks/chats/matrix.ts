import { html, htmlOf } from './escapes.ts';
import { type Message, plainText } from './message.ts';
import type { ChatBody, ChatSettings } from './model.ts';

/** @see https://spec.matrix.org/latest/client-server-api/#mroommessage-msgtypes */
export function matrix({ headline, lines, text }: Message, { config }: ChatSettings): ChatBody {
  const plain = [plainText(headline), ...lines.map(plainText), text].filter((line) => line !== '');
  const formatted = [htmlOf(headline), ...lines.map(htmlOf), html(text)].filter((line) => line !== '');
  return {
    msgtype: config.message_type === '1' || config.message_type === 'm.text' ? 'm.text' : 'm.notice',
    body: plain.join('\n'),
    format: 'org.matrix.custom.html',
    formatted_body: formatted.join('<br>').replaceAll('\n', '<br>'),
    // Mentions no one, whatever the texts contain.
    'm.mentions': {},
  };
}
