import { markdown, markdownOf } from './escapes.ts';
import { type Message, plainText } from './message.ts';
import type { ChatBody } from './model.ts';

/**
 * A card with one button. Without a field `at`, it mentions no one.
 *
 * @see https://open.dingtalk.com/document/robots/custom-robot-access
 */
export function dingtalk({ headline, lines, text, url }: Message): ChatBody {
  const all = [markdownOf(headline), ...lines.map((line) => markdownOf(line)), markdown(text)];
  return {
    msgtype: 'actionCard',
    actionCard: {
      title: plainText(headline),
      text: all.filter((line) => line !== '').join('\n\n'),
      hideAvatar: '0',
      singleTitle: 'Open',
      singleURL: url,
    },
  };
}
