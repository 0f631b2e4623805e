import { address, isWeb } from './escapes.ts';
import { COLORS, type Message, type Part } from './message.ts';
import type { ChatBody, ChatSettings } from './model.ts';

/**
 * An attachment. Slack reads `<…>` as a link or a mention, so both brackets are escaped in texts.
 *
 * @see https://api.slack.com/reference/messaging/attachments
 * @see https://api.slack.com/reference/surfaces/formatting#escaping
 */
export function slack(message: Message, { config }: ChatSettings): ChatBody {
  const { headline, lines, text, mood } = message;
  const { channel, username, icon_url: icon, color } = config;
  return {
    ...(channel === undefined ? {} : { channel }),
    ...(username === undefined ? {} : { username }),
    ...(icon === undefined ? {} : { icon_url: icon }),
    text: textOf(headline),
    // Titles must not become bold, or a list.
    mrkdwn: false,
    link_names: 0,
    unfurl_links: 0,
    attachments:
      lines.length === 0 && text === ''
        ? []
        : [
            {
              fallback: lines.map(textOf).join('\n') || plain(text),
              color: color ?? `#${COLORS[mood]}`,
              text: [...lines.map(textOf), plain(text)].filter((line) => line !== '').join('\n'),
              mrkdwn_in: [],
            },
          ],
  };
}

function textOf(parts: readonly Part[]): string {
  return parts
    .map((part) =>
      typeof part === 'string' || !isWeb(part.url)
        ? plain(typeof part === 'string' ? part : part.text)
        : `<${address(part.url)}|${plain(part.text).replaceAll('|', '¦')}>`,
    )
    .join('');
}

function plain(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
