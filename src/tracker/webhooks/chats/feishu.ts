import { createHmac } from 'node:crypto';
import { isWeb } from './escapes.ts';
import { type Message, plainText } from './message.ts';
import type { ChatBody, ChatSettings } from './model.ts';

/**
 * A card of plain texts, in which no tag mentions anyone. The secret signs the time, as the platform asks.
 *
 * @see https://open.feishu.cn/document/client-docs/bot-v3/add-custom-bot
 */
export function feishu({ headline, lines, text, url }: Message, { secret, now }: ChatSettings): ChatBody {
  const body = [...lines.map(plainText), text].filter((line) => line !== '').join('\n');
  const button = { tag: 'button', text: { tag: 'plain_text', content: 'Open' }, url, type: 'default' };
  return {
    ...(secret === '' ? {} : { timestamp: `${now}`, sign: signOf(now, secret) }),
    msg_type: 'interactive',
    card: {
      header: { title: { tag: 'plain_text', content: plainText(headline) } },
      elements: [
        ...(body === '' ? [] : [{ tag: 'div', text: { tag: 'plain_text', content: body } }]),
        ...(isWeb(url) ? [{ tag: 'action', actions: [button] }] : []),
      ],
    },
  };
}

/** The time and the secret are the key, and nothing is signed. */
function signOf(now: number, secret: string): string {
  return createHmac('sha256', `${now}\n${secret}`).digest('base64');
}
