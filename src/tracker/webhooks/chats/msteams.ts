import { html, isWeb, markdown, markdownOf } from './escapes.ts';
import { COLORS, type Message, plainText } from './message.ts';
import type { ChatBody } from './model.ts';

/**
 * A card. Teams reads Markdown and HTML in it.
 *
 * @see https://learn.microsoft.com/outlook/actionable-messages/message-card-reference
 */
export function msteams({ headline, lines, text, url, mood, sender }: Message): ChatBody {
  const title = html(markdown(plainText(headline)));
  const body = [...lines.map((line) => markdownOf(line, plain)), plain(text)];
  return {
    '@type': 'MessageCard',
    '@context': 'https://schema.org/extensions',
    themeColor: COLORS[mood],
    title,
    summary: title,
    sections: [
      {
        activityTitle: plain(sender.name),
        activityImage: sender.picture,
        text: body.filter((line) => line !== '').join('\n\n'),
      },
    ],
    potentialAction: isWeb(url)
      ? [{ '@type': 'OpenUri', name: 'Open', targets: [{ os: 'default', uri: url }] }]
      : [],
  };
}

function plain(text: string): string {
  return html(markdown(text));
}
